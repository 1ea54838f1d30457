"""Tells, without a model, whether a request is one for the repair engine: make failing tests pass."""

from __future__ import annotations

import re

_WRITING = re.compile(
    r"\b(write|add|create|implement|generate|extend|rename|explain|document)\b", re.IGNORECASE
)
_OTHER = re.compile(
    r"(?:please |can you |could you )*"
    r"(delete|remove|skip|disable|ignore|deselect|xfail|comment|tell|show|list|count|which|what|why|how|who)\b"
)
"""With what a request begins that is about failing tests and wants none of them mended."""
_AND_MORE = re.compile(
    r"\b(?:and|then|also|plus)(?: (?:also|then))? "
    r"(?:write|add|create|implement|generate|extend|rename|explain|document|refactor|delete|remove)\b"
)
_NOTHING = re.compile(
    r"\b(?:do not|don't|dont|never|without) (?:chang|edit|touch|modif)\w* (?:any|a thing|the (?:code|files?))"
    r"|\b(?:only|just) (?:tell|show|list|say|report)\b"
)
_BREAKING = re.compile(r"\b(?:make|let|have)\b[^.]{0,60}\b(?:tests?|suite) (?:fail|red|break)\b")
_REPAIRING = (
    (
        re.compile(r"\b(fix|repair|debug|solve|mend)\b"),
        re.compile(r"\b(bugs?|tests?|failures?|errors?|defects?|regressions?)\b"),
    ),
    (re.compile(r"\b(fail(s|ed|ing|ure|ures)?|broken|red)\b"), re.compile(r"\b(tests?|suite)\b")),
    (
        re.compile(r"\b(tests?|suite)\b"),
        re.compile(r"\b(pass(es|ing)?|green|fail(s|ed|ing)?|broken|red)\b"),
    ),
    (re.compile(r"\bmake\b"), re.compile(r"\b(green|pass)\b")),
)
"""Pairs of words, the second anywhere behind the first."""
# The look-behinds begin a match at the first place where it can: a pasted log is long, and trying every
# place of a long path would cost its square.
_TEST_NAME = re.compile(
    r"(?<![\w./\\-])[\w./\\-]+\.\w+(?:::\w+)+(?:\[[^\]]{0,500}\])?"
    r"|\btest_\w+|\b\w+_test\b|(?<!\w)(?<!\w\.)(?:\w+\.)+test\w*"
)


def test_names(request: str) -> tuple[str, ...]:
    """Return the test ids and test names in a request, in order; files only where no test is named."""
    found = list(_TEST_NAME.finditer(request))
    # "test_b in tests/test_a.py" is about one test, and not about all of its file.
    tests = [match for match in found if not request.startswith(".py", match.end())]
    return tuple(dict.fromkeys(match.group(0) for match in tests or found))


test_names.__test__ = False  # type: ignore[attr-defined]  # pytest must not collect the function


def asks_for_repair(request: str) -> bool:
    """Return whether a request is about failing tests, and not about writing something new."""
    text = " ".join(request.lower().split())
    if any(pattern.search(text) for pattern in (_AND_MORE, _NOTHING, _BREAKING)) or _OTHER.match(text):
        return False
    if any((found := first.search(text)) and then.search(text, found.end()) for first, then in _REPAIRING):
        return not _WRITING.match(text)
    return bool(test_names(request)) and not _WRITING.search(text)
