"""Which options of pytest a patch sets so that tests whose text stays may say less; pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from greenline.core.port import Tree
from greenline.verify.pytest_option import effective, split

_OPTIONS = re.compile(
    r"--(?:reruns|retries|flaky|force-flaky|force-regen|regen-all|snapshot-update|update-snapshots"
    r"|inline-snapshot|hypothesis-profile|noconftest)[\w-]*(?:=.*)?"
)
"""What runs a test until it passes, writes down what it expects, or tries less."""
_FLAGS = frozenset({"ELLIPSIS", "NORMALIZE_WHITESPACE", "IGNORE_EXCEPTION_DETAIL", "SKIP", "NUMBER"})
"""With which an example of a doctest matches more, or nothing."""
_TRUE = frozenset({"true", "1", "yes", "on"})
_Values = Mapping[str, list[str]]


def weakened_options(base: Tree, patched: Tree) -> Iterator[str]:
    """Yield `FILE: OPTION` of what the configuration at the root asks of tests less than before."""
    old_path, old = effective(base)
    new_path, new = effective(patched)
    before, after = _spread(old), _spread(new)
    for name, is_weaker in _RULES.items():
        if is_weaker(before, after):
            yield f"{new_path or old_path}: {name}"


def _spread(options: _Values) -> dict[str, list[str]]:
    """Return options with those that `addopts` overrides or says otherwise."""
    found = {name: [*lines] for name, lines in options.items()}
    rest = [word for line in options.get("addopts", ()) for word in split(line)]
    found["addopts"] = []
    while rest:
        word = rest.pop(0)
        flag, given, value = word.partition("=")
        if flag in ("-o", "--override-ini", "-W", "--pythonwarnings", "-p", "--timeout"):
            value = value if given and flag.startswith("--") else rest.pop(0) if rest else ""
        elif flag[:2] in ("-o", "-W", "-p") and not flag.startswith("--"):
            flag, value = word[:2], word[2:]
        if flag in ("-o", "--override-ini"):
            name, _, said = value.partition("=")
            found[name.strip()] = [said.strip()]
        elif flag in ("-W", "--pythonwarnings"):
            found.setdefault("filterwarnings", []).append(value)
        elif flag == "--timeout":
            found["timeout"] = [value]
        elif flag == "-p":
            found["addopts"] += [f"-p {value}"]
        else:
            found["addopts"].append(word)
    return found


def _fixtures(before: _Values, after: _Values) -> bool:
    old, new = (" ".join(options.get("usefixtures", ())).split() for options in (before, after))
    return set(old) != set(new)


def _strict(before: _Values, after: _Values) -> bool:
    names = ("xfail_strict", "strict_xfail", "strict")

    def is_strict(options: _Values) -> bool:
        said = next((options[name] for name in names if options.get(name)), [""])
        return said[-1].strip().lower() in _TRUE

    return is_strict(before) and not is_strict(after)


def _warnings(before: _Values, after: _Values) -> bool:
    old, new = ([w.strip() for w in options.get("filterwarnings", ())] for options in (before, after))
    raising = [line for line in old if line.startswith("error")]
    if not raising:
        return False
    # One for a message or a module hides what that says; one for all, or for a kind, hides any of its kind.
    wide = [line for line in new if line not in old and not line.startswith("error") and _is_wide(line)]
    is_off = "-p no:warnings" in after.get("addopts", ()) and "-p no:warnings" not in before.get(
        "addopts", ()
    )
    return not set(raising) <= set(new) or bool(wide) or is_off


def _is_wide(line: str) -> bool:
    parts = [part.strip() for part in line.split(":")]
    return bool(parts[0]) and not any(part for place, part in enumerate(parts) if place in (1, 3))


def _doctest(before: _Values, after: _Values) -> bool:
    old, new = (" ".join(options.get("doctest_optionflags", ())).split() for options in (before, after))
    return bool((set(new) - set(old)) & _FLAGS)


def _timeout(before: _Values, after: _Values) -> bool:
    def limit(options: _Values) -> float:
        try:
            return float((options.get("timeout") or ["0"])[-1]) or float("inf")
        except ValueError:
            return float("inf")

    return limit(after) > limit(before)


def _addopts(before: _Values, after: _Values) -> bool:
    return any(_OPTIONS.fullmatch(w) for w in after.get("addopts", ()) if w not in before.get("addopts", ()))


_RULES: Mapping[str, Callable[[_Values, _Values], bool]] = {
    "usefixtures": _fixtures,
    "xfail_strict": _strict,
    "filterwarnings": _warnings,
    "doctest_optionflags": _doctest,
    "timeout": _timeout,
    "addopts": _addopts,
}
