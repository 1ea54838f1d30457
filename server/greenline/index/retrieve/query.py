"""What somebody asks for: its kind, its words, and the places and names that it mentions."""

from __future__ import annotations

import re
from enum import Enum

import attrs

from greenline.index.retrieve.path_kind import PathKind
from greenline.index.retrieve.word import compounds, distinct, identifiers, query_terms, word_set


class QueryKind(Enum):
    """What is asked for decides how much each signal counts."""

    PLACE = "place"
    """A stack trace, or a file with or without a line."""
    SYMBOL = "symbol"
    """One name and nothing else."""
    CHANGE = "change"
    """What to do: a task, or the subject of a commit."""
    WORDS = "words"
    """A question or a description."""


@attrs.frozen
class Mention:
    """A file that a query names."""

    path: str
    """As written, with `/`; perhaps absolute, perhaps only the end of a path."""
    line: int | None = None
    """1-based."""


@attrs.frozen
class Query:
    """A query, understood."""

    text: str
    kind: QueryKind
    terms: tuple[str, ...]
    """Distinct words for the full-text index, folded; no stop words."""
    names: tuple[str, ...]
    """Identifiers as written: quoted, by their look, or the whole query."""
    compounds: tuple[tuple[str, ...], ...]
    """Words of several parts as the full-text index knows them: `no-shadow` is two, `FileTable` is one."""
    mentions: tuple[Mention, ...]
    """The innermost frame of a trace first."""
    wants: frozenset[PathKind]
    """Kinds of files that are asked for in words, and so are not ranked down."""


_PYTHON_FRAME = re.compile(r'File "([^"\n]+)", line (\d+)')
_BEFORE = r"(?<![\w/.:@-])"
_PATH_LINE = re.compile(
    _BEFORE + r"((?:[A-Za-z]:)?[\w@.+~/\\-]*\.[A-Za-z]\w{0,5})(?::(\d+)|\((\d+)(?:,\d+)?\))"
)
_ENDINGS = (
    "py|pyi|[cm]?[jt]sx?|go|rs|java|rb|php|cs|c|h|cc|cpp|hpp|vue|kt|swift|md|toml|ya?ml|json|html|css|sh"
)
_PATH = re.compile(
    _BEFORE + rf"((?:[\w@.+~-]+[/\\])+[\w@.+-]+\.[A-Za-z]\w{{0,5}}|[\w-]+\.(?:{_ENDINGS}))(?![\w/(])"
)
_TEST_ID = re.compile(r"([\w./\\-]+\.\w+)::([\w:\[\]-]+)")
_QUOTED = re.compile(r"`([^`\n]+)`|\"([A-Za-z_$][\w$.:]*)\"|'([A-Za-z_$][\w$.:]*)'")
_ONE_NAME = re.compile(r"[A-Za-z_$#@][\w$]*(?:(?:\.|::|->|#|\\)[A-Za-z_$][\w$]*)*(?:\(\))?[!?]?")
_PREFIX = re.compile(r"^\s*(\w+)(?:\(([^)]*)\))?!?:\s+")
_PREFIX_KINDS = word_set(
    """
    feat fix perf refactor chore docs doc test tests build ci style revert types bug feature
    """
)
_ASKING = word_set("how what where which why when who whose")
_VERBS = word_set(
    """
    ability accept accepts adapt add added adds adjust align allow allows apply assert avoid avoids
    backport bail bind bring broken bump bundle calculate call capture cast catch chain change
    changed changes check checks choose clarify clean cleanup clear close coalesce collect combine
    compute configure convert copy correct count create cut deal declare decode decouple dedupe
    deduplicate default defer define delay delete deprecate dereference derive describe deserialize
    detach detect disable disables disallow dispatch display do don don't double download drop drops
    dump duplicate embed emit emulate enable enables encode enforce enhance ensure ensures escape
    exclude execute exit expand explain export expose exposes extend extract fail fall fallback
    fetch fill filter find finish fix fixed fixes flush follow forbid force format forward freeze
    fuse generate get give group guard handle handles hash hide hoist honor honour hook identify
    ignore ignores implement implemented import improve improved improves include increase infer
    inherit initialize inject inline insert inspect install instantiate integrate intercept
    introduce invalidate invoke isolate join keep launch let limit link lint list load lock log
    loosen lower lowers made maintain make makes map mark mask match measure mention merge migrate
    minor missing mitigate modify move moved moves narrow normalize notify offer omit only open
    optimize order overload override pad parse partially pass patch perform permit persist pick pin
    point polish populate port postpone pre-bundle prebundle prefer prefix preload prepare preserve
    prevent prevents print propagate protect provide proxy publish pull push put quote raise
    randomize re-add reach read ready rebuild recognise recognize recover redirect reduce refactor
    refactored refine register reject relax reload remove removed removes rename renamed renames
    render reorder reorganize repair repeat replace replaced replaces require reserve reset reshape
    resize resolve resolves respect restore restrict retain retry return returns reuse reveal revert
    revise rework rewrite roll round run sanitize save scan schedule search select send separate
    serialize serve set sets shorten show shrink shut silence simplify skip skips slow sort spawn
    specify speed split start stop stops store strengthen stringify strip substitute support
    supports suppress surface swallow swap switch sync take teach terminate throw tidy tighten
    toggle track transform translate traverse treat trigger trim truncate try turn tweak undo unflag
    unify unset unsubscribe unwind unwrap update updated updates upgrade upload use uses validate
    vendor verify wait warn widen workaround wrap wraps write wrong yield
    """
)
"""First words of what is to be done."""
_LONG_WORDS = 30
"""What is longer is a report or a task, whatever it begins with."""
_TELLING = re.compile(
    r"\b(?:not|don't|doesn't|didn't|cannot|can't|should|shouldn't|must|instead of|when|if|while"
    r"|bug|issue|crash(?:es|ed)?|errors? on|regression|incorrect(?:ly)?|wrong(?:ly)?|fails?|broken"
    r"|breaks|hangs?|leaks?|no longer"
    r"|only once|to (?:be|support|receive|ignore|use|allow|avoid|return))\b|#\d+",
    re.I,
)
"""Turns of phrase of somebody who reports or asks for a change."""
_WANTS = (
    (
        PathKind.TEST,
        re.compile(
            r"\b(?:unit|failing|failed|broken|flaky|regression|integration|existing)[ -]tests?\b"
            r"|\btests? (?:for|of|that|which|cases?|files? (?:for|of))\b"
            r"|\btest_\w+|::test|\bfixtures?\b|^tests?:|^tests?\(",
            re.I,
        ),
    ),
    (
        PathKind.DOCUMENT,
        re.compile(r"\b(?:readme|changelog|documentation|docs|tutorials?|examples?)\b|^docs?:", re.I),
    ),
    (
        PathKind.SETTING,
        re.compile(
            r"\b(?:workflows?|makefile|dockerfile|package\.json|pyproject|ci|stylesheets?|css)\b", re.I
        ),
    ),
    (PathKind.VENDORED, re.compile(r"\b(?:generated|vendored|deprecated|legacy|v1|compat)\b", re.I)),
)


_MAX_QUERY = 20_000
"""Letters; a long trace of calls has fewer."""
_ENDLESS = re.compile(r"[!-~]{1001,}")
"""A word that names nothing: what looks for names costs the square of a word's length."""


def understand(text: str) -> Query:
    """Read a query; any text is one, of which the first `_MAX_QUERY` letters count."""
    text = _ENDLESS.sub(" ", text)[:_MAX_QUERY]
    mentions = _mentions(text)
    names = distinct([*_quoted_names(text), *_test_names(text), *identifiers(text), *_whole_name(text)])
    return Query(
        text=text,
        kind=_kind(text, mentions),
        terms=query_terms(_without_prefix(text)),
        names=names,
        compounds=compounds(text),
        mentions=mentions,
        wants=frozenset(kind for kind, pattern in _WANTS if pattern.search(text))
        | frozenset(kind for kind in PathKind for _ in range(_mentions_kind(mentions, kind))),
    )


def _kind(text: str, mentions: tuple[Mention, ...]) -> QueryKind:
    if any(mention.line is not None for mention in mentions) or (mentions and len(text.split()) == 1):
        return QueryKind.PLACE
    stripped = text.strip().strip("`'\"")
    if _ONE_NAME.fullmatch(stripped):
        return QueryKind.SYMBOL
    prefix = _PREFIX.match(text)
    if prefix and prefix[1].lower() in _PREFIX_KINDS:
        return QueryKind.CHANGE
    words = re.findall(r"[\w'-]+", _without_prefix(text).lower())
    if not words or words[0] in _ASKING or text.rstrip().endswith("?"):
        return QueryKind.WORDS
    told = words[0] in _VERBS or len(words) > _LONG_WORDS or _TELLING.search(text)
    return QueryKind.CHANGE if told else QueryKind.WORDS


def _without_prefix(text: str) -> str:
    """Cut `fix(scope):` down to its scope: the scope names a part of the project, the type says nothing."""
    match = _PREFIX.match(text)
    if not match or match[1].lower() not in _PREFIX_KINDS:
        return text
    return f"{match[2] or ''} {text[match.end() :]}".strip()


def _mentions(text: str) -> tuple[Mention, ...]:
    found = [(m.start(), m[1], int(m[2])) for m in _PYTHON_FRAME.finditer(text)]
    # The last frame of a Python trace is the innermost one; others begin with it.
    found.reverse()
    found += [(m.start(), m[1], int(m[2] or m[3])) for m in _PATH_LINE.finditer(text)]
    mentions = [Mention(path.replace("\\", "/"), line) for _, path, line in found]
    known = {mention.path for mention in mentions}
    for match in _PATH.finditer(text):
        path = match[1].replace("\\", "/")
        if path not in known:
            mentions.append(Mention(path))
            known.add(path)
    return tuple(dict.fromkeys(mentions))


def _mentions_kind(mentions: tuple[Mention, ...], kind: PathKind) -> bool:
    from greenline.index.retrieve.path_kind import kinds_of_path

    return any(kind in kinds_of_path(mention.path.lstrip("/")) for mention in mentions)


def _quoted_names(text: str) -> list[str]:
    found = []
    for match in _QUOTED.finditer(text):
        quoted = (match[1] or match[2] or match[3]).strip()
        if _ONE_NAME.fullmatch(quoted):
            found.extend([quoted.removesuffix("()"), *_last_part(quoted)])
    return found


def _test_names(text: str) -> list[str]:
    return [
        part.partition("[")[0] for match in _TEST_ID.finditer(text) for part in match[2].split("::") if part
    ]


def _whole_name(text: str) -> list[str]:
    stripped = text.strip().strip("`'\"")
    return _last_part(stripped) if _ONE_NAME.fullmatch(stripped) else []


def _last_part(name: str) -> list[str]:
    return [re.split(r"\.|::|->|#|\\", name.removesuffix("()").rstrip("!?"))[-1]]
