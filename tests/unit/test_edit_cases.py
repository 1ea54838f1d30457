"""Cases from tests/data/edit: each folder is one file or tree, one edit, and what must come of it."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest

from greenline.core.edit import EditSet
from greenline.core.error import EditRejected, OutsideWorkspace
from greenline.edit.apply import Staging, edit_set_from_diff, writable_path
from greenline.edit.match import replace_once
from greenline.workspace.encoding import decode, encode
from greenline.workspace.snapshot import Snapshot

CASES = sorted(p for p in (Path(__file__).parents[1] / "data" / "edit").iterdir() if p.is_dir())


def _lay(case: Path, folder: Path, path: str) -> None:
    source = case / "before.txt"
    if source.exists():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(source.read_bytes())
    for file in (case / "before").rglob("*"):
        if file.is_file():
            target = folder / file.relative_to(case / "before")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())


def _edits(case: Path, folder: Path) -> EditSet:
    snapshot = Snapshot((str(folder),))
    diff = case / "edit.diff"
    if diff.exists():
        return edit_set_from_diff(diff.read_bytes().decode(), snapshot.read_bytes, str(folder))
    staging = Staging(snapshot.read_bytes, str(folder))
    for edit in json.loads((case / "edit.json").read_text("utf-8"))["edits"]:
        path = writable_path(edit["path"], str(folder))
        data = staging.current(path)
        if data is None:
            staging.put(path, edit["replace"].encode())
            continue
        file = decode(data)
        text = replace_once(file.text, edit["search"], edit["replace"])
        staging.put(path, encode(attrs.evolve(file, text=text)))
    return staging.edit_set()


def _after(folder: Path, edits: EditSet) -> dict[str, bytes]:
    files = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    for change in edits.changes:
        relative = str(Path(change.path).relative_to(folder))
        if change.after is None:
            del files[relative]
        else:
            files[relative] = change.after
    return files


def _expected(case: Path, path: str) -> dict[str, bytes]:
    single = case / "expected.txt"
    if single.exists():
        return {path: single.read_bytes()}
    tree = case / "expected"
    return {str(p.relative_to(tree)): p.read_bytes() for p in tree.rglob("*") if p.is_file()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path, tmp_path: Path) -> None:
    meta = json.loads((case / "meta.json").read_text("utf-8"))
    path = meta.get("path", "")
    _lay(case, tmp_path, path)

    if meta["expect"] == "reject":
        with pytest.raises((EditRejected, OutsideWorkspace)) as caught:
            _edits(case, tmp_path)
        assert caught.value.code == meta["code"]
        return

    assert _after(tmp_path, _edits(case, tmp_path)) == _expected(case, path)
