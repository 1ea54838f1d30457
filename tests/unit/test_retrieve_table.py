"""The table of files that a search works on: one that follows the changes is the same as a new one."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from greenline.guard.gate import Gate
from greenline.index.indexer import Indexer
from greenline.index.retrieve.file_table import FileTable
from greenline.index.retrieve.retriever import Filter, Retriever

NAMES = [
    "order.py",
    "orders.py",
    "shop/order.py",
    "shop/__init__.py",
    "tests/test_order.py",
    "docs/a.md",
    "b.ts",
]
BODIES = [
    "import order\nfrom shop import order\n",
    "from tests import test_order\n\n\ndef pay():\n    return order()\n",
    "x = 1\n" * 50,
    "import os\n",
]
WORDS = {"order": 2.0, "shop": 1.0, "tests": 0.5, "orders": 1.0, "pay": 0.1}
Step = tuple[str, str | None]
STEPS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.none() | st.sampled_from(BODIES)), min_size=1, max_size=12
)


def described(table: FileTable) -> dict[str, tuple[object, ...]]:
    """Return all that a table says of the files that are there, by path."""
    match = table.match(WORDS)
    columns = (match.name, match.folder, match.above, match.covered, table.size, table.importers)
    found: dict[str, tuple[object, ...]] = {}
    for file_id, number in table.number.items():
        assert table.ids[number] == file_id
        assert table.by_path[table.paths[number]] == [number]
        assert table.is_live[number]
        kinds = {kind for kind, column in table.kinds.items() if column[number]}
        modules = [m for m in ("order", "shop", "b") if table.with_stem(m) == [number]]
        values = [round(float(column[number]), 9) for column in columns]
        found[table.paths[number]] = (file_id, *values, kinds, table.stems[number], modules)
    gone = ~table.is_live
    assert not any(column[gone].any() for column in columns)
    assert set(table.by_path) == set(found)
    return found


@settings(max_examples=40, deadline=None)
@given(first=STEPS, steps=STEPS)
def test_a_table_that_follows_is_the_same_as_a_new_one(first: list[Step], steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "root")
        root.mkdir()
        indexer = Indexer(Path(folder, "index.db"), [str(root)], Gate([str(root)]))
        try:
            for step in first:
                change(root, *step)
            indexer.scan()
            table = FileTable(indexer.store)
            for step in steps:
                indexer.update([str(change(root, *step))])

                assert table.follow(indexer.store)
                assert described(table) == described(FileTable(indexer.store))
        finally:
            indexer.close()


def change(root: Path, name: str, body: str | None) -> Path:
    path = root / name
    if body is None:
        path.unlink(missing_ok=True)
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_text(body)
    return path


def test_a_table_is_made_anew_where_the_changes_cannot_be_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("x = 1\n")
    indexer = Indexer(tmp_path / "index.db", [str(root)], Gate([str(root)]))
    indexer.scan()
    table = FileTable(indexer.store)
    monkeypatch.setattr("greenline.index.retrieve.file_table._MAX_FOLLOWED", 100)
    for number in range(110):
        (root / f"n{number}.py").write_text(f"def n{number}():\n    pass\n")
    indexer.scan()

    assert not table.follow(indexer.store)
    indexer.close()
    other = Indexer(tmp_path / "other.db", [str(root)], Gate([str(root)]))
    other.scan()
    assert not table.follow(other.store)
    other.close()


def test_a_search_finds_a_file_after_each_change_of_it_and_not_after_it_is_gone(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    path = root / "zephyr_quartz.py"
    indexer = Indexer(tmp_path / "index.db", [str(root)], Gate([str(root)]))
    indexer.scan()
    retriever = Retriever(indexer.store)

    def found() -> list[str]:
        return [hit.chunk.symbol for hit in retriever.search("zephyr quartz", Filter(limit=5)).hits]

    assert found() == []
    for name in ("first", "second"):
        path.write_text(f"def {name}():\n    return 1\n")
        indexer.update([str(path)])
        assert found() == [name]
        path.unlink()
        indexer.update([str(path)])
        assert found() == []
        assert retriever.search("zephyr_quartz.py:1").hits == ()
    indexer.close()


def test_a_file_whose_whole_name_is_said_in_one_word_comes_before_its_like(
    tmp_path: Path,
) -> None:
    said = "[no-shadow] report what the scope of a method holds already"
    for name in ("a-shadow.ts", "no-shadow.ts", "no-shadow-rule.ts"):
        (tmp_path / name).write_text("export const rule = { scope: 1 }\n")
    for number in range(40):
        (tmp_path / f"other{number}.ts").write_text(f"export const rule{number} = createRule()\n")

    with contextlib.closing(
        Indexer(tmp_path / ".git/index.db", [str(tmp_path)], Gate([str(tmp_path)]))
    ) as index:
        index.scan()
        retriever = Retriever(index.store)
        found = retriever.search(said)
        table = retriever.files()
        named = table.named([("no", "shadow")], {"shadow": 3.0}, 6.0)

    assert found.hits[0].chunk.file.path == "no-shadow.ts"
    assert {path: float(named[i]) for i, path in enumerate(table.paths) if named[i]} == {"no-shadow.ts": 0.5}


@pytest.mark.parametrize("names", [(), ("empty.py",)])
@pytest.mark.parametrize("said", ["no-shadow", "FileTable"])
def test_an_index_without_text_finds_nothing(said: str, names: tuple[str, ...], tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    for name in names:
        (root / name).touch()

    with contextlib.closing(Indexer(tmp_path / "index.db", [str(root)], Gate([str(root)]))) as index:
        index.scan()
        found = Retriever(index.store).search(said)

    assert found.hits == ()
