"""Repair rate: faulty programs whose kept tests judge what the engine proposes.

Each folder of the collection holds `program.py`, `test_visible.py` (all the tests that the engine sees),
`test_kept.py` (which judge its fix and which it never sees) and `meta.json`. A proposal is *right* where the
kept tests pass on it and on every fix that the engine calls just as good, and *wrong* otherwise; no proposal
is *none*.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import attrs

from bench.table import Log, Table, Target, load, median
from greenline.app import make_sandbox, make_verifier
from greenline.config.settings import load_settings
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet
from greenline.core.error import SandboxUnavailable
from greenline.core.evidence import RunEnd
from greenline.core.port import Sandbox, StagedFile, Tree, Verifier
from greenline.edit.hunk import diff_text
from greenline.repair.engine import RepairEngine
from greenline.verify.hunk_coverage import hunks_of
from greenline.verify.tree import apply

COLLECTION = Path(__file__).parent / "faulty"
BUDGET_S = 60.0
TARGETS = "targets: 45 of 60 repairable right, at most 2 of 75 wrong, within 60 s each on two cores"
_ROOT = "/tmp/faulty"
_KEPT = "test_kept.py"
_NOT_STAGED = {_KEPT, "reference.py", "meta.json"}


@attrs.frozen
class Outcome:
    """What the engine made of one program."""

    name: str
    repairable: bool
    kinds: tuple[str, ...]
    result: str
    """`right`, `wrong` or `none`."""
    seconds: float
    note: str
    diffs: tuple[str, ...]
    """Of the proposal, and of each fix that was shown as just as likely: more than one is a choice."""


def attempt(folder: Path, sandbox: Sandbox, verifier: Verifier) -> Outcome:
    """Let the engine repair one program, and the kept tests judge it."""
    meta = json.loads((folder / "meta.json").read_text())
    tree: Tree = {
        path.relative_to(folder).as_posix(): StagedFile(path.read_bytes())
        for path in sorted(folder.rglob("*.py"))
        if path.name not in _NOT_STAGED and "reference" not in path.relative_to(folder).parts
    }
    started = time.monotonic()
    engine = RepairEngine(sandbox, verifier, hunks_of, BUDGET_S)
    cancellation = Cancellation()
    diagnosis = engine.diagnose(_ROOT, tree, (), "bench", cancellation)
    if diagnosis.report.end is RunEnd.UNAVAILABLE:
        # None of the programs would be mended for a reason that is not the engine's.
        raise SandboxUnavailable(diagnosis.report.detail)
    result = engine.repair(_ROOT, tree, diagnosis, "bench", cancellation, lambda _: None)
    seconds = time.monotonic() - started
    proposed = [] if result.edit_set is None else [result.edit_set, *result.ties]
    kept = StagedFile((folder / _KEPT).read_bytes())
    passed = [_passes(verifier, apply(_ROOT, tree, edit_set), kept) for edit_set in proposed]
    return Outcome(
        folder.name,
        meta["class"] == "repairable",
        tuple(meta["kinds"]),
        "none" if not passed else "right" if all(passed) else "wrong",
        round(seconds, 1),
        result.note,
        tuple(_diff(edit_set) for edit_set in proposed),
    )


def _passes(verifier: Verifier, tree: Tree, kept: StagedFile) -> bool:
    report = verifier.run_tests(_ROOT, {**tree, _KEPT: kept}, (_KEPT,), "bench", Cancellation())
    return (
        report.end is RunEnd.COMPLETE
        and bool(report.tests)
        and all(test.outcome.value == "passed" for test in report.tests)
    )


def _diff(edit_set: EditSet) -> str:
    return "".join(
        diff_text(Path(c.path).name, (c.before or b"").decode(), (c.after or b"").decode())
        for c in edit_set.changes
    )


def table(outcomes: Sequence[Outcome]) -> str:
    """Return the rates, and every program that was not put right."""
    lines = []
    for title, wanted in (("repairable", True), ("beyond", False)):
        group = [o for o in outcomes if o.repairable is wanted]
        count = Counter(o.result for o in group)
        figures = ", ".join(f"{count[name]} {name}" for name in ("right", "wrong", "none"))
        n_choices = sum(len(o.diffs) > 1 for o in group)
        lines.append(f"{title:12}{len(group):4} programs: {figures}; {n_choices} shown as a choice")
    seconds = sorted(o.seconds for o in outcomes) or [0.0]
    median, late = seconds[len(seconds) // 2], seconds[int(0.95 * (len(seconds) - 1))]
    lines.append(f"seconds: median {median:.0f}, p95 {late:.0f}, longest {seconds[-1]:.0f}")
    kinds = Counter(k for o in outcomes if o.repairable for k in o.kinds)
    right = Counter(k for o in outcomes if o.repairable and o.result == "right" for k in o.kinds)
    lines += [f"  {right[kind]}/{n} {kind}" for kind, n in sorted(kinds.items()) if right[kind] < n]
    return "\n".join([TARGETS, *lines])


def measure(log: Log) -> Table:
    """Run the whole collection."""
    sandbox = make_sandbox(load_settings())
    verifier = make_verifier(sandbox)
    outcomes = []
    for folder in sorted(COLLECTION.iterdir()):
        if (folder / "meta.json").exists():
            outcome = attempt(folder, sandbox, verifier)
            outcomes.append(outcome)
            log(f"{outcome.result:5} {outcome.seconds:5.1f} s  {outcome.name}: {outcome.note}")
    rows = []
    for title, wanted in (("repairable", True), ("beyond", False)):
        group = Counter(o.result for o in outcomes if o.repairable is wanted)
        rows.append((title, *(str(group[name]) for name in ("right", "wrong", "none"))))
    seconds = sorted(o.seconds for o in outcomes) or [0.0]
    late = seconds[int(0.95 * (len(seconds) - 1))]
    wrong = ", ".join(o.name for o in outcomes if o.result == "wrong") or "none"
    missed = sum(o.repairable and o.result != "right" for o in outcomes)
    return Table(
        "repair",
        ("programs", "right", "wrong", "none"),
        tuple(rows),
        (
            Target("repairable programs that were not put right", missed, 15),
            Target("wrong fixes", sum(o.result == "wrong" for o in outcomes), 2),
            Target("the slowest", seconds[-1], BUDGET_S, "s"),
        ),
        (
            f"seconds a repair: median {median(seconds):.0f}, p95 {late:.0f}",
            f"wrong: {wrong}; {sum(len(o.diffs) > 1 for o in outcomes)} shown as a choice",
            f"load average {load()}",
        ),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the collection (or another one) and print each program as it ends; return 0."""
    parser = argparse.ArgumentParser(prog="python -m bench.repair_bench", description=__doc__)
    parser.add_argument("names", nargs="*", help="only these programs")
    parser.add_argument("--collection", type=Path, default=COLLECTION)
    parser.add_argument("--json", type=Path, help="write every outcome here")
    options = parser.parse_args(arguments)
    sandbox = make_sandbox(load_settings())
    verifier = make_verifier(sandbox)
    outcomes = []
    for folder in sorted(options.collection.iterdir()):
        if (folder / "meta.json").exists() and (not options.names or folder.name in options.names):
            outcome = attempt(folder, sandbox, verifier)
            outcomes.append(outcome)
            print(f"{outcome.result:6}{outcome.seconds:6.1f} s  {outcome.name}: {outcome.note}", flush=True)
    print(table(outcomes))
    if options.json:
        options.json.write_text(json.dumps([attrs.asdict(o) for o in outcomes], indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
