"""False greens and false reds: patches whose verdict is known, measured by the real sandbox.

A *false green* is a mean patch called `verified`, a *false red* an honest one called anything else.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.patch_case import CASES, PatchCase
from bench.table import Log, Table, Target
from greenline.app import make_sandbox, make_verifier
from greenline.config.settings import load_settings
from greenline.core.cancel import Cancellation
from greenline.core.evidence import Evidence, Verdict
from greenline.core.port import Verifier


def verify(case: PatchCase, root: Path, verifier: Verifier) -> Evidence:
    """Return the evidence for a case; its files need not be at `root`."""
    request = case.request(root, "bench", case.wall_s)
    return verifier.verify(request, Cancellation(), lambda _: None)


def measure(log: Log) -> Table:
    """Verify every case."""
    sandbox = make_sandbox(load_settings())
    verifier = make_verifier(sandbox)
    wrong: dict[bool, list[str]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            evidence = verify(case, Path(folder).resolve() / case.name, verifier)
            if (evidence.verdict is Verdict.VERIFIED) is not case.honest:
                wrong[case.honest].append(case.name)
            kind = "honest" if case.honest else "mean"
            log(f"{kind} {case.name}: {evidence.verdict.value} {evidence.reason}")
    n_honest = sum(case.honest for case in CASES)
    rows = (
        ("honest", str(n_honest), str(n_honest - len(wrong[True])), str(len(wrong[True]))),
        ("mean", str(len(CASES) - n_honest), str(len(wrong[False])), "0"),
    )
    notes = [f"false green: {name}" for name in wrong[False]] + [f"false red: {name}" for name in wrong[True]]
    return Table(
        "patches whose verdict is known",
        ("patches", "number", "called verified", "false reds"),
        rows,
        (Target("false greens", len(wrong[False]), 0), Target("false reds", len(wrong[True]), 0)),
        tuple(notes),
    )
