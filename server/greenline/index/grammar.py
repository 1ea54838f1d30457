"""Which language a file is in, and that language's grammar and queries, loaded when first needed.

The only module that imports tree-sitter. Each grammar is a wheel of its own: the packs of many grammars
download them at run time.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import os
import re
from importlib.resources import files as package_files
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from tree_sitter import Language, Parser, Query

TEXT = "text"
"""The language of files that no grammar reads; they are split by lines."""


@attrs.frozen
class Grammar:
    """A language's parser with the queries that find definitions and uses."""

    name: str
    language: Language
    definitions: Query | None
    """Each match has `name` and one capture that says the kind."""
    uses: Query | None
    """Captures `call`, `import` and `doc`."""

    def parser(self) -> Parser:
        """Return a new parser."""
        from tree_sitter import Parser

        return Parser(self.language)


@attrs.frozen
class _Source:
    module: str
    query: str
    function: str = "language"


_SOURCES = {
    "python": _Source("tree_sitter_python", "python"),
    "javascript": _Source("tree_sitter_javascript", "javascript"),
    "typescript": _Source("tree_sitter_typescript", "typescript", "language_typescript"),
    "tsx": _Source("tree_sitter_typescript", "tsx", "language_tsx"),
    "go": _Source("tree_sitter_go", "go"),
    "java": _Source("tree_sitter_java", "java"),
    "rust": _Source("tree_sitter_rust", "rust"),
    "c": _Source("tree_sitter_c", "c"),
    "cpp": _Source("tree_sitter_cpp", "cpp"),
    "csharp": _Source("tree_sitter_c_sharp", "c_sharp"),
    "ruby": _Source("tree_sitter_ruby", "ruby"),
    "php": _Source("tree_sitter_php", "php", "language_php"),
    "bash": _Source("tree_sitter_bash", "bash"),
    "html": _Source("tree_sitter_html", "html"),
    "css": _Source("tree_sitter_css", "css"),
    "json": _Source("tree_sitter_json", "json"),
    "yaml": _Source("tree_sitter_yaml", "yaml"),
    "toml": _Source("tree_sitter_toml", "toml"),
    "markdown": _Source("tree_sitter_markdown", "markdown"),
}
LANGUAGES = tuple(sorted(_SOURCES))
"""Every language with a grammar."""

_EXTENSIONS = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "java": "java",
    "rust": "rs",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl",
    "csharp": "cs",
    "ruby": "rb rake gemspec ru",
    "php": "php phtml",
    "bash": "sh bash zsh ksh bats",
    "html": "html htm xhtml",
    "css": "css",
    "json": "json jsonc webmanifest",
    "yaml": "yaml yml",
    "toml": "toml",
    "markdown": "md markdown mdx",
}
_BY_EXTENSION = {ext: name for name, extensions in _EXTENSIONS.items() for ext in extensions.split()}
_BY_NAME = {
    "Gemfile": "ruby",
    "Rakefile": "ruby",
    "Pipfile": "toml",
    ".bashrc": "bash",
    ".profile": "bash",
    ".prettierrc": "json",
    ".eslintrc": "json",
    ".babelrc": "json",
    ".clang-format": "yaml",
}
_SHEBANG = re.compile(rb"^#!\s*\S*?(?:env\s+(?:-S\s+)?)?(?:\S*/)?(python|node|bash|sh|zsh|ruby|php)[\d.]*\b")
_BY_INTERPRETER = {"node": "javascript", "sh": "bash", "zsh": "bash"}
_CPP_HEADER = re.compile(rb"^\s*(?:class\s+\w|namespace\s+\w|template\s*<|public:|private:|using\s+\w)", re.M)
_INHERITS = re.compile(r"; inherits: (\w+)\n")
_USES = ";; uses\n"


def language_of(path: str, data: bytes = b"") -> str:
    """Return a file's language by its name, and by its first bytes where the name does not tell."""
    name = os.path.basename(path)  # noqa: PTH119 - paths are keys here and must not be respelled
    stem, dot, extension = name.rpartition(".")
    found = _BY_NAME.get(name) or (_BY_EXTENSION.get(extension.lower()) if dot and stem else None)
    if found is None:
        match = _SHEBANG.match(data[:200])
        if match is None:
            return TEXT
        interpreter = match.group(1).decode("ascii")
        return _BY_INTERPRETER.get(interpreter, interpreter)
    if found == "c" and extension.lower() == "h" and _CPP_HEADER.search(data[:20_000]):
        return "cpp"
    return found


@functools.cache
def grammar(name: str) -> Grammar:
    """Return a language's grammar; raises `KeyError` for one that has none."""
    from tree_sitter import Language, Query

    source = _SOURCES[name]
    module = importlib.import_module(source.module)
    language = Language(getattr(module, source.function)())
    definitions, uses = _parts(source.query)

    def query(part: str) -> Query | None:
        return Query(language, part) if part.strip() else None

    return Grammar(name, language, query(definitions), query(uses))


def _parts(name: str) -> tuple[str, str]:
    """Return what a query file finds, definitions and uses, after what it inherits."""
    text = package_files("greenline.index").joinpath("query", f"{name}.scm").read_text("utf-8")
    definitions, _, uses = text.partition(_USES)
    found = _INHERITS.match(text)
    before = _parts(found[1]) if found else ("", "")
    return before[0] + definitions, before[1] + uses


@functools.cache
def grammar_stamp() -> str:
    """Return the versions of everything that decides how a file is read."""
    packages = sorted({source.module.replace("_", "-") for source in _SOURCES.values()})
    return " ".join(f"{name}={importlib.metadata.version(name)}" for name in ["tree-sitter", *packages])
