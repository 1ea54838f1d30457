"""Queries with their truth, derived when they are asked for: from a repository's history, from docstrings, or
from a file of annotated questions. None is stored in the project."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

SOURCE = frozenset(
    [
        ".py",
        ".pyi",
        ".ts",
        ".tsx",
        ".js",
        ".jsx",
        ".mjs",
        ".cjs",
        ".mts",
        ".cts",
        ".vue",
        ".go",
        ".rs",
        ".java",
        ".rb",
        ".php",
        ".cs",
        ".c",
        ".h",
        ".cc",
        ".cpp",
        ".hpp",
        ".kt",
        ".swift",
    ]
)
_NO_SOURCE = re.compile(
    r"(^|/)(tests?|__tests__|integration-tests|e2e|examples?|docs?|fixtures?|benchmarks?|bin|release|\.github"
    r"|\.changeset|www)(/|$)|(\.|_)(test|spec)\.|(^|/)test_|conftest\.py|\.d\.ts$"
    r"|(^|/)(setup\.py|release\.py|version\.py|_version\.py)$"
)
_SKIPPED = re.compile(
    r"^(merge|revert|bump|chore|docs?|ci|release|build|style|typo|tests?|prepare|version|lint|run |format"
    r"|update (dependenc|deps|lock|people|mailmap|authors))\b|\bversion packages\b"
    r"|mailmap|changelog|pre-commit"
    r"|\btypos?\b",
    re.I,
)
_MAX_TRUTH = 4
_MIN_WORDS = 4
MAX_QUERIES = 100


@attrs.frozen
class Asked:
    """A query and the files that answer it."""

    text: str
    truth: tuple[str, ...]
    names_file: bool = False
    """Whether the query holds the name of a file that answers it."""


@attrs.frozen
class QuerySet:
    """A tree to index, and what is asked of it."""

    name: str
    kind: str
    """`commits`, `docstrings` or `questions`."""
    root: Path
    asked: tuple[Asked, ...]


def from_commits(checkout: Path, workdir: Path, n_commits: int = 400) -> QuerySet:
    """Write the tree and the history before the newest `n_commits`, and ask for what those commits touched.

    The index sees the parent of the oldest of them and nothing later; files made since are no part of any
    truth. Commits of tests, documents and releases are left out.
    """
    log = _git(checkout, "rev-list", "--first-parent", f"-n{n_commits + 1}", "HEAD").split()
    base = log[-1]
    known = set(_git(checkout, "ls-tree", "-r", "--name-only", base).split("\n"))
    asked: dict[str, Asked] = {}
    for subject, changes in _commits(checkout, base):
        text = re.sub(r"^(?:[a-zA-Z]+(?:\([^)]*\))?!?:|[\w./]+:)\s*", "", subject).replace("`", "")
        truth = _truth(changes, known)
        if truth and len(re.findall(r"[A-Za-z]{2,}", text)) >= _MIN_WORDS:
            words = set(re.findall(r"[a-z0-9_.-]+", text.lower()))
            named = any(Path(path).stem.lower() in words for path in truth)
            asked.setdefault(text.lower(), Asked(text, truth, named))
    chosen = sorted(asked.values(), key=lambda query: _hash(query.text))[:MAX_QUERIES]
    root = workdir / f"{_name(checkout)}-commits"
    _write_tree(checkout, base, root)
    return QuerySet(_name(checkout), "commits", root, tuple(chosen))


def from_docstrings(package: Path, workdir: Path, n_queries: int = 2 * MAX_QUERIES) -> QuerySet:
    """Copy a package without the docstrings that are asked for, and ask for each one's first sentence."""
    root = workdir / f"{package.resolve().name}-docstrings"
    found = [item for path in sorted(package.rglob("*.py")) for item in _docstrings(package, path)]
    found.sort(key=lambda item: _hash(item[0]))
    texts = [sentence for sentence, *_ in found]
    chosen = [item for item in found if texts.count(item[0]) == 1][:n_queries]
    cuts: dict[str, list[tuple[int, int]]] = {}
    for _, path, first, last in chosen:
        cuts.setdefault(path, []).append((first, last))
    for source in sorted(package.rglob("*.py")):
        relative = source.relative_to(package).as_posix()
        lines = source.read_text("utf-8", "replace").split("\n")
        for first, last in cuts.get(relative, ()):
            lines[first - 1 : last] = ["pass  #"] + [""] * (last - first)
        target = root / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(_indented(lines)))
    asked = tuple(Asked(sentence, (path,)) for sentence, path, *_ in chosen)
    return QuerySet(package.resolve().name, "docstrings", root, asked)


def from_questions(annotations: Path, root: Path) -> QuerySet:
    """Read annotated questions: a list of `{query, relevant, secondary}`, paths relative to the checkout of
    which `root` may be a folder."""
    asked = []
    for item in json.loads(annotations.read_text()):
        paths = [_path(entry) for entry in [*item["relevant"], *item["secondary"]]]
        truth = {known for path in paths if (known := _inside(root, path))}
        asked.append(Asked(item["query"], tuple(sorted(truth))))
    return QuerySet(annotations.stem, "questions", root, tuple(query for query in asked if query.truth))


def source_files(root: Path) -> list[str]:
    """Return the source files below a root, by path."""
    return sorted(
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.suffix in SOURCE and path.is_file() and ".git" not in path.relative_to(root).parts
    )


def _commits(checkout: Path, base: str) -> Iterator[tuple[str, list[list[str]]]]:
    log = _git(checkout, "log", "--no-merges", "--format=%x01%s%x02", "--name-status", "-M", f"{base}..HEAD")
    for piece in log.split("\x01")[1:]:
        subject, _, files = piece.partition("\x02")
        subject = re.sub(r"\s*\(#\d+\)\s*$", "", subject.strip())
        if not _SKIPPED.search(subject):
            yield subject, [line.split("\t") for line in files.split("\n") if line]


def _truth(changes: Sequence[Sequence[str]], known: set[str]) -> tuple[str, ...]:
    truth = []
    for status, *paths in changes:
        path = paths[-1]
        if _NO_SOURCE.search(path) or Path(path).suffix not in SOURCE:
            continue
        if status != "M" or path not in known:
            # A new or moved file could not be found, so the commit says nothing about finding.
            return ()
        truth.append(path)
    return tuple(truth) if len(truth) <= _MAX_TRUTH else ()


def _write_tree(checkout: Path, base: str, root: Path) -> None:
    """Make a repository whose newest commit is `base`, with the objects of the other one."""
    objects = Path(_git(checkout, "rev-parse", "--path-format=absolute", "--git-path", "objects").strip())
    root.mkdir(parents=True)
    _git(root, "init", "-q")
    (root / ".git/objects/info/alternates").write_text(f"{objects}\n")
    _git(root, "update-ref", "--no-deref", "HEAD", base)
    _git(root, "read-tree", base)
    # A partial copy of a repository may lack some objects: what cannot be had is left out.
    subprocess.run(["git", "checkout-index", "-a", "-q", "-f"], cwd=root, check=False, capture_output=True)


def _docstrings(package: Path, path: Path) -> Iterator[tuple[str, str, int, int]]:
    relative = path.relative_to(package).as_posix()
    if _NO_SOURCE.search(relative):
        return
    try:
        tree = ast.parse(path.read_text("utf-8"))
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or len(node.body) < 2:
            continue
        docstring = ast.get_docstring(node)
        sentence = re.split(r"(?<=[.!?])\s|\n\s*\n", (docstring or "").strip())[0]
        sentence = " ".join(sentence.replace("`", "").split())
        # A docstring that names its function asks for a name, and not for what it does.
        if len(re.findall(r"[A-Za-z]{2,}", sentence)) >= _MIN_WORDS and node.name not in sentence:
            yield sentence, relative, node.body[0].lineno, node.body[0].end_lineno or node.body[0].lineno


def _indented(lines: Sequence[str]) -> Iterator[str]:
    """Give the marks that stand for a docstring the indent of the line that follows them."""
    following = ""
    found = []
    for line in reversed(lines):
        if line == "pass  #":
            line = following + "pass"
        elif line.strip():
            following = line[: len(line) - len(line.lstrip())]
        found.append(line)
    return reversed(found)


def _name(checkout: Path) -> str:
    """Return a repository's name, also where only its git folder is given."""
    path = checkout.resolve()
    return path.parent.name if path.name in ("repo", ".git") else path.name


def _path(entry: Any) -> str:
    return str(entry["path"] if isinstance(entry, dict) else entry)


def _inside(root: Path, path: str) -> str:
    parts = path.split("/")
    for start in range(len(parts)):
        relative = "/".join(parts[start:])
        if (root / relative).is_file():
            return relative
    return ""


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")
