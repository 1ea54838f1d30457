"""Changes over several roots: known, brought to an end and taken back from each of them."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import attrs
import pytest

from greenline.app import open_checkpoints, open_journal
from greenline.cli import main
from greenline.config.settings import Settings
from greenline.core.edit import FileChange
from greenline.edit.reach import Reach, settle
from greenline.edit.write import Occasion, apply_changes
from greenline.journal.checkpoint import CheckpointState
from greenline.journal.pointer import pointers_of
from greenline.workspace.state import state_folder

Texts = dict[str, str]


class Pair:
    """Two roots with two files each, and a change of all of them that the first one's journal records."""

    def __init__(self, folder: Path) -> None:
        self.roots = (folder / "one", folder / "two")
        for root in self.roots:
            root.mkdir(parents=True)
            for name in "ab":
                (root / name).write_text("before\n")

    def apply(self) -> None:
        names = [str(root) for root in self.roots]
        journal = open_journal(names[0])
        changes = [
            FileChange(str(root / name), b"before\n", b"after\n") for root in self.roots for name in "ab"
        ]
        apply_changes(changes, names, open_checkpoints(names[0], journal, Settings()), Occasion("a test"))
        journal.close()

    def texts(self) -> set[str]:
        return {(root / name).read_text() for root in self.roots for name in "ab"}

    def litter(self) -> list[Path]:
        return [path for root in self.roots for path in root.rglob(".greenline*")]


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def listed(capsys: pytest.CaptureFixture[str], root: Path) -> list[dict[str, object]]:
    capsys.readouterr()
    assert main(["checkpoints", "--json", "--root", str(root)]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


def killed_in(pair: Pair, at: int) -> bool:
    """Apply the change in a process that is killed before a step in the roots or their state folders."""
    left = at

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in ("open", "os.rename", "os.link", "os.remove", "os.mkdir"):
            left -= any(part in str(a) for a in arguments[:2] for part in ("/one", "/two"))
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        try:
            sys.addaudithook(count)
            pair.apply()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def test_killed_at_every_step_each_root_brings_both_to_an_end(tmp_path: Path) -> None:
    outcomes: list[str] = []
    cut_short = set()
    while True:
        pair = Pair(tmp_path / f"{len(outcomes)}")
        if not killed_in(pair, len(outcomes) + 1):
            break
        number = len(outcomes) % 2
        if len(pair.texts()) == 2:
            cut_short.add(number)

        assert settle([str(pair.roots[number])]) == ()

        (text,) = pair.texts()
        assert pair.litter() == []
        outcomes.append(text)

    assert cut_short == {0, 1}
    assert set(outcomes) == {"before\n", "after\n"}
    assert pair.texts() == {"after\n"}


def test_an_edit_of_the_second_root_sees_no_half_made_change(tmp_path: Path) -> None:
    for step in range(20, 400):
        pair = Pair(tmp_path / f"{step}")
        assert killed_in(pair, step)
        if (pair.roots[1] / "a").read_text() == "after\n":
            break
    edit = tmp_path / "edit.json"
    edit.write_text(json.dumps({"edits": [{"path": "a", "search": "before", "replace": "mine"}]}))

    assert main(["edit", "apply", "--root", str(pair.roots[1]), str(edit)]) == 0

    assert (pair.roots[1] / "a").read_text() == "mine\n"
    assert (pair.roots[0] / "a").read_text() == "before\n"


def test_a_change_over_two_roots_is_listed_and_undone_from_each(
    pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    pair.apply()
    (first,) = listed(capsys, pair.roots[0])

    assert listed(capsys, pair.roots[1]) == [first]
    assert main(["undo", "--root", str(pair.roots[1])]) == 0
    assert pair.texts() == {"before\n"}
    assert main(["undo", "--root", str(pair.roots[1])]) == 0
    assert pair.texts() == {"after\n"}
    assert main(["undo", str(first["checkpointId"])[:12], "--root", str(pair.roots[1])]) == 0
    assert pair.texts() == {"before\n"}
    assert len(listed(capsys, pair.roots[0])) == len(listed(capsys, pair.roots[1])) == 4


def test_what_another_root_alone_was_changed_by_is_out_of_reach(
    pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    pair.apply()
    one = str(pair.roots[0])
    journal = open_journal(one)
    store = open_checkpoints(one, journal, Settings())
    change = FileChange(str(pair.roots[0] / "a"), b"after\n", b"alone\n")
    alone = apply_changes([change], [one], store, Occasion("alone"))

    assert len(listed(capsys, pair.roots[0])) == 2
    assert len(listed(capsys, pair.roots[1])) == 1
    assert main(["undo", alone.id, "--root", str(pair.roots[1])]) == 1
    assert (pair.roots[0] / "a").read_text() == "alone\n"


def test_a_pointer_that_is_damaged_or_leads_nowhere_is_named(
    pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    pair.apply()
    two = str(pair.roots[1])
    (pointer,) = (state_folder(two) / "elsewhere").iterdir()
    sound = pointer.read_bytes()
    for damage in (b"\xff", b"[]", b'{"journal": 3}', b""):
        pointer.write_bytes(damage)
        assert main(["checkpoints", "--root", two]) == 0
        assert str(pointer) in capsys.readouterr().err

    pointer.write_bytes(sound)
    journal = state_folder(str(pair.roots[0])) / "journal.db"
    journal.write_bytes(b"no database at all" * 100)
    assert main(["checkpoints", "--root", two]) == 0
    assert str(journal) in capsys.readouterr().err
    journal.unlink()
    assert main(["checkpoints", "--root", two]) == 0
    assert str(journal) in capsys.readouterr().err
    assert pointers_of(two).problems == ()


def test_a_subfolder_finds_the_workspace_that_it_is_in(
    pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    pair.apply()
    below = pair.roots[1] / "deep" / "er"
    below.mkdir(parents=True)

    assert len(listed(capsys, below)) == 1
    assert main(["undo", "--root", str(below)]) == 0

    assert f"the workspace is {pair.roots[1]}\n" in capsys.readouterr().err
    assert pair.texts() == {"before\n"}


def test_the_way_up_ends_at_a_git_work_tree_and_at_home(
    pair: Pair, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.apply()
    below = pair.roots[0] / "other"
    (below / ".git").mkdir(parents=True)
    (below / "src").mkdir()

    assert listed(capsys, below / "src") == []
    (below / ".git").rmdir()
    monkeypatch.setenv("HOME", str(pair.roots[0]))
    assert listed(capsys, below / "src") == []
    assert len(listed(capsys, pair.roots[0])) == 1


def test_an_id_is_found_with_enough_of_it_in_either_journal(pair: Pair) -> None:
    pair.apply()
    two = str(pair.roots[1])
    store = open_checkpoints(two, open_journal(two), Settings())
    change = FileChange(str(pair.roots[1] / "a"), b"after\n", b"mine\n")
    mine = apply_changes([change], [two], store, Occasion("mine"))
    reach = Reach.of(two, store)
    (newest, other) = reach.newest_first()

    assert newest == store.get(mine.id)
    assert reach.named(None) == (store, [newest])
    assert reach.named(other.id)[1] == [other]
    assert reach.newest_first(1) == [newest]


def test_an_undo_elsewhere_that_may_not_have_been_made_is_not_the_newest(pair: Pair) -> None:
    pair.apply()
    journal = open_journal(str(pair.roots[0]))
    store = open_checkpoints(str(pair.roots[0]), journal, Settings())
    made = store.newest_first()[0]
    undo = attrs.evolve(
        made, id="undo", kind="undo", state=CheckpointState.UNCONFIRMED, created=made.created + 1
    )
    other = open_journal(str(pair.roots[1]))
    reach = Reach(str(pair.roots[1]), open_checkpoints(str(pair.roots[1]), other, Settings()))
    try:
        assert reach._newest([(store, undo), (store, made)]) == (store, [made])
    finally:
        journal.close()
        other.close()
