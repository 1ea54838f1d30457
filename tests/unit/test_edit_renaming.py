"""Files of one diff take each other's names: swaps, chains and rings are applied whole."""

from __future__ import annotations

import itertools
import stat
from pathlib import Path

import pytest

from greenline.core.error import EditRejected
from greenline.edit.apply import Staging, edit_set_from_diff, edit_set_from_text
from greenline.edit.held import read_bytes
from greenline.edit.undo import undo_on_disk
from greenline.edit.write import Occasion, apply_changes
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.store import SqliteJournal
from greenline.workspace.snapshot import Snapshot


def renamed(*pairs: tuple[str, str]) -> str:
    head = "diff --git a/{0} b/{1}\nsimilarity index 100%\nrename from {0}\nrename to {1}\n"
    return "".join(head.format(*pair) for pair in pairs)


CHANGED = (
    "diff --git a/p b/q\nsimilarity index 50%\nrename from p\nrename to q\n"
    "--- a/p\n+++ b/q\n@@ -1 +1 @@\n-P\n+PP\n"
)
MADE = "diff --git a/p b/p\nnew file mode 100644\n--- /dev/null\n+++ b/p\n@@ -0,0 +1 @@\n+new\n"
GONE = "diff --git a/q b/q\ndeleted file mode 100644\n--- a/q\n+++ /dev/null\n@@ -1 +0,0 @@\n-Q\n"


def after(edit: str, **files: str) -> dict[str, str]:
    """Return what the files hold after an edit, by both readers."""
    held = {f"/w/{name}": text.encode() for name, text in files.items()}
    both = (
        edit_set_from_text(edit, Staging(held.get, "/w")),
        edit_set_from_diff(edit, held.get, "/w"),
    )
    assert both[0] == both[1]
    now = {**held, **{change.path: change.after for change in both[0].changes}}
    return {path[3:]: data.decode() for path, data in now.items() if data is not None}


@pytest.mark.parametrize(
    ("pairs", "now"),
    [
        ([("p", "q"), ("q", "p")], {"p": "Q\n", "q": "P\n", "r": "R\n"}),
        ([("p", "q"), ("q", "s")], {"q": "P\n", "s": "Q\n", "r": "R\n"}),
        ([("p", "q"), ("q", "r"), ("r", "s")], {"q": "P\n", "r": "Q\n", "s": "R\n"}),
        ([("p", "q"), ("q", "r"), ("r", "p")], {"p": "R\n", "q": "P\n", "r": "Q\n"}),
    ],
)
def test_names_that_change_hands_do_so_in_any_order(
    pairs: list[tuple[str, str]], now: dict[str, str]
) -> None:
    for order in itertools.permutations(pairs):
        assert after(renamed(*order), p="P\n", q="Q\n", r="R\n") == now


def test_a_file_that_moves_away_makes_room_for_a_changed_or_a_new_one() -> None:
    assert after(CHANGED + renamed(("q", "p")), p="P\n", q="Q\n") == {"p": "Q\n", "q": "PP\n"}
    assert after(MADE + renamed(("p", "q")), p="P\n") == {"p": "new\n", "q": "P\n"}
    assert after(CHANGED + GONE, p="P\n", q="Q\n") == {"q": "PP\n"}


def test_a_name_that_stays_taken_is_refused() -> None:
    with pytest.raises(EditRejected, match="there is such a file"):
        after(renamed(("p", "q")), p="P\n", q="Q\n")
    with pytest.raises(EditRejected, match="there is such a file"):
        after(renamed(("p", "s"), ("q", "s")), p="P\n", q="Q\n")


def test_a_mode_that_a_swap_asks_for_is_that_of_its_file() -> None:
    edit = renamed(("p", "q"), ("q", "p")).replace(
        "similarity", "old mode 100644\nnew mode 100755\nsimilarity", 1
    )

    changes = edit_set_from_text(edit, Staging({"/w/p": b"P\n", "/w/q": b"Q\n"}.get, "/w")).changes

    assert [(change.path, change.mode) for change in changes] == [("/w/p", None), ("/w/q", 0o755)]


def test_diffs_that_follow_each_other_keep_their_order() -> None:
    assert after(renamed(("p", "q"), ("q", "r")), p="P\n") == {"r": "P\n"}


@pytest.mark.parametrize(
    ("before", "pair"), [("p", ("p", "p/x")), ("p/a/x", ("p/a/x", "p")), ("p/x", ("p/x", "p"))]
)
def test_a_file_becomes_a_folder_and_a_folder_a_file(
    tmp_path: Path, before: str, pair: tuple[str, str]
) -> None:
    root = tmp_path / "w"
    (root / before).parent.mkdir(parents=True)
    (root / before).write_text("P\n")
    journal = SqliteJournal(tmp_path / "journal.db")
    store = CheckpointStore(journal, BlobStore(tmp_path / "blobs"))
    edit_set = edit_set_from_text(renamed(pair), Staging(Snapshot((str(root),)).read_bytes, str(root)))

    def files() -> list[str]:
        return [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]

    checkpoint = apply_changes(edit_set.changes, (str(root),), store, Occasion("turn"))
    applied = files()
    undo_on_disk(store, [checkpoint])

    assert (applied, files()) == ([pair[1]], [before])
    journal.close()


def test_a_folder_that_holds_more_becomes_no_file(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "x").write_text("P\n")
    (tmp_path / "p" / "y").write_text("Y\n")
    staging = Staging(Snapshot((str(tmp_path),)).read_bytes, str(tmp_path))

    with pytest.raises(EditRejected) as error:
        edit_set_from_text(renamed(("p/x", "p")), staging)

    assert error.value.code == "exists"


def test_mode_bits_go_with_the_file_and_come_back_with_an_undo(tmp_path: Path) -> None:
    root = tmp_path / "w"
    root.mkdir()
    for name, mode in (("p", 0o755), ("q", 0o640)):
        (root / name).write_text(f"{name}\n")
        (root / name).chmod(mode)

    def shown() -> dict[str, tuple[str, int]]:
        return {f.name: (f.read_text(), stat.S_IMODE(f.stat().st_mode)) for f in root.iterdir()}

    before = shown()
    journal = SqliteJournal(tmp_path / "journal.db")
    store = CheckpointStore(journal, BlobStore(tmp_path / "blobs"))
    edit_set = edit_set_from_text(renamed(("p", "q"), ("q", "p")), Staging(read_bytes, str(root)))

    checkpoint = apply_changes(edit_set.changes, (str(root),), store, Occasion("swap"))

    assert shown() == {"p": ("q\n", 0o640), "q": ("p\n", 0o755)}
    undo_on_disk(store, [checkpoint])
    assert shown() == before
    journal.close()
