"""`greenline undo` and `greenline checkpoints`, over what `greenline run --apply` writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from greenline.app import open_checkpoints, open_journal
from greenline.cli import main
from greenline.cli.run import apply_proposal
from greenline.cli.undo import as_json
from greenline.config.settings import Settings
from greenline.core.edit import FileChange, HunkState
from greenline.core.error import EditRejected
from greenline.core.evidence import Evidence, Verdict
from greenline.core.task import Proposal, RunState, Task
from greenline.edit.hunk import split
from greenline.edit.undo import Undone
from greenline.edit.write import Occasion, apply_changes
from greenline.journal.checkpoint_store import CheckpointStore

BEFORE = "one\r\ntwo\nthree\nfour"
AFTER = "one\r\n2\nthree\n4"


class Project:
    """A folder with one file, and a run that proposes to change it."""

    def __init__(self, root: Path) -> None:
        self.path = root / "a.py"
        self.path.write_bytes(BEFORE.encode())
        self.path.chmod(0o755)
        self.root = str(root)
        self.journal = open_journal(self.root)
        self.store: CheckpointStore = open_checkpoints(self.root, self.journal, Settings())
        self.run = self.journal.create_run(Task("count", (self.root,)))
        change = FileChange(str(self.path), BEFORE.encode(), AFTER.encode())
        hunks = split(change, BEFORE, AFTER)
        self.proposal = Proposal("prop-1", self.run.id, hunks, Evidence(Verdict.VERIFIED, "", ""), "Count")
        self.journal.save_proposal(self.proposal)
        self.journal.set_state(self.run.id, RunState.PROPOSED)

    def apply(self) -> None:
        apply_proposal(self.proposal, self.root, self.store)

    def states(self) -> tuple[RunState, list[HunkState]]:
        run = self.journal.run(self.run.id)
        assert run.proposal is not None
        return run.state, [hunk.state for hunk in run.proposal.hunks]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path)
    yield made
    made.journal.close()


def test_written_hunks_keep_every_other_byte(project: Project) -> None:
    project.apply()

    assert project.path.read_bytes() == AFTER.encode()
    assert project.path.stat().st_mode & 0o777 == 0o755
    assert project.states() == (RunState.ACCEPTED, [HunkState.ACCEPTED, HunkState.ACCEPTED])


def test_a_file_that_changed_since_is_not_written(project: Project) -> None:
    project.path.write_bytes(b"other\n")

    with pytest.raises(EditRejected):
        project.apply()

    assert project.path.read_bytes() == b"other\n"
    assert project.states()[0] is RunState.PROPOSED


@pytest.mark.parametrize("by_run", [True, False])
def test_undo_and_the_undo_of_it(project: Project, capsys: pytest.CaptureFixture[str], by_run: bool) -> None:
    project.apply()

    assert main(["undo", *([project.run.id] if by_run else []), "--root", project.root]) == 0
    shown = capsys.readouterr().out
    undone, states = project.path.read_bytes(), project.states()
    assert main(["undo", "--root", project.root]) == 0

    assert f"restored {project.path}" in shown
    assert undone == BEFORE.encode()
    assert states == (RunState.PROPOSED, [HunkState.PENDING, HunkState.PENDING])
    assert project.path.read_bytes() == AFTER.encode()
    assert project.states() == (RunState.ACCEPTED, [HunkState.ACCEPTED, HunkState.ACCEPTED])
    assert [event.seq for event in project.journal.events(project.run.id)] == list(range(1, 9))


def test_a_line_that_was_edited_since_stays_and_is_named(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.apply()
    project.path.write_bytes(AFTER.replace("2", "2 mine").encode())

    assert main(["undo", "--root", project.root]) == 1

    out, err = capsys.readouterr()
    assert f"restored {project.path}" in out
    assert err.count("\n") == 1
    assert f"conflict: {project.path}:2:" in err
    assert project.path.read_bytes() == BEFORE.replace("two", "2 mine").encode()
    assert project.states() == (RunState.PARTLY_ACCEPTED, [HunkState.ACCEPTED, HunkState.PENDING])


def test_a_change_taken_back_by_hand_is_said_to_count_as_undone(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.apply()
    (taken,) = project.store.newest_first()
    project.path.write_bytes(BEFORE.encode())

    assert main(["undo", "--root", project.root]) == 0

    out = capsys.readouterr().out
    assert f"{taken.id} counts as undone from now on" in out
    assert project.states() == (RunState.PROPOSED, [HunkState.PENDING, HunkState.PENDING])
    assert main(["undo", "--root", project.root]) == 1
    assert "nothing to undo" in capsys.readouterr().err


def test_a_corrupt_content_is_named(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.apply()
    (taken,) = project.store.newest_first()
    blob = project.store.blobs.path(taken.files[0].before or "")
    blob.write_bytes(b"x")

    assert main(["undo", "--root", project.root]) == 1

    assert str(blob) in capsys.readouterr().err
    assert project.path.read_bytes() == AFTER.encode()


def test_checkpoints_are_listed(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["checkpoints", "--root", project.root]) == 0
    empty = capsys.readouterr().out
    project.apply()
    main(["undo", "--root", project.root])
    capsys.readouterr()

    assert main(["checkpoints", "--root", project.root, "--json"]) == 0
    newest, first = json.loads(capsys.readouterr().out)
    assert main(["checkpoints", "--root", project.root]) == 0
    table = capsys.readouterr().out

    assert "No checkpoints yet" in empty
    assert [newest["kind"], first["kind"]] == ["undo", "apply"]
    assert first["undoneBy"] == newest["checkpointId"]
    assert first["runId"] == project.run.id
    assert first["checkpointId"] in table
    assert "undone" in table


@pytest.mark.parametrize(
    ("name", "says"),
    [("cp-none", "no run or checkpoint"), (None, "nothing to undo"), ("run", "nothing to undo")],
)
def test_what_cannot_be_undone_is_one_line(
    project: Project, capsys: pytest.CaptureFixture[str], name: str | None, says: str
) -> None:
    wanted = [project.run.id if name == "run" else name] if name else []

    assert main(["undo", *wanted, "--root", project.root]) == 1

    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_the_git_folder_is_not_touched(project: Project) -> None:
    git = Path(project.root) / ".git"
    git.mkdir()
    (git / "index").write_bytes(b"index")
    before = {path: path.stat().st_mtime_ns for path in (git, git / "index")}

    project.apply()
    main(["undo", "--root", project.root])

    assert {path: path.stat().st_mtime_ns for path in (git, git / "index")} == before
    assert sorted(path.name for path in Path(project.root).iterdir()) == [".git", "a.py"]


def test_the_oldest_checkpoints_of_finished_runs_go_and_open_proposals_keep_theirs(project: Project) -> None:
    first, second = project.proposal.hunks
    half = attrs.evolve(project.proposal, hunks=(first,))
    apply_proposal(half, project.root, project.store)
    small = CheckpointStore(project.journal, project.store.blobs, quota_bytes=3100)
    free = Path(project.root) / "free.txt"
    for number in range(4):
        content = free.read_bytes() if free.exists() else None
        change = FileChange(str(free), content, bytes([65 + number]) * 1000)
        apply_changes([change], (project.root,), small, Occasion("by hand"))

    kept = small.newest_first()
    stored = sum(f.stat().st_size for f in small.blobs.folder.rglob("*") if f.is_file())

    assert [item.run_id for item in kept] == [None, None, project.run.id]
    assert stored <= 3100
    assert main(["undo", project.run.id, "--root", project.root]) == 0
    assert project.path.read_bytes() == BEFORE.encode()
    assert second.state is HunkState.PENDING


def test_a_second_undo_says_that_it_took_back_the_first(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.apply()

    main(["undo", "--root", project.root])
    first = capsys.readouterr().out
    main(["undo", "--root", project.root])

    assert "took back an undo" not in first
    assert "took back an undo" in capsys.readouterr().out


def test_a_table_in_a_pipe_has_a_line_for_each_row(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.apply()
    main(["undo", "--root", project.root])
    capsys.readouterr()

    main(["checkpoints", "--root", project.root, "--json"])
    undone, applied = json.loads(capsys.readouterr().out)
    main(["checkpoints", "--root", project.root])
    lines = capsys.readouterr().out.splitlines()

    for row in (undone, applied):
        assert any(row["checkpointId"] in line and row["reason"] in line for line in lines)


def test_a_setting_that_cannot_be_used_is_named(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENLINE_CHECKPOINT_QUOTA_MB", "much")

    assert main(["checkpoints", "--root", project.root]) == 0

    assert "GREENLINE_CHECKPOINT_QUOTA_MB must be a whole number" in capsys.readouterr().err


def test_the_documentation_names_all_that_undo_prints_as_json() -> None:
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text("utf-8")
    section = page.partition("## What `undo` prints")[2].partition("\n## ")[0]

    assert [name for name in as_json(Undone()) if f"`{name}`" not in section] == []
