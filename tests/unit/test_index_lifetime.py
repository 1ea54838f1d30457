"""An index file over its life: deaths, other versions, another embedder, damage, and open buffers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from index_dump import WordEmbedder, check_whole, dump

from greenline.guard.gate import Gate
from greenline.index import generation
from greenline.index.indexer import Indexer
from greenline.index.schema import IndexUnusable, connect
from greenline.index.store import IndexStore

N_FILES = 40
DIES = """
import os, signal, sys
from greenline.guard.gate import Gate
from greenline.index import indexer
home, root, after = sys.argv[1], sys.argv[2], int(sys.argv[3])
indexer._BATCH_FILES = 7
index = indexer.Indexer(indexer.Path(home) / "index.db", [root], Gate([root]))
left = [after]
def pause():
    left[0] -= 1
    if left[0] < 0:
        os.kill(os.getpid(), signal.SIGKILL)
index.pause = pause
index.scan()
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    for n in range(N_FILES):
        (folder / f"f{n:02}.py").write_text(f"def f{n}(a):\n    return g{n}(a)\n")
    return folder


def opened(path: Path, root: Path, embedder: WordEmbedder | None = None) -> Indexer:
    return Indexer(path, [str(root)], Gate([str(root)]), embedder)


@pytest.mark.parametrize("after", [0, 3, 9, 25])
def test_a_killed_scan_is_continued_by_the_next_one(tmp_path: Path, root: Path, after: int) -> None:
    arguments = [sys.executable, "-c", DIES, str(tmp_path), str(root), str(after)]
    died = subprocess.run(arguments, check=False, capture_output=True, stdin=subprocess.DEVNULL)
    assert died.returncode == -signal.SIGKILL, died.stderr

    index = opened(tmp_path / "index.db", root)
    n_kept = len(index.store.files())
    report = index.scan()

    assert n_kept == after // 7 * 7 or after == 0
    assert report.n_parsed == N_FILES - n_kept
    check_whole(index.store)
    fresh = opened(tmp_path / "fresh.db", root)
    fresh.scan()
    assert dump(index.store) == dump(fresh.store)
    index.close()
    fresh.close()


def test_a_second_start_reads_no_unchanged_file(tmp_path: Path, root: Path) -> None:
    for n in range(N_FILES):
        os.utime(root / f"f{n:02}.py", (1_700_000_000, 1_700_000_000.5))
    seen: list[Path] = [root]
    index = opened(tmp_path / "index.db", root)
    index.pause = lambda: seen.append(root)
    # A file that was changed a moment ago is read again: it may have changed since without showing it.
    while seen:
        seen.clear()
        index.scan()
    index.close()

    index = opened(tmp_path / "index.db", root)
    index.pause = lambda: seen.append(root)
    report = index.scan()

    assert (report.n_seen, report.n_parsed, seen) == (N_FILES, 0, [])
    index.close()


def test_what_another_version_wrote_serves_until_the_new_index_is_whole(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "index.db"
    index = opened(path, root)
    index.scan()
    index.close()
    reader = IndexStore(path)
    monkeypatch.setattr(generation, "CHUNKER_STAMP", "another")

    index = opened(path, root)
    served_while_building = len(reader.match("name : f1", 5))
    index.scan()

    assert served_while_building == 1
    assert len(index.store.files()) == N_FILES
    assert reader.stamps()["chunker"] == "another"
    assert len(reader.match("name : f1", 5)) == 1
    assert not (tmp_path / "index.db.new").exists()
    (root / "late.py").write_text("def late():\n    pass\n")
    index.update([str(root / "late.py")])
    assert reader.symbols_named("late")
    check_whole(index.store)
    reader.close()
    index.close()


def test_a_rebuild_that_was_cut_short_goes_on(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "index.db"
    index = opened(path, root)
    index.scan()
    index.close()
    monkeypatch.setattr(generation, "CHUNKER_STAMP", "another")
    index = opened(path, root)

    def stop() -> None:
        raise KeyboardInterrupt

    index.pause = stop
    with pytest.raises(KeyboardInterrupt):
        index.scan()
    index.close()

    index = opened(path, root)
    report = index.scan()

    assert report.n_parsed == N_FILES - 1
    assert len(IndexStore(path).files()) == N_FILES
    index.close()


def test_a_file_that_is_no_index_is_replaced(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "index.db"
    path.write_bytes(b"no database at all\n" * 400)
    with pytest.raises(IndexUnusable):
        IndexStore(path)

    index = opened(path, root)
    index.scan()

    assert len(IndexStore(path).files()) == N_FILES
    index.close()


def test_tables_of_another_version_are_not_read_but_replaced(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "index.db"
    index = opened(path, root)
    index.scan()
    index.store.connection.execute("UPDATE meta SET value = 'old' WHERE key = 'schema'; DROP TABLE places")
    index.close()
    with pytest.raises(IndexUnusable, match="another version"):
        IndexStore(path)

    index = opened(path, root)
    report = index.scan()

    assert report.n_parsed == N_FILES
    assert len(IndexStore(path).files()) == N_FILES
    index.close()


def test_a_missing_index_is_said(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusable, match="greenline index"):
        connect(tmp_path / "none.db", writable=False)


def test_another_embedder_takes_over_once_it_has_embedded_all(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "index.db"
    index = opened(path, root, WordEmbedder("old"))
    index.scan()
    index.close()
    new = WordEmbedder("new")
    new.dims = 128
    index = opened(path, root, new)
    index.scan()
    old_vectors = index.store.vectors()
    assert old_vectors is not None

    assert index.store.stamps()["embedder"] == "old"
    assert index.store.nearest(old_vectors, WordEmbedder().embed_query("def f7(a):"), 1)
    (root / "f07.py").write_text("def seven():\n    return 7\n")
    index.update([str(root / "f07.py")])
    while not index.embed_pending(n_files=15):
        assert index.store.stamps()["embedder"] == "old"

    assert index.store.stamps()["embedder"] == "new"
    check_whole(index.store)
    fresh = opened(tmp_path / "fresh.db", root, new)
    fresh.scan()
    assert dump(index.store) == dump(fresh.store)
    index.close()
    fresh.close()


def test_without_an_embedder_no_vectors_are_kept(tmp_path: Path, root: Path) -> None:
    index = opened(tmp_path / "index.db", root, WordEmbedder())
    index.scan()
    index.close()

    index = opened(tmp_path / "index.db", root)

    assert index.store.vectors() is None
    assert index.store.stats().n_vectors == 0
    index.close()


def test_an_open_buffer_lies_over_the_disk_until_it_is_closed(tmp_path: Path, root: Path) -> None:
    index = opened(tmp_path / "index.db", root)
    index.scan()
    path = str(root / "f03.py")

    index.set_buffers({path: "def typed():\n    pass\n", str(root / "new.py"): "def unsaved():\n    pass\n"})
    index.scan()
    (root / "f03.py").write_text("def on_disk():\n    pass\n")
    index.update([path])

    assert index.store.symbols_named("typed")
    assert index.store.symbols_named("unsaved")
    assert not index.store.symbols_named("on_disk")
    index.set_buffers({path: None, str(root / "new.py"): None})
    assert not index.store.symbols_named("typed")
    assert not index.store.symbols_named("unsaved")
    assert index.store.symbols_named("on_disk")
    check_whole(index.store)
    index.close()


def test_a_buffer_without_a_file_outlives_news_of_its_folder(tmp_path: Path, root: Path) -> None:
    index = opened(tmp_path / "index.db", root)
    index.set_buffers({str(root / "pkg" / "new.py"): "def unsaved():\n    pass\n"})

    index.update([str(root / "pkg")])

    assert index.store.symbols_named("unsaved")
    index.close()


def test_a_buffer_of_a_secret_or_ignored_file_is_not_indexed(tmp_path: Path, root: Path) -> None:
    (root / ".gitignore").write_text("build/\n")
    index = opened(tmp_path / "index.db", root)

    index.set_buffers({str(root / ".env"): "TOKEN=1\n", str(root / "build" / "x.py"): "x = 1\n"})

    assert not [f for f in index.store.files() if f.path in (".env", "build/x.py")]
    index.close()


def test_two_processes_that_write_in_turn_keep_the_index_whole(tmp_path: Path, root: Path) -> None:
    one = opened(tmp_path / "index.db", root)
    one.scan()
    two = opened(tmp_path / "index.db", root)
    for n in range(6):
        writer = (one, two)[n % 2]
        (root / f"turn{n}.py").write_text(f"def turn{n}():\n    return {n}\n")
        writer.update([str(root / f"turn{n}.py")])

    check_whole(one.store)
    assert len(two.store.files()) == N_FILES + 6
    one.close()
    two.close()


def test_only_changed_chunks_are_embedded_again(tmp_path: Path, root: Path) -> None:
    functions = [
        f"def f{n}(a):\n" + "".join(f"    a.call_{n}_{i}(a, {i})\n" for i in range(30)) for n in range(10)
    ]
    path = root / "long.py"
    path.write_text("\n\n".join(functions))
    embedder = WordEmbedder()
    index = opened(tmp_path / "index.db", root, embedder)
    index.scan()
    before = embedder.n_texts

    functions[4] = functions[4].replace("call_4_7", "changed")
    path.write_text("# One line more above all.\n" + "\n\n".join(functions))
    index.update([str(path)])

    assert embedder.n_texts - before <= 3
    index.close()


def test_ids_that_were_freed_at_the_end_are_given_out_once(tmp_path: Path, root: Path) -> None:
    index = opened(tmp_path / "index.db", root)
    index.scan()
    last = root / "last.py"
    index.set_buffers({str(last): "def last():\n    return 1\n"})
    index.set_buffers({str(last): None})

    for n in range(3):
        (root / f"more{n}.py").write_text(f"def more{n}():\n    return {n}\n")
    index.update([str(root / f"more{n}.py") for n in range(3)])

    check_whole(index.store)
    assert len(index.store.files()) == N_FILES + 3
    index.close()
