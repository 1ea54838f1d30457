"""Every searcher on every set of queries, each in a process of its own; what both tables are made from.

Paths come from the environment, several separated as in PATH:
`GREENLINE_BENCH_REPOS` git checkouts, `GREENLINE_BENCH_PACKAGES` folders of Python source,
`GREENLINE_BENCH_QUESTIONS` annotated questions as `FILE=ROOT`, `GREENLINE_BENCH_PEERS` the Python of an
environment with semble and bm25s, `GREENLINE_BENCH_SEMBLE_MODEL` the folder of semble's weights.
Without any, this repository and two installed packages are asked.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import attrs

from bench.retrieval_score import ndcg
from bench.retrieval_set import QuerySet, from_commits, from_docstrings, from_questions, source_files
from bench.table import Log

OURS, OURS_BM25, OURS_NEW = "greenline", "greenline without vectors", "greenline without history"
_OWN = {OURS: (), OURS_BM25: ("vectors",), OURS_NEW: ("history",)}
_PEERS = ("semble", "semble raw BM25", "FTS5 on windows", "bm25s", "ripgrep idf")
_HERE = Path(__file__).resolve().parent
_TIMEOUT_S = 3600


@attrs.frozen
class Answer:
    """What one searcher did with one set."""

    scores: tuple[float, ...]
    """NDCG@10 of each query."""
    index_cpu_s: float
    update_s: float
    query_ms: tuple[float, ...]
    query_cpu_ms: tuple[float, ...]
    memory_mb: float
    index_mb: float = 0.0
    source_mb: float = 0.0


@attrs.frozen
class Outcome:
    """What all searchers did with one set."""

    asked: QuerySet
    n_files: int
    answers: dict[str, Answer]


_known: list[Outcome] = []


def outcomes(log: Log) -> list[Outcome]:
    """Run everything, once a process: both tables read the same run."""
    if not _known:
        with tempfile.TemporaryDirectory() as folder:
            for asked in _sets(Path(folder)):
                log(f"{asked.name}: {len(asked.asked)} {asked.kind}")
                _known.append(_ask_all(asked, log))
    return _known


def _ask_all(asked: QuerySet, log: Log) -> Outcome:
    files = source_files(asked.root)
    truth = sorted({path for query in asked.asked for path in query.truth})
    request = {
        "root": str(asked.root),
        "files": files,
        "queries": [query.text for query in asked.asked],
        "touch": truth[len(truth) // 2] if truth else "",
        "model": os.environ.get("GREENLINE_BENCH_SEMBLE_MODEL", ""),
    }
    answers = {}
    for name, without in _OWN.items():
        if name != OURS_NEW or asked.kind == "commits":
            argv = [sys.executable, "-m", "bench.retrieval_ours", *without]
            answers[name] = _run(argv, request, asked)
    for name in _PEERS:
        python = _python_of(name)
        if python:
            log(f"  {name}")
            answers[name] = _run([python, str(_HERE / "retrieval_peer.py"), name], request, asked)
    return Outcome(asked, len(files), answers)


def _run(argv: list[str], request: dict[str, object], asked: QuerySet) -> Answer:
    done = subprocess.run(
        argv,
        input=json.dumps(request),
        cwd=_HERE.parent,
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv[1:])} failed: {done.stderr[-500:]}")
    answer = json.loads(done.stdout.rstrip().rpartition("\n")[2])
    scores = (ndcg(ranked, q.truth) for ranked, q in zip(answer["ranked"], asked.asked, strict=True))
    return Answer(
        tuple(scores),
        answer["indexCpuS"],
        answer["updateS"],
        tuple(answer["queryMs"]),
        tuple(answer["queryCpuMs"]),
        answer["memoryMb"],
        answer.get("indexMb", 0.0),
        answer.get("sourceMb", 0.0),
    )


def _python_of(peer: str) -> str:
    """Return the interpreter that has what a peer needs, or nothing."""
    if peer.startswith(("semble", "bm25s")):
        return os.environ.get("GREENLINE_BENCH_PEERS", "")
    if peer.startswith("ripgrep") and not shutil.which("rg"):
        return ""
    return sys.executable


def _sets(workdir: Path) -> Iterator[QuerySet]:
    repositories, packages, questions = (
        [item for item in os.environ.get(f"GREENLINE_BENCH_{name}", "").split(os.pathsep) if item]
        for name in ("REPOS", "PACKAGES", "QUESTIONS")
    )
    if not (repositories or packages or questions):
        repositories = [str(_HERE.parent)]
        packages = [str(_installed("rich")), str(_installed("hypothesis"))]
    for item in repositories:
        yield from_commits(Path(item), workdir)
    for item in packages:
        yield from_docstrings(Path(item), workdir)
    for item in questions:
        annotations, _, root = item.partition("=")
        yield from_questions(Path(annotations), Path(root))


def _installed(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise RuntimeError(f"the package {name} is not installed")
    return Path(found.origin).parent
