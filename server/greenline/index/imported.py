"""The text of an import statement → the module and the names that it takes, for each language."""

from __future__ import annotations

import re
from collections.abc import Callable

Imported = tuple[str, tuple[str, ...]]
"""A module as written, and the names taken from it."""

_PY_FROM = re.compile(r"from\s*([.\w\s]*?)\s*import\b(.*)", re.S)
_COMMENT = re.compile(r"#[^\n]*")
_STRING = re.compile(r"""["'`]([^"'`\n]+)["'`]""")
_JS_FROM = re.compile(r"""from\s*["']([^"']+)["']""")
_JS_BRACES = re.compile(r"\{([^}]*)\}", re.S)
_JS_DEFAULT = re.compile(r"import\s+(?:type\s+)?(\w+)\s*(?:,|from)")
_JAVA = re.compile(r"import\s+(?:static\s+)?([\w.]+?)(\.\*)?\s*;")
_INCLUDE = re.compile(r"""include(?:_next)?\s*[<"]([^>"\n]+)[>"]""")
_CS = re.compile(r"using\s+(?:static\s+)?(?:\w+\s*=\s*)?([\w.]+)\s*;")
_SOURCE = re.compile(r"""(?:source|\.)\s+["']?([^\s"';]+)""")
_CSS = re.compile(r"""@import\s+(?:url\()?["']?([^"')\s;]+)""")
_HTML = re.compile(r"""(?:src|href)\s*=\s*["']?([^"'\s>]+)""", re.I)
_ALIAS = re.compile(r"\s+as\s+[\w*]+$")


def read_import(language: str, text: str) -> list[Imported]:
    """Return what one import statement takes; empty where its text is no whole statement."""
    reader = _READERS.get(language)
    return [] if reader is None else [(m, n) for m, n in reader(text) if m]


def module_stem(module: str) -> str:
    """Return a module's last part without its extension, folded: `pkg.core.error` → `error`."""
    last = re.split(r"[./\\:]+", _without_extension(module.strip("./\\:")))[-1]
    return last.casefold()


def _without_extension(module: str) -> str:
    return re.sub(r"\.(?:[cm]?[jt]sx?|vue|h|hh|hpp|hxx|rb|php|sh|css|scss|json)$", "", module)


def _python(text: str) -> list[Imported]:
    text = _COMMENT.sub("", text).replace("\\\n", " ")
    match = _PY_FROM.match(text)
    if match:
        names = (piece.split(" as ")[0].strip() for piece in match.group(2).strip("() \n\t").split(","))
        return [("".join(match.group(1).split()), tuple(n for n in names if n.isidentifier()))]
    pieces = text.removeprefix("import").split(",")
    return [(piece.split(" as ")[0].strip(), ()) for piece in pieces]


def _javascript(text: str) -> list[Imported]:
    found = _JS_FROM.search(text) or _STRING.search(text)
    if found is None:
        return []
    head = text[: found.start()]
    names = [name for braces in _JS_BRACES.findall(head) for name in braces.split(",")]
    default = _JS_DEFAULT.match(text)
    clean = [_ALIAS.sub("", name.strip()).removeprefix("type ").strip() for name in names]
    if default:
        clean.insert(0, default.group(1))
    return [(found.group(1), tuple(name for name in clean if name))]


def _quoted(text: str) -> list[Imported]:
    match = _STRING.search(text)
    return [(match.group(1), ())] if match else []


def _java(text: str) -> list[Imported]:
    match = _JAVA.search(text)
    if match is None:
        return []
    module, _, name = match.group(1).rpartition(".")
    return [(match.group(1), ())] if match.group(2) or not module else [(match.group(1), (name,))]


def _rust(text: str) -> list[Imported]:
    body = re.sub(r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+", "", text.strip()).rstrip(";").strip()
    prefix, brace, rest = body.partition("{")
    prefix = prefix.strip().removesuffix("::")
    if not brace:
        path = _ALIAS.sub("", prefix)
        return [(path, (path.rpartition("::")[2],))]
    names = re.findall(r"\w+", re.sub(r"\bas\s+\w+", "", rest))
    return [(prefix, tuple(name for name in names if name != "self"))]


def _by(pattern: re.Pattern[str]) -> Callable[[str], list[Imported]]:
    def read(text: str) -> list[Imported]:
        match = pattern.search(text)
        return [(match.group(1), ())] if match else []

    return read


def _php(text: str) -> list[Imported]:
    if not text.startswith("use"):
        return _quoted(text)
    body = re.sub(r"^use\s+(?:function\s+|const\s+)?", "", text).rstrip("; \n")
    prefix, brace, rest = body.partition("{")
    if brace:
        names = [_ALIAS.sub("", piece.strip(" }\n")) for piece in rest.split(",")]
        return [(prefix.strip("\\ "), tuple(name for name in names if name))]
    paths = [_ALIAS.sub("", piece.strip()).strip("\\") for piece in body.split(",")]
    return [(path, (path.rpartition("\\")[2],)) for path in paths]


_READERS: dict[str, Callable[[str], list[Imported]]] = {
    "python": _python,
    "javascript": _javascript,
    "typescript": _javascript,
    "tsx": _javascript,
    "go": _quoted,
    "java": _java,
    "rust": _rust,
    "c": _by(_INCLUDE),
    "cpp": _by(_INCLUDE),
    "csharp": _by(_CS),
    "ruby": _quoted,
    "php": _php,
    "bash": _by(_SOURCE),
    "html": _by(_HTML),
    "css": _by(_CSS),
}
