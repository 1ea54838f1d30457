"""Tells placeholders ("rest stays the same") from text, so that none is written where code stood."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from greenline.core.error import EditRejected
from greenline.edit.rest import speaks_of_rest
from greenline.edit.standin import as_comment, is_sentence_of_rest, is_stand_in

_LEADERS = re.compile(
    r"^(?:<!--+|<%(?:#|--)|<#|\{#|\{-|\{\{!-*|::|--+\[\[|#+|//+|/\*+|\*+/?|--+|;+|%+|\{\s*/\*+|\(\*|\"\"\"|'{3}"
    r"|'|\"(?=\s[^\"]*$)|!|\.\.(?!\.)|REM\b|dnl\b|@\*)\s*"
    r"(?:(?:TODO|NOTE|FIXME)\s*:\s*)?",
    re.IGNORECASE,
)
_TRAILERS = re.compile(r"(?:(?<!\*)\*+/\s*\}?|--+>|--%>|%>|#>|#\}|-\}|-*\}\}|\]\]|\*\)|\"\"\"|'{3}|\*@)$")
_DOTS = re.compile(r"^(?:\.{3,}|…+|[\[(<{]?\s*(?:\.{3,}|…))|(?:(?:\.{3,}|…)\s*[\])>}]?)$")
_BARE = re.compile(r"\.{3,}|…+|\[(?:\.{3}|…)\]|\(\.{3}\)")
_KEYWORD = re.compile(
    r"\b(?:rest|remain\w*|existing|unchanged|same|omitted|previous\w*|others?|original|stays?|keep|kept|"
    r"as (?:before|is|above)|elided|skipped|truncated|snip\w*|continues?|brevity|code|here)\b",
    re.IGNORECASE,
)
_THING = (
    r"(?:\w+[ -]){0,4}?(?:code|methods?|functions?|class(?:es)?|imports?|contents?|lines?|file|text|body|"
    r"implementations?|parts?|sections?|fields?|tests?|cases?|rules?|items?|entries|config\w*|stuff|logic|"
    r"everything|all)"
)
_STATE = (
    r"(?:(?:will |should )?(?:stays?|remains?|is|are|goes|continues?|kept?|be)? ?(?:exactly )?(?:the )?"
    r"(?:same|unchanged|untouched|omitted|identical|here|elided|not shown|"
    r"as (?:before|is|it was|they were|above|in the original))(?: (?:as before|as above|here|for brevity))?)"
)
_PHRASE = re.compile(
    rf"(?:and |keep |with |plus )?(?:the |your |all |my )*"
    rf"(?:(?:rest|remainder)(?: of (?:the |this |your )?{_THING})?(?: (?:below|above))?(?: {_STATE})?"
    rf"|(?:rest|remainder) of (?:the |this |your )?(?:\w+ ){{1,3}}{_STATE}"
    rf"|(?:remaining|existing|previous|original|other|unchanged) {_THING}(?: {_STATE})?"
    rf"|(?:remaining|existing|previous|original|other) (?:\w+ ){{1,3}}{_STATE}"
    rf"|{_THING} {_STATE}"
    r"|(?:unchanged|same as before|same as above|no changes?(?: here)?|omitted(?: for brevity)?"
    r"|snip(?:ped)?|truncated|elided))",
    re.IGNORECASE,
)
_OTHER_SCRIPTS = re.compile(r"不变|省略|以下同|同上|そのまま|変更なし|без изменений|остальн\w+ код|⋮")
_LEFT = re.compile(
    r"ditto"
    r"|no (?:other |further |more )?changes?(?: (?:here|below|above|needed|after this|from here(?: on)?))?"
    r"|(?:the |your )?(?:existing|previous|remaining|original|unchanged|other) (?:\w+ )?"
    r"(?:code|lines?|methods?|functions?|imports?|tests?|fields?|contents?|logic|helpers?|styles?|markup"
    r"|validations?|rules?|handlers?|class(?:es)?|propert(?:y|ies)|props|routes?|cases?|checks?|elements?)"
    r"|(?:same )?as (?:above|before|is)"
    r"|(?:leave|keep|retain) (?:everything|all|(?:the )?(?:rest|others?))"
    r"(?: (?:else|as is|unchanged|as before))*"
    r"|(?:the )?(?:code|file|class|function|implementation|body) (?:continues|goes on)(?: \w+){0,3}"
    r"|(?:the )?(?:unchanged|existing|original|previous|remaining|other|same) (?:\w+ ){0,3}"
    r"(?:above|below|here)"
    r"|(?:the |all )?(?:\w+ ){0,2}?(?:stays?|remains?)"
    r"|.{1,60}?[ (](?:are |is |stays? |remains? |left )?"
    r"(?:unchanged|unmodified|as is|as before|as above|as they (?:are|were)|as it (?:is|was)|the same"
    r"|not changed|omitted)",
    re.IGNORECASE,
)
"""What is said of text that is not shown, and may be said of text that is: it counts where much goes."""
_TITLE = re.compile(r"#{2,6} \S")
_BRACKETED = re.compile(r"\[\[?.+\]|\{\{.+\}\}|<<?.+>|\(.+\)")
_VAGUE = re.compile(r"(?:(?:and|keep|plus) )*(?:the |your |all )*(?:rest|remainder) of .+", re.IGNORECASE)
_FOREIGN = re.compile(
    r"(?:(?:der|die|das|den|le|la|les|el|los|il|lo|o|os) )*"
    r"(?:rest\w*|übrig\w*|bestehend\w*|restant\w*|existant\w*|existente\w*|código|code)\b.*"
    r"\b(?:unverändert\w*|gleich|wie (?:bisher|vorher|zuvor|oben|gehabt)|inchangée?s?|identiques?|identico|"
    r"sin cambios|igual|inalterad[oa]s?|invariat[oa]|sem alterações|la même|le même)",
    re.IGNORECASE,
)
"""A rest and that it stays, in German, French, Spanish, Italian and Portuguese."""
_AND_SO_ON = re.compile(r"(?:etc|and so on|and so forth|usw|u\.? ?s\.? ?w)", re.IGNORECASE)
_PLAIN = re.compile(
    r"(?:the |all |your )*"
    r"(?:(?:remaining|existing|previous|original|others?) (?!code\b|contents?\b)\w+(?: \w+){0,3} ?"
    r"|(?:rest|remainder)|same as (?:above|before))\W*",
    re.IGNORECASE,
)
"""A phrase that is a heading of what follows as often as it stands for what is left out."""
_CLAIM = re.compile(
    r"\b(?:unchanged|untouched|omitted|identical|elided|not shown|here|stays?|remains?|kept?|same(?! as)"
    r"|brevity)\b",
    re.IGNORECASE,
)
_DEFINES = re.compile(r"\s*(?:async\s+)?(?:def|class)\s+(\w+)")
_ABSTRACT = re.compile(r"abstract|\boverload\b|\bProtocol\b|\bABC\b")
_MIN_LINES = 20
_MANY_GONE = 4
_STUB = re.compile(r"^(?P<code>(?:.*[\s:{=])?(?:pass|\.{3}|…|\{\s*\}|;))\s*(?P<comment>(?:#|//|/\*|--).*)$")
_WORDS = 10
_NOTE = 16
_SHORT = 3
_REST = re.compile(
    r"\b(?:rest|remain\w*|existing|unchanged|omitted|previous\w*|original|others?|same|truncated)\b",
    re.IGNORECASE,
)


def is_placeholder(line: str) -> bool:
    """Return whether a line says, as a comment or alone, that text was left out."""
    text = as_comment(line.strip())
    if not _LEADERS.match(text) and (stub := _STUB.match(text)):
        # A body that does nothing says what it stands for beside itself.
        text = stub["comment"]
    body = _TRAILERS.sub("", _LEADERS.sub("", text)).strip()
    commented = body != text
    dotted = bool(_DOTS.search(body))
    phrase = body.strip(".… ()[]<>{}-–—*_:").strip()
    if not phrase:
        return False
    if len(phrase.split()) > _WORDS:
        return False
    if dotted and (commented or body[0] in "[(<{.…"):
        return bool(_KEYWORD.search(phrase))
    return commented and bool(_PHRASE.fullmatch(phrase) or _FOREIGN.fullmatch(phrase))


def is_bare(line: str) -> bool:
    """Return whether a line is nothing but dots, in a comment or alone; some languages have it as code."""
    text = line.strip()
    return bool(_BARE.fullmatch(_TRAILERS.sub("", _LEADERS.sub("", text)).strip()))


def is_doubtful(line: str) -> bool:
    """Return whether a comment may stand for text: where much goes, dots, a rest and "etc." do."""
    text = as_comment(line.strip())
    body = _TRAILERS.sub("", _LEADERS.sub("", text)).strip()
    phrase = body.strip(".… ()[]{}<>-–—*_:").strip()
    if not phrase or len(body.split()) > _WORDS:
        return False
    if _OTHER_SCRIPTS.search(phrase):
        return True
    if body == text:
        return bool(_BRACKETED.fullmatch(text) and (_PHRASE.fullmatch(phrase) or _LEFT.fullmatch(phrase)))
    if _DOTS.search(body) or _VAGUE.fullmatch(body) or _AND_SO_ON.fullmatch(body.strip(" .,")):
        return True
    return bool(_LEFT.fullmatch(phrase) or _LEFT.fullmatch(body.strip(" .)]")))


def check(before: Iterable[str], removed: Sequence[str], added: Sequence[str]) -> None:
    """Refuse new lines that stand for text which they do not show; raises `EditRejected` (`elision`).

    `before` is the whole old text's lines, looked at only where one is in doubt;
    `removed` and `added` are what the edit changes of them.
    """
    n_gone, n_new = (sum(1 for one in lines if one.strip()) for lines in (removed, added))
    suspects = [
        (above, line)
        for above, line in zip(["", *added], added, strict=False)
        if (n_gone >= n_new or not _is_remark(line))
        and (is_bare(line) or is_placeholder(line) or is_doubtful(line))
    ]
    found = _stand_in(removed, added, strict=True) if _is_shrunk(removed, added) else None
    known = Counter(line.strip() for line in before) if suspects or found else Counter[str]()
    if found is not None and not known[found]:
        raise _elision(found)
    for above, line in suspects:
        is_said = is_placeholder(line) or is_doubtful(line)
        if not is_said and _is_body(above, line, known) and not _was_longer(above, removed, added):
            continue
        text = line.strip()
        if known[text] > 0:
            known[text] -= 1
        elif _vanishes(removed, added) or (is_placeholder(line) and not _is_heading(line, removed, added)):
            raise _elision(text)


def check_whole(before: Sequence[str], removed: Sequence[str], added: Sequence[str]) -> None:
    """Refuse what `check` does, and in a whole file that keeps little, each comment that speaks of a rest."""
    check(before, removed, added)
    n_lines = sum(1 for line in before if line.strip())
    n_gone = sum(1 for line in removed if line.strip())
    if n_lines < _MIN_LINES or n_gone * 2 <= n_lines or not _vanishes(removed, added):
        return
    known = {line.strip() for line in before}
    found = _stand_in(removed, [line for line in added if line.strip() not in known])
    if found is not None:
        raise _elision(found)
    shown = [line.strip() for line in added if line.strip()]
    for text, following in zip(shown, [*shown[1:], ""], strict=True):
        words = as_comment(text)
        body = _TRAILERS.sub("", _LEADERS.sub("", words)).strip()
        is_note = body != text or _BRACKETED.fullmatch(text) is not None
        if text not in known and is_sentence_of_rest(text):
            raise _elision(text)
        if _TITLE.match(text) and following and not following.startswith("#"):
            # A title of Markdown's has its section below it, where a note stands for one.
            continue
        if is_note and text not in known and len(body.split()) <= _NOTE and speaks_of_rest(body):
            raise _elision(text)


def _is_remark(line: str) -> bool:
    """Return whether a line is a member of JSON that says something, and no dots."""
    words = as_comment(line.strip())
    return words != line.strip() and not words.startswith(("// .", "// …"))


def _is_shrunk(removed: Sequence[str], added: Sequence[str]) -> bool:
    """Return whether less than half as many lines come as go, and several go."""
    n_gone, n_new = (sum(1 for one in lines if one.strip()) for lines in (removed, added))
    return n_gone >= _MANY_GONE and n_new * 2 < n_gone


def _stand_in(removed: Sequence[str], added: Sequence[str], *, strict: bool = False) -> str | None:
    """Return a new line that stands for others; dots that are the body of what is above them do not."""
    for above, line in zip(["", *added], added, strict=False):
        is_body = _is_body(above, line, {}) and not _was_longer(above, removed, added)
        if is_stand_in(line, strict=strict) and not is_body:
            return line.strip()
    return None


def _elision(text: str) -> EditRejected:
    return EditRejected(
        f"The line {text!r} stands for text that the edit leaves out.",
        remedy="Give the whole text, or an edit of the changed lines alone.",
        code="elision",
    )


def _is_heading(line: str, removed: Sequence[str], added: Sequence[str]) -> bool:
    """Return whether a comment may name what comes with it: an edit that takes no more than it gives."""
    text = as_comment(line.strip())
    body = _TRAILERS.sub("", _LEADERS.sub("", text)).strip()
    n_gone, n_new = (sum(1 for one in lines if one.strip()) for lines in (removed, added))
    if body == text or n_gone > n_new or n_new < 2:
        return False
    if _DOTS.search(body):
        # A sentence may end in dots; a placeholder begins with them, or says what it is in few words.
        return n_gone == 0 and body[0].isalpha() and len(body.split()) > _SHORT and not _REST.search(body)
    return bool(_PLAIN.fullmatch(body)) and not _CLAIM.search(body)


def _is_body(above: str, line: str, known: Mapping[str, int]) -> bool:
    """Return whether dots are the whole body of a function or a class that the old text did not have."""
    head = above.strip()
    is_below = len(line) - len(line.lstrip()) > len(above) - len(above.lstrip())
    return line.strip() == "..." and is_below and head.endswith(":") and not known.get(head, 0)


def _was_longer(head: str, removed: Sequence[str], added: Sequence[str]) -> bool:
    """Return whether a function or class with dots for its body had one of several lines.

    What is made abstract has none any more.
    """
    name = _DEFINES.match(head)
    if name is None or any(_ABSTRACT.search(line) for line in added):
        return False
    shown = [line for line in removed if line.strip()]
    for row, line in enumerate(shown):
        old = _DEFINES.match(line)
        if old is not None and old[1] == name[1]:
            body = shown[row + 1 : row + 3]
            return len(body) > 1 and all(_depth(text) > _depth(line) for text in body)
    return False


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _vanishes(removed: Sequence[str], added: Sequence[str]) -> bool:
    """Return whether fewer lines with text come than go: dots alone may well be code or prose."""
    return sum(1 for line in removed if line.strip()) > sum(1 for line in added if line.strip()) + 1
