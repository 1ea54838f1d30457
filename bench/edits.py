"""Print the table "edits": how often appliers do what a mutated diff means, beside git and patch.

`python -m bench.edits [--seed N] [--cases N] [--show]`; `--show` prints what the applier got wrong.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from bench.edits_case import Case, Tree
from bench.edits_mix import block_cases, cases
from greenline.core.error import EditRejected, InvalidInput, OutsideWorkspace
from greenline.edit.apply import edit_set_from_diff, edit_set_from_text
from greenline.edit.staging import Staging
from greenline.workspace.snapshot import Snapshot

Apply = Callable[[Path, str], bool]
"""Applies an edit to a folder; returns whether it says that it did."""
_OUTCOMES = ("right", "refused", "wrong", "partial")


@attrs.define
class Score:
    """What one applier did with all cases."""

    answered: Counter[str] = attrs.field(factory=Counter)
    unanswered: Counter[str] = attrs.field(factory=Counter)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    """Of this process; a program's own are not in it."""
    by_kind: dict[str, Counter[str]] = attrs.field(factory=dict)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; return 0 where the applier meets what it promises."""
    parser = argparse.ArgumentParser(prog="bench.edits")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--cases", type=int, default=1_100)
    parser.add_argument("--alone", action="store_true", help="leave out git and patch")
    parser.add_argument("--show", action="store_true", help="print the kinds, and what went wrong")
    options = parser.parse_args(argv)
    made = list(cases(options.seed, options.cases))
    appliers = {"greenline": ours} if options.alone else {"greenline": ours, **PEERS}
    n_answered = sum(case.after is not None for case in made)
    n_rest = len(made) - n_answered
    print(f"edits: {n_answered} mutated diffs with a right answer, {n_rest} without; seed {options.seed}")
    print(f"{'':26}{'with a right answer':>33} | {'without':^13} |")
    print(
        f"{'applier':26}{'right':>8}{'refused':>9}{'wrong':>7}{'partial':>9} | {'refused':>8}{'not':>5} |"
        f" {'ms a case':>9}"
    )
    scores = {name: measure_applier(apply, made) for name, apply in appliers.items()}
    for name, score in scores.items():
        print_row(name, score)
    blocks = list(block_cases(options.seed, options.cases // 4))
    print_row(f"greenline, {len(blocks)} in blocks", measure_applier(ours, blocks))
    cpu_ms = 1000 * scores["greenline"].cpu_seconds / len(made)
    print(f"greenline: {cpu_ms:.2f} ms of one core a case, reading, writing and syncing included")
    if options.show:
        for kind, counter in sorted(scores["greenline"].by_kind.items()):
            print(f"  {kind:50}", dict(counter))
    print(f"10,000 hunks over 1,000 files into an edit set: {many_hunks():.2f} s of one core")
    return 0


def print_row(name: str, score: Score) -> None:
    """Print one line of the table."""
    n_answered, n_rest = sum(score.answered.values()), sum(score.unanswered.values())
    right = 100 * score.answered["right"] / max(n_answered, 1)
    print(
        f"{name:26}{right:7.1f}%{score.answered['refused']:9}{score.answered['wrong']:7}"
        f"{score.answered['partial']:9} | {score.unanswered['refused']:8}"
        f"{n_rest - score.unanswered['refused']:5} | {1000 * score.seconds / (n_answered + n_rest):9.2f}",
        flush=True,
    )


def measure_applier(apply: Apply, made: Sequence[Case]) -> Score:
    """Run all cases in fresh folders."""
    score = Score()
    for case in made:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "root"
            folder.mkdir()
            for path, data in case.before.items():
                (folder / path).write_bytes(data)
            started, cpu_started = time.perf_counter(), time.process_time()
            claimed = apply(folder, case.edit)
            score.seconds += time.perf_counter() - started
            score.cpu_seconds += time.process_time() - cpu_started
            outcome = judge(case, {path: read(folder / path) for path in case.before}, claimed=claimed)
        (score.unanswered if case.after is None else score.answered)[outcome] += 1
        score.by_kind.setdefault(case.kind, Counter())[outcome] += 1
    return score


def judge(case: Case, found: Tree, *, claimed: bool) -> str:
    """Return what an applier did: `right`, `refused`, `wrong`, or `partial` where it failed and wrote."""
    if found == case.before and not claimed:
        return "refused"
    if case.after is not None and found == case.after and claimed:
        return "right"
    return "wrong" if claimed else "partial"


def read(path: Path) -> bytes:
    """Return a file's bytes; nothing where it is gone."""
    return path.read_bytes() if path.exists() else b""


def ours(folder: Path, edit: str) -> bool:
    """Apply as `greenline edit apply` does."""
    root = str(folder)
    try:
        changes = edit_set_from_text(edit, Staging(Snapshot((root,)).read_bytes, root)).changes
        for change in changes:
            _write(Path(change.path), change.after)
    except (EditRejected, InvalidInput, OutsideWorkspace):
        return False
    return True


def _write(path: Path, data: bytes | None) -> None:
    """Write as the peers do, without a checkpoint or a sync: the edit is measured, and not the disk."""
    if data is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _program(*command: str) -> Apply:
    def apply(folder: Path, edit: str) -> bool:
        done = subprocess.run(
            command,
            cwd=folder,
            input=edit.encode("utf-8", "surrogateescape"),
            capture_output=True,
            check=False,
        )
        return done.returncode == 0

    return apply


PEERS: dict[str, Apply] = {
    "git apply --recount": _program("git", "apply", "--recount", "-"),
    "git apply, lenient": _program("git", "apply", "--recount", "--ignore-whitespace", "-C1", "-"),
    "patch -p1": _program("patch", "-p1", "-f", "-s", "--no-backup-if-mismatch", "-r", "-"),
    "patch -l -F3": _program("patch", "-p1", "-f", "-s", "-l", "-F3", "--no-backup-if-mismatch", "-r", "-"),
}


def many_hunks() -> float:
    """Return the processor seconds of 10,000 hunks over 1,000 files into an edit set, the files in memory."""
    lines = [f"line {n}\n" for n in range(200)]
    text = "".join(lines).encode()
    hunks = "".join(
        f"@@ -{n + 1},7 +{n + 1},7 @@\n"
        + "".join(f" line {m}\n" for m in range(n, n + 3))
        + f"-line {n + 3}\n+changed {n + 3}\n"
        + "".join(f" line {m}\n" for m in range(n + 4, n + 7))
        for n in range(0, 200, 20)
    )
    diff = "".join(f"--- a/f{n}.py\n+++ b/f{n}.py\n{hunks}" for n in range(1_000))
    with tempfile.TemporaryDirectory() as root:
        started = time.process_time()
        edits = edit_set_from_diff(diff, lambda path: text if path.endswith(".py") else None, root)
        seconds = time.process_time() - started
    assert len(edits.changes) == 1_000
    return seconds


if __name__ == "__main__":
    sys.exit(main())
