"""A moved file keeps its bytes: encoding and byte order mark travel with the hunk."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from greenline.agent.proof import cut
from greenline.core.edit import Hunk
from greenline.core.task import Plan
from greenline.core.wire import from_json, to_json
from greenline.edit.change import changes_from_hunks
from greenline.edit.held import read_bytes
from greenline.edit.operation import Delete, Move, Operation, Replace
from greenline.edit.staging import Staging
from greenline.lsp.disk import write_own
from greenline.lsp.landing import file_versions
from greenline.lsp.review import file_edits
from greenline.workspace.snapshot import Snapshot

LATIN = b"# -*- coding: latin-1 -*-\nNAME = 'caf\xe9'\n"
FILES = {
    "declared": LATIN,
    "guessed": LATIN.split(b"\n", 1)[1],
    "utf-8 with a mark": b"\xef\xbb\xbfx = 'caf\xc3\xa9'\n",
    "utf-16": codecs.BOM_UTF16_LE + "a = 'caf\u00e9'\r\n".encode("utf-16-le"),
    "utf-8": b"NAME = 'caf\xc3\xa9'\n",
}


def hunks_of(root: Path, *operations: Operation) -> tuple[dict[str, bytes | None], list[Hunk]]:
    """Return what was tested, by name, and the hunks as the journal gives them back."""
    snapshot = Snapshot((str(root),))
    staging = Staging(snapshot.read_bytes, str(root))
    for operation in operations:
        staging.apply(operation)
    edit_set = staging.edit_set()
    hunks = cut(snapshot, edit_set, Plan(1, ()), "moved")
    tested = {Path(change.path).name: change.after for change in edit_set.changes}
    return tested, [from_json(to_json(hunk), Hunk) for hunk in hunks]


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_what_lands_on_the_disk_is_what_was_tested(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "old.py").write_bytes(data)
    tested, hunks = hunks_of(tmp_path, Replace("old.py", "caf", "caff"), Move("old.py", "new.py"))

    landed = {Path(c.path).name: c.after for c in changes_from_hunks(hunks, read_bytes)}

    assert landed == tested
    assert tested["new.py"] not in (None, data)


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_what_an_accept_creates_is_what_was_tested(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "old.py").write_bytes(data)
    tested, hunks = hunks_of(tmp_path, Move("old.py", "new.py"))
    (edit,) = file_edits([hunk for hunk in hunks if hunk.op == "create"], {})
    stored = file_versions(edit)

    failed = write_own(edit)

    assert (failed, (tmp_path / "new.py").read_bytes()) == ("", tested["new.py"])
    assert stored.after == tested["new.py"]
    # A client would write every file that it creates as plain UTF-8.
    assert edit.is_for_editors == (data == FILES["utf-8"])


def test_a_file_that_takes_another_one_s_place_takes_its_encoding(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_bytes(LATIN)
    (tmp_path / "new.py").write_bytes(b"x = 1\n")
    tested, hunks = hunks_of(tmp_path, Delete("new.py"), Move("old.py", "new.py"))

    landed = {Path(c.path).name: c.after for c in changes_from_hunks(hunks, read_bytes)}

    assert landed == tested


def test_a_hunk_of_an_older_journal_is_read() -> None:
    value = to_json(Hunk("h1", "/w/a.py", "create", 0, 0, "", "x\n", ""))
    del value["form"]

    assert from_json(value, Hunk).form == ""
