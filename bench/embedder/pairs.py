"""Training pairs from wheels: `python -m bench.embedder.pairs --wheels FOLDER --out FILE`.

A pair is a question (a first sentence, or the words of a name) and the code that answers it. Only Python
files of permissively licensed wheels are read. Every choice is a hash of project, path and line, so the same
wheels give the same file. One line a pair: `{project, kind, question, header, code}`.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import sys
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from multiprocessing import Pool
from pathlib import Path

import attrs

# Projects that measurements use, and copies of others inside a project, teach nothing.
_EXCLUDED = re.compile(r"^(pygls|jedi|litellm|pydantic|sympy|vitest|medusa|trpc)([-_.].*)?$", re.I)
_EXCLUDED_PATH = re.compile(
    r"(^|/)(pygls|jedi|litellm|pydantic|pydantic_core|sympy|vitest|medusa|trpc|_vendor|vendor|vendored"
    r"|third[-_]?party|node_modules|dist|external|extern|externals)/",
    re.I,
)
_REFUSED = re.compile(r"GPL|MPL|Mozilla|EPL|Proprietary|EULA|NVIDIA|Other/|Commons|CDDL|SSPL|BUSL", re.I)
_ACCEPTED = re.compile(r"MIT|BSD|Apache|PSF|Python Software|ISC|Unlicense|zlib|HPND|0BSD|CC0|Zope", re.I)
_NO_SENTENCE = re.compile(
    r"\W*(todo|noqa|type:|pragma|copyright|licen[sc]ed?|see |deprecated|@|-\*-|auto-?generated|override)",
    re.I,
)
_COMMENT = re.compile(r"\s*#\s?")
_HELD_OUT = 20
"""One project in so many is kept for validation."""
_MAX_PAIRS = 3500
_MAX_BYTES = 2_500_000
_CONTEXT_LINES = 14


@attrs.frozen
class Pair:
    """A question and its answer."""

    project: str
    kind: str
    question: str
    header: str
    code: str


def number(*parts: object) -> int:
    """Return a hash of the parts as a number."""
    data = "\0".join(map(str, parts)).encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big")


def is_held_out(project: str) -> bool:
    """Return whether a project is kept for validation."""
    return number("hold", project.lower()) % _HELD_OUT == 0


def pairs_of(project: str, path: str, source: str) -> Iterator[Pair]:
    """Return the pairs of one Python file."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = source.split("\n")
    is_test = bool(re.search(r"(^|/)tests?(/|_)|test_", path))
    question = sentence(ast.get_docstring(tree) or "")
    if question and not is_test:
        yield Pair(project, "module", question, f"# {path}", _code(lines[tree.body[0].end_lineno or 1 :]))
    yield from _definitions(project, path, lines, tree, "", is_test)
    if not is_test:
        yield from _comments(project, path, lines)


def _definitions(
    project: str, path: str, lines: Sequence[str], parent: ast.AST, prefix: str, is_test: bool
) -> Iterator[Pair]:
    for node in ast.iter_child_nodes(parent):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        choice = number(project, path, node.lineno)
        qualified = prefix + node.name
        docstring = ast.get_docstring(node)
        if docstring and not (is_test and choice % 4):
            yield from _documented(project, path, lines, node, qualified, docstring)
        elif not docstring and not isinstance(node, ast.ClassDef):
            yield from _named(project, path, lines, node, prefix, is_test)
        yield from _definitions(project, path, lines, node, f"{qualified}.", is_test)


def _documented(
    project: str,
    path: str,
    lines: Sequence[str],
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    qualified: str,
    docstring: str,
) -> Iterator[Pair]:
    question = sentence(docstring)
    if not question:
        return
    text = node.body[0]
    rest = ""
    if number(project, path, node.lineno) % 2 and not is_held_out(project):
        # Half of the answers keep what the docstring says after the sentence that is asked.
        rest = docstring.replace(question, "", 1) if question in docstring else docstring.partition("\n")[2]
    kept = [rest.strip()[:600]] if rest.strip() else []
    code = [*lines[_first(node) : text.lineno - 1], *kept, *lines[text.end_lineno or 0 : node.end_lineno]]
    if sum(bool(line.strip()) for line in code) >= 3:
        kind = "class" if isinstance(node, ast.ClassDef) else "doc"
        yield Pair(project, kind, question, f"# {path} {qualified}", _code(code))


def _named(
    project: str,
    path: str,
    lines: Sequence[str],
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    prefix: str,
    is_test: bool,
) -> Iterator[Pair]:
    """Ask for a function without a docstring by the words of its name, which its code then lacks."""
    first, last = _first(node), node.end_lineno or 0
    words = _words(re.sub("^test_?", "", node.name))
    enough = len(_words(node.name).split()) >= (4 if is_test else 2) and last - first >= 5
    if enough and number(project, path, node.lineno) % (6 if is_test else 3) == 0:
        code = _code(lines[first:last]).replace(node.name, "f")
        yield Pair(project, "test" if is_test else "name", words, f"# {path} {prefix}", code)


def _comments(project: str, path: str, lines: Sequence[str]) -> Iterator[Pair]:
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and _COMMENT.match(lines[end]):
            end += 1
        if 3 < start < end <= start + 6 and number(project, path, "c", start) % 3 == 0:
            question = sentence("\n".join(_COMMENT.sub("", line, count=1) for line in lines[start:end]))
            if question and len(question.split()) >= 5 and not re.search(r"[=(){};]", question):
                around = lines[max(0, start - 80) : start]
                holder = [x for x in reversed(around) if re.match(r"\s*(async )?(def|class)\b", x)][:1]
                code = [*holder, *lines[max(0, start - 4) : start], *lines[end : end + _CONTEXT_LINES]]
                yield Pair(project, "comment", question, f"# {path}", _code(code))
        start = max(end, start + 1)


def sentence(text: str) -> str:
    """Return the first sentence of a docstring or comment, or nothing where it says nothing."""
    text = re.sub(r":\w+:`~?([^`]*)`", r"\1", text)
    text = re.sub(r"<[^>]{1,40}>", " ", text)
    ends = r"\n\s*\n|\n\s*[@:]\w|\n\s*(?:Args|Parameters|Returns|Examples?)\b"
    text = " ".join(re.split(ends, text.strip(), maxsplit=1)[0].replace("`", "").split())
    match = re.match(r"(.{15,300}?[.!?])(\s|$)", text)
    text = (match[1] if match else text)[:300]
    is_prose = len(re.findall(r"[A-Za-z]{2,}", text)) >= 3 and sum(ord(c) > 127 for c in text) <= 3
    return text if is_prose and not _NO_SENTENCE.match(text) else ""


def pairs_of_wheel(path: Path) -> list[Pair]:
    """Return a wheel's pairs; none where its licence is not permissive or it is excluded."""
    try:
        with zipfile.ZipFile(path) as wheel:
            name = next(n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
            head = wheel.read(name).decode("utf-8", "replace").partition("\n\n")[0]
            project = re.findall(r"^Name: (.*)", head, re.M)[0].strip()
            licence = " ".join(
                re.findall(r"^(?:License(?:-Expression)?|Classifier: License)\b.*", head, re.M)
            )
            if _EXCLUDED.match(project) or _REFUSED.search(licence) or not _ACCEPTED.search(licence):
                return []
            return _chosen(pair for file, text in _sources(wheel) for pair in pairs_of(project, file, text))
    except (OSError, zipfile.BadZipFile, StopIteration, IndexError) as error:
        print(f"{path.name}: {error!r}", file=sys.stderr)
        return []


def _sources(wheel: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    files = [
        info
        for info in wheel.infolist()
        if info.filename.endswith(".py")
        and 300 < info.file_size < 150_000
        and not _EXCLUDED_PATH.search(info.filename)
    ]
    total = 0
    for info in sorted(files, key=lambda info: number(info.filename)):
        total += info.file_size
        if total > _MAX_BYTES:
            return
        try:
            yield info.filename, wheel.read(info).decode("utf-8")
        except UnicodeDecodeError:
            continue


def _chosen(pairs: Iterable[Pair]) -> list[Pair]:
    """Keep at most so many pairs of a project, documented ones first, none twice."""
    documented = ("doc", "class", "module")
    seen = set()
    chosen = []
    for pair in sorted(pairs, key=lambda p: (p.kind not in documented, number(p.question, p.header))):
        key = (pair.question, pair.code[:300])
        if key not in seen and len(pair.code) >= 40:
            seen.add(key)
            chosen.append(pair)
    return chosen[:_MAX_PAIRS]


def _first(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1


def _code(lines: Sequence[str]) -> str:
    return "\n".join(lines[:60])[:2600].rstrip()


def _words(name: str) -> str:
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return re.sub(r"[^A-Za-z0-9]+", " ", spaced).lower().strip()


def main() -> None:
    """Write the pairs of a folder of wheels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheels", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    wheels = sorted(arguments.wheels.glob("*.whl"), key=lambda path: number(path.name))
    n_pairs = 0
    with Pool(arguments.jobs) as pool, arguments.out.open("w") as out:
        for pairs in pool.imap(pairs_of_wheel, wheels):
            n_pairs += len(pairs)
            out.writelines(f"{json.dumps(attrs.asdict(pair))}\n" for pair in pairs)
    print(f"{n_pairs} pairs of {len(wheels)} wheels")


if __name__ == "__main__":
    main()
