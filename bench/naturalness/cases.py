"""Cases to learn from: published code with one fault put in, the edit that takes it back, and others.

`python -m bench.naturalness.cases --code FOLDER… --out cases.jsonl` reads the Python packages below the
folders, a folder directly below each being a package. Faults and other edits are made by the repair engine's
own operators, so that what is learned is what it has to tell apart; each line of the output is
`{"package": …, "text": …, "fault": …, "edits": [[start, end, replacement, operator], …]}`, the first edit
being the one that takes the fault back (its operator is empty), places counted in characters.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from greenline.mutation.operator import OPERATORS, edits_of
from greenline.mutation.source import Candidate, Source

_MAX_OF_A_PACKAGE = 80
_SIZES = range(1500, 90_000)
_CHUNK = 4500
_LONGEST = 9000
_CHUNKS_OF_A_FILE = 3
_FAULTS_OF_A_CHUNK = 3
_EDITS = 16
_LINES = 8
_OFTEN = {
    "removed statement": 3,
    "call left out": 3,
    "operand": 3,
    "element left out": 3,
    "condition left out": 3,
    "conversion left out": 3,
    "comparison": 2,
    "constant": 2,
    "off by one": 2,
    "variable": 2,
    "attribute": 1.5,
    "exception type": 0.5,
    "conversion": 0.5,
    "missing statement": 0.5,
    "missing call": 0.5,
    "missing self": 0.3,
    "string": 0.2,
    "format": 0.2,
    "indentation": 0.2,
}
"""How often a fault of a kind is put in against the others: what people forget more than what they add."""
_Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def files(folders: Sequence[Path], rng: random.Random) -> list[tuple[str, Path]]:
    """Return (package, file) in random order: not too many of a package, no tests, nothing generated."""
    by_package: dict[str, list[Path]] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).parts
            if any(part.startswith("test") for part in parts) or path.name.endswith("_pb2.py"):
                continue
            if path.stat().st_size in _SIZES:
                by_package.setdefault(parts[0], []).append(path)
    chosen: list[tuple[str, Path]] = []
    for package, paths in by_package.items():
        rng.shuffle(paths)
        chosen += [(package, path) for path in paths[:_MAX_OF_A_PACKAGE]]
    rng.shuffle(chosen)
    return chosen


def chunks(text: str) -> list[str]:
    """Return a file's functions and classes, some together, each as long as a small file."""
    lines, found, waiting = text.split("\n"), [], ""
    for node in ast.parse(text).body:
        if not isinstance(node, _Defined):
            continue
        first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
        own = "\n".join(lines[first - 1 : node.end_lineno]) + "\n"
        if len(own) > _LONGEST:
            continue
        if waiting and len(waiting) + len(own) > _CHUNK:
            found.append(waiting)
            waiting = ""
        waiting += "\n\n" + own if waiting else own
    return [*found, waiting] if len(waiting) > 500 else found


def cases(package: str, text: str, rng: random.Random) -> Iterator[dict[str, object]]:
    """Yield the cases of one chunk, plain ASCII so that places are those of its bytes."""
    source = Source("m.py", text.encode("ascii"))
    spans = [(n.lineno, n.end_lineno or n.lineno) for n in ast.walk(source.tree) if isinstance(n, _Function)]
    lines = sorted({line for first, last in spans for line in range(first, last + 1)})
    if len(lines) < _LINES:
        return
    faults = _by_operator(source, set(rng.sample(lines, _LINES)))
    for _ in range(_FAULTS_OF_A_CHUNK if faults else 0):
        kind = rng.choices(list(faults), [_OFTEN.get(name, 1.0) for name in faults])[0]
        fault = rng.choice(faults[kind])
        if source.takes(fault):
            faulty = source.apply(fault)
            end = fault.start + len(fault.replacement)
            back = (fault.start, end, text[fault.start : fault.end], "")
            others = list(_others(faulty, text.encode(), fault, rng.sample(lines, 2), rng))
            if len(others) > 2:
                yield {"package": package, "text": faulty.decode(), "fault": kind, "edits": [back, *others]}


def _others(
    faulty: bytes, sound: bytes, fault: Candidate, lines: list[int], rng: random.Random
) -> Iterator[tuple[int, int, str, str]]:
    """Yield other edits near the fault and elsewhere, drawn evenly over the operators."""
    source = Source("m.py", faulty)
    at = source.line_of(fault.start)
    drawn = []
    for found in _by_operator(source, {at - 1, at, at + 1, *lines}).values():
        drawn += rng.sample(found, min(2, len(found)))
    rng.shuffle(drawn)
    n_made = 0
    for edit in drawn:
        if n_made < _EDITS and source.takes(edit) and source.apply(edit) != sound:
            n_made += 1
            yield edit.start, edit.end, edit.replacement.decode(), edit.operator


def _by_operator(source: Source, lines: set[int]) -> dict[str, list[Candidate]]:
    found: dict[str, dict[tuple[int, int, bytes], Candidate]] = {}
    for node in source.expressions(lines):
        for operator in OPERATORS:
            for edit in edits_of(operator, source, node):
                found.setdefault(edit.operator, {})[edit.start, edit.end, edit.replacement] = edit
    return {name: list(edits.values()) for name, edits in found.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write cases until there are enough; return 0."""
    parser = argparse.ArgumentParser(prog="python -m bench.naturalness.cases", description=__doc__)
    parser.add_argument("--code", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--number", type=int, default=25_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    rng, n_made = random.Random(options.seed), 0
    with options.out.open("w", encoding="ascii") as out:
        for package, path in files(options.code, rng):
            try:
                found = chunks(path.read_text("ascii"))
            except (SyntaxError, UnicodeDecodeError, ValueError, RecursionError):
                continue
            for chunk in rng.sample(found, min(_CHUNKS_OF_A_FILE, len(found))):
                if "\t" not in chunk and "\r" not in chunk:
                    for case in cases(package, chunk, rng):
                        out.write(json.dumps(case) + "\n")
                        n_made += 1
            if n_made >= options.number:
                break
    print(f"{n_made} cases")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
