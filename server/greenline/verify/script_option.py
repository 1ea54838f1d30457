"""Which options of Node's runners a patch sets so that tests whose text stays may say less; pure.

That is what runs a test again, lets errors pass or writes down what is expected, and a file that is loaded
before the tests and puts something in the place of the product, or of what tests assert with.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from greenline.core.port import Tree
from greenline.verify.script_import import imports, mocked, modules, replaced, resolved
from greenline.verify.source_line import JAVASCRIPT, bare
from greenline.verify.test_body import closing, outside

_NAMES = re.compile(
    r"package\.json|(?:jest|vitest|vite)\.config\.\w+|vitest\.workspace\.\w+|\.mocharc(?:\.\w+)?"
)
_TABLES = ("jest", "vitest", "mocha")
_KEY = r"(?<![\w-])[\"']?{0}[\"']?\s*:\s*"
_OPTIONS = {
    "retry": re.compile(
        _KEY.format("(?:retry|retries)") + r"(?!0\b|false|undefined|null)\S|--retr(?:y|ies)\b"
    ),
    "dangerouslyIgnoreUnhandledErrors": re.compile(
        _KEY.format("dangerouslyIgnoreUnhandledErrors")
        + r"(?!false)\S|--dangerouslyIgnoreUnhandledErrors(?!=false)|--unhandled-rejections=(?:none|warn)"
    ),
    "snapshots that are written": re.compile(
        _KEY.format("(?:update|updateSnapshot)")
        + r"(?!false|[\"'](?:none|new)\b)\S|--(?:update|updateSnapshot|test-update-snapshots)\b"
        r"|(?:jest|vitest)\b[^\n\"&|;]*\s-u\b"
    ),
    "automock": re.compile(_KEY.format("automock") + r"true|--automock\b"),
    "a transform": re.compile(r"(?<![\w.])transform\s*\([^)]*\)\s*\{"),
}
"""What it is called → how it is said in a configuration or on a command line."""
_COMMENT = re.compile(
    r"(\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|/\*.*?\*/|//[^\n]*", re.S
)
"""A text, which stays, or a comment."""
_HASH = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.M)
_FILE = re.compile(r"(?<![\w@.$-])[\w@.$-]*(?:/[\w@.$*-]+)+|(?<![\w@.-])[\w@.-]+\.[cm]?[jt]sx?\b")
_ASSERTS = re.compile(r"assert(?:/strict)?|chai|expect")
_GLOBAL = re.compile(r"\b(?:globalThis|global|window)\s*\.\s*(expect|assert|test|it|describe)\s*=(?![=>])")
_MATCHERS = re.compile(
    r"\bexpect\s*\.\s*extend\s*\(\s*\{[^}]*?\b(to(?:Be|Equal|StrictEqual|Match|MatchObject|Contain|ContainEqual|Throw"
    r"|HaveLength|HaveProperty|HaveBeenCalled\w*|BeCloseTo|BeDefined|BeTruthy|BeFalsy|BeNull|BeInstanceOf)"
    r"|toMatchSnapshot)\b\s*[:(,]"
)
_LOADER = re.compile(
    r"\b(registerHooks)\s*\(|\b(require\.cache)\s*\[[^\]]*\]\s*=(?!=)|\b(Module\._\w+|Module\.prototype)\b[^;\n]*?=(?![=>])"
)
"""With which a file loads other text in the place of a module's."""
_AGAIN = re.compile(
    r"\bjest\s*\.\s*retryTimes\s*\(\s*[1-9]|\bsetConfig\s*\([^)]*\bretry\b|\bthis\s*\.\s*retries\s*\("
)
_MAX_DEPTH = 3
_CALLS = re.compile(r"\b(?:npm|pnpm|yarn|bun|run-s|run-p|npm-run-all|concurrently|turbo)\b")
_SCRIPT = re.compile(r"[\w:.*-]+")
_RUNNER = re.compile(r"\b(?:vitest|jest|mocha|playwright|react-scripts\s+test)\b|--test\b|NODE_OPTIONS")


def weakened_scripts(
    base: Tree, patched: Tree, paths: Iterable[str], is_product: Callable[[str], bool]
) -> Iterator[str]:
    """Yield `FILE: WHAT` of what the configuration of Node's runners asks of tests less than before.

    `paths` are the changed files that are no product code.
    """
    changed = {*paths}
    if not any(path.endswith(JAVASCRIPT) or _is_configuration(path) for path in changed):
        return
    names = _own_names(base)
    places = _places(base), _places(patched)
    replacing = partial(_replacing, is_product=is_product, names=names)
    for path in sorted(filter(_is_configuration, patched)):
        if _is_of_new_package(base, path):
            continue
        old, new = _said(base, path), _said(patched, path)
        asked = _asked(path, old), _asked(path, new)
        for name, pattern in _OPTIONS.items() if old != new else ():
            if len(pattern.findall(asked[1])) > len(pattern.findall(asked[0])):
                yield f"{path}: {name}"
        before = {hit for file in _loaded(base, path, old, places[0]) for hit in replacing(base, file)}
        for file in sorted(_loaded(patched, path, new, places[1])):
            # What product code that was there does to its own parts is the product.
            fresh = set() if is_product(file) and file in base else replacing(patched, file) - before
            if fresh:
                yield f"{path}: {file} replaces {', '.join(sorted({name for name, _ in fresh}))}"


def _is_configuration(path: str) -> bool:
    return bool(_NAMES.fullmatch(path.rpartition("/")[2])) and "node_modules/" not in path


def _is_of_new_package(base: Tree, path: str) -> bool:
    """Return whether no test that was there can run under a configuration."""
    folder = posixpath.dirname(path)
    return bool(folder) and not any(other.startswith(f"{folder}/") for other in base)


def _said(tree: Tree, path: str) -> str:
    """Return what a file says to the runner, without comments."""
    text = tree[path].content.decode("utf-8", "replace") if path in tree else ""
    if not path.endswith("package.json"):
        is_yaml = path.endswith((".yml", ".yaml", ".mocharc"))
        return _HASH.sub("", text) if is_yaml else _COMMENT.sub(lambda match: match[1] or " ", text)
    try:
        manifest = json.loads(text or "{}")
        own: dict[str, Any] = {name: manifest.get(name) for name in _TABLES}
        # What a script is called is no option.
        scripts = _reached({name: str(script) for name, script in (manifest.get("scripts") or {}).items()})
    except (ValueError, AttributeError, RecursionError):
        return ""
    return "\n".join([*scripts, json.dumps(own, indent=0, ensure_ascii=False)])


def _reached(scripts: dict[str, str]) -> list[str]:
    """Return the scripts that a run of the tests reaches."""
    found: dict[str, str] = {}
    left = {"test", "pretest", "posttest"} & scripts.keys()
    while left:
        found |= {name: scripts[name] for name in left}
        patterns = {
            word.removeprefix("npm:")
            for name in left
            if _CALLS.search(scripts[name])
            for word in _SCRIPT.findall(scripts[name])
        }
        left = {n for n in scripts if any(fnmatchcase(n, pattern) for pattern in patterns)} - found.keys()
    return [found[name] for name in scripts if name in found]


def _asked(path: str, said: str) -> str:
    """Return what of a configuration may be an option of a runner."""
    if path.endswith("package.json"):
        scripts, begin, tables = f"\n{said}".partition("\n{\n")
        commands = re.split(r"&&|\|\||[;|\n]", scripts)
        return "\n".join([c for c in commands if _RUNNER.search(c) or _CALLS.search(c)]) + begin + tables
    if not path.rpartition("/")[2].startswith("vite.config."):
        return said
    plain = bare(said)
    block = re.search(r"\btest\s*[:=]\s*\{", plain)
    within = said[block.start() : closing(plain, block.end() - 1, len(plain))] if block else ""
    return within + "\n" + "\n".join(match[0] for match in _OPTIONS["a transform"].finditer(said))


def _loaded(tree: Tree, path: str, said: str, by_name: Mapping[str, list[str]]) -> set[str]:
    """Return the files that a configuration names, and what these import, as far as that is quick to say."""
    folder = posixpath.dirname(path)
    words = {word.removeprefix("<rootDir>/").removeprefix("./") for word in _FILE.findall(said)}
    places = (posixpath.normpath(posixpath.join(folder, word.lstrip("/"))) for word in words)
    found: set[str] = set()
    named = (resolved(tree, "", f"./{place}") for place in places)
    left = {file for file in named if file.endswith(JAVASCRIPT)} | _by_name(by_name, folder, words)
    if path in tree and path.endswith(JAVASCRIPT):
        left.add(path)
    for _ in range(_MAX_DEPTH):
        found |= left
        wanted = {
            resolved(tree, file, module)
            for file in left
            for module in modules(tree[file].content.decode("utf-8", "replace"))
        }
        left = {file for file in wanted if file.endswith(JAVASCRIPT)} - found
    return found


def _places(tree: Tree) -> dict[str, list[str]]:
    """Return name → files of that name."""
    found: dict[str, list[str]] = {}
    for file in tree:
        if file.endswith(JAVASCRIPT) and "node_modules/" not in file:
            found.setdefault(file.rpartition("/")[2], []).append(file)
    return found


def _by_name(by_name: Mapping[str, list[str]], folder: str, words: set[str]) -> set[str]:
    """Return the files whose path is put together (`join(__dirname, "test", "setup.js")`), by their names."""
    names = {word for word in words if "/" not in word and word.endswith(JAVASCRIPT)}
    begin = f"{folder}/" if folder else ""
    return {file for name in names for file in by_name.get(name, ()) if file.startswith(begin)}


def _replacing(
    tree: Tree, path: str, is_product: Callable[[str], bool], names: set[str]
) -> set[tuple[str, str]]:
    """Return what a file that is loaded before the tests replaces, each with the text that does it."""
    text = tree[path].content.decode("utf-8", "replace")
    around = outside(text, frozenset())
    has_tests = around != text
    text = around

    def is_own(module: str) -> bool:
        file = resolved(tree, path, module)
        return bool(file and is_product(file)) or module.partition("/")[0] in names

    taken = {n: s for n, s in imports(text).items() if is_own(s.module) or _ASSERTS.fullmatch(s.module)}
    found = {(name, _line(text, start)) for start, name in replaced(text, taken)}
    found |= {(module, module) for _, module in mocked(text) if is_own(module) and not has_tests}
    plain = bare(text)
    for pattern in (_GLOBAL, _MATCHERS, _LOADER, _AGAIN):
        found |= {(_word(match), "".join(match[0].split())) for match in pattern.finditer(plain)}
    return found


def _word(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group), "a test that failed")


def _line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return "".join(text[text.rfind("\n", 0, start) + 1 : end if end >= 0 else len(text)].split())


def _own_names(tree: Tree) -> set[str]:
    """Return the names by which the packages of a tree import one another."""
    found = set()
    for path, file in tree.items():
        if path.rpartition("/")[2] == "package.json" and "node_modules/" not in path:
            match = re.search(rb'"name"\s*:\s*"([^"/]+)', file.content)
            if match:
                found.add(match[1].decode("utf-8", "replace"))
    return found
