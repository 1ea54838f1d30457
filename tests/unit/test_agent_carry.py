"""What is tested and kept of a change whose files are saved, pulled or removed while the run works."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from greenline.agent.agent import Agent
from greenline.agent.carry import carry_over
from greenline.agent.control import RunControl
from greenline.agent.limits import Meter
from greenline.agent.loop import verify
from greenline.agent.proof import cut
from greenline.agent.record import Recorder
from greenline.agent.reflector import Attempt
from greenline.agent.scope import Scope
from greenline.agent.services import Repair, RepairJob, Services
from greenline.core.cancel import Cancellation
from greenline.core.document import OpenDocument
from greenline.core.edit import EditSet, FileChange
from greenline.core.evidence import Evidence, Verdict
from greenline.core.port import Progress, VerifyRequest
from greenline.core.task import Plan, PlanEntry, Proposal, Task
from greenline.edit.hunk import rebase
from greenline.edit.operation import Replace
from greenline.edit.staging import Staging
from greenline.guard.gate import Gate
from greenline.journal.store import SqliteJournal
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.verify.tree import apply
from greenline.verify.verifier import SandboxVerifier
from greenline.workspace.snapshot import Snapshot

TWO = "def a(): return 1\n\n\ndef b(): return 1\n"
NO_ENGINE = DockerSandbox(SandboxSettings(docker_host="unix:///nowhere/docker.sock"))


def unused(*_: object) -> None:
    raise AssertionError("no tools are needed here")


@attrs.define(slots=False, init=False)
class Judge(SandboxVerifier):
    """Says `verified`, and keeps what it was asked to test."""

    def __init__(self) -> None:
        super().__init__(NO_ENGINE)
        self.tested: list[tuple[str, str]] = []

    def verify(self, request: VerifyRequest, cancellation: Cancellation, progress: Progress) -> Evidence:
        patched = apply(request.root, request.base, request.edit_set)
        self.tested.append((request.base["a.py"].content.decode(), patched["a.py"].content.decode()))
        return Evidence(Verdict.VERIFIED, "", "fine")


@attrs.define
class Bench:
    """A project of one file and a run in it."""

    root: Path
    journal: SqliteJournal
    judge: Judge = attrs.field(factory=Judge)

    @property
    def file(self) -> Path:
        return self.root / "a.py"

    def snapshot(self, **overlay: OpenDocument) -> Snapshot:
        return Snapshot((str(self.root),), overlay)

    def services(self, repairer: Mender | None = None) -> Services:
        mask: Callable[[str], str] = str
        return Services(self.journal, self.judge, NO_ENGINE, Gate, mask, unused, repairer=repairer)  # type: ignore[arg-type]

    def edit(self, old: str, new: str, snapshot: Snapshot | None = None) -> EditSet:
        staging = Staging((snapshot or self.snapshot()).read_bytes, str(self.root))
        staging.apply(Replace("a.py", old, new))
        return staging.edit_set()

    def verify(self, edit_set: EditSet) -> Attempt:
        task = Task("change it", (str(self.root),))
        run_id = self.journal.create_run(task).id
        recorder = Recorder(self.journal, run_id, str)
        control = RunControl(run_id, Cancellation())
        services = self.services()
        scope = Scope(services, task, self.snapshot(), control, recorder, Meter(1.0), None)  # type: ignore[arg-type]
        return verify(scope, Plan(1, ()), edit_set, "why", 1)

    def proposal(self, repairer: Mender) -> Proposal:
        agent = Agent(self.services(repairer))
        task = Task("make the failing tests pass", (str(self.root),))
        proposal = self.journal.run(agent.execute(task, self.snapshot(), Cancellation())).proposal
        assert proposal is not None
        return proposal


@attrs.define
class Mender:
    """Repairs the file, which then changes before the run has ended."""

    file: Path
    meanwhile: Callable[[Path], object]

    def plan(self, *_: object) -> Plan:
        return Plan(1, (PlanEntry(1, "fix"),))

    def repair(self, job: RepairJob) -> Repair:
        before = self.file.read_bytes()
        after = before.replace(b"a(): return 1", b"a(): return 2")
        edit_set = EditSet((FileChange(str(self.file), before, after),))
        hunks = cut(job.snapshot, edit_set, job.plan, "why")
        self.meanwhile(self.file)
        evidence = Evidence(Verdict.VERIFIED, "", "measured")
        return Repair(Attempt(edit_set, hunks, evidence, "Mended.", ("--- a\n",)), "Mended.")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    root = tmp_path / "project"
    root.mkdir()
    bench = Bench(root, SqliteJournal(tmp_path / "state" / "journal.db"))
    bench.file.write_text(TWO)
    return bench


def test_what_is_tested_is_the_text_that_would_land(bench: Bench) -> None:
    edit_set = bench.edit("def a(): return 1", "def a(): return 2")
    saved = TWO.replace("b(): return 1", "b(): return 99")
    bench.file.write_text(saved)

    attempt = bench.verify(edit_set)

    landed = saved.replace("a(): return 1", "a(): return 2")
    assert bench.judge.tested == [(saved, landed)]
    assert attempt.evidence.verdict is Verdict.VERIFIED
    (change,) = attempt.edit_set.changes
    assert (change.before, change.after) == (saved.encode(), landed.encode())


def test_a_change_whose_lines_were_changed_meanwhile_is_not_tested_and_says_so(bench: Bench) -> None:
    edit_set = bench.edit("def a(): return 1", "def a(): return 2")
    bench.file.write_text(TWO.replace("a(): return 1", "a(): return 3"))

    evidence = bench.verify(edit_set).evidence

    assert bench.judge.tested == []
    assert (evidence.verdict, evidence.reason) == (Verdict.COULD_NOT_RUN, "stale")
    assert "a.py" in evidence.detail


def test_an_open_buffer_stays_the_base_whatever_is_saved(bench: Bench) -> None:
    typed = TWO + "# typed\n"
    snapshot = bench.snapshot(**{str(bench.file): OpenDocument(str(bench.file), 3, typed)})
    edit_set = bench.edit("def a(): return 1", "def a(): return 2", snapshot)
    bench.file.write_text("saved = 1\n")

    carried = carry_over(snapshot, edit_set)

    assert (carried.edit_set, carried.lost) == (edit_set, ())


@pytest.mark.parametrize(
    ("before", "after", "now", "result"),
    [
        (None, b"new\n", b"other\n", None),
        (None, b"new\n", b"new\n", None),
        (b"old\n", None, b"older\n", None),
        (b"old\n", b"new\n", None, None),
        (b"a\nb\nc\n", b"a\nB\nc\n", "a\nb\nc\nd é\n".encode("latin-1"), "a\nB\nc\nd é\n".encode("latin-1")),
    ],
)
def test_change_is_carried_over_or_lost(
    bench: Bench, before: bytes | None, after: bytes | None, now: bytes | None, result: bytes | None
) -> None:
    bench.file.unlink()
    if now is not None:
        bench.file.write_bytes(now)

    carried = carry_over(bench.snapshot(), EditSet((FileChange(str(bench.file), before, after),)))

    if result is None:
        assert carried.lost == (str(bench.file),)
    else:
        assert carried.edit_set == EditSet((FileChange(str(bench.file), now, result),))


def test_a_change_whose_file_leads_out_of_the_folder_by_now_is_lost(bench: Bench) -> None:
    edit_set = bench.edit("def a(): return 1", "def a(): return 2")
    outside = bench.root.parent / "outside.py"
    outside.write_text(TWO)
    bench.file.unlink()
    bench.file.symlink_to(outside)

    assert carry_over(bench.snapshot(), edit_set).lost == (str(bench.file),)


def test_a_repaired_file_that_was_saved_meanwhile_is_verified_anew(bench: Bench) -> None:
    proposal = bench.proposal(Mender(bench.file, lambda file: file.write_text("# new\n" + TWO)))

    assert bench.judge.tested == [
        ("# new\n" + TWO, "# new\n" + TWO.replace("a(): return 1", "a(): return 2"))
    ]
    assert (proposal.evidence.detail, proposal.alternatives) == ("fine", ("--- a\n",))
    (hunk,) = proposal.hunks
    assert hunk.start_line == 1
    assert bench.journal.text(hunk.base_hash) == "# new\n" + TWO


def test_a_verified_run_is_kept_when_its_file_is_removed_meanwhile(bench: Bench) -> None:
    proposal = bench.proposal(Mender(bench.file, Path.unlink))

    assert proposal.evidence.detail == "measured"
    base = bench.journal.text(proposal.hunks[0].base_hash)
    assert base == TWO
    assert rebase(proposal.hunks[0], base, "# back\n" + TWO) is not None
