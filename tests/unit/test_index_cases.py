"""Faults that other indexes were reported for, and their whole kind."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from index_dump import WordEmbedder, check_whole, dump

from greenline.guard.gate import Gate
from greenline.index.chunk import SkipReason
from greenline.index.indexer import Indexer
from greenline.index.schema import connect
from greenline.index.scope import Scope
from greenline.index.vector import VectorTable
from greenline.index.why import explain

CASES = Path(__file__).parents[1] / "data" / "index"
SOURCE = "def send_{n}(upload, retries):\n" + "".join(
    f"    upload.part_{{n}}_{i}(retries + {i})\n" for i in range(14)
)


def indexer(home: Path, *roots: Path, embedder: WordEmbedder | None = None) -> Indexer:
    names = [str(root) for root in roots]
    return Indexer(home / "index.db", names, Gate(names), embedder)


def case_tree(name: str, tmp_path: Path) -> tuple[Path, dict[str, object]]:
    root = tmp_path / "root"
    shutil.copytree(CASES / name / "tree", root)
    expected: dict[str, object] = json.loads((CASES / name / "expected.json").read_text())
    return root, expected


def names_of(index: Indexer) -> list[str]:
    return [file.path for file in index.store.files()]


def event_paths(case: Path, root: Path) -> list[str]:
    events = [json.loads(line) for line in (case / "events.jsonl").read_text().splitlines()]
    return [str(root / event[key]) for event in events for key in ("path", "dest") if key in event]


def test_an_atomic_save_is_one_new_text_under_the_destination(tmp_path: Path) -> None:
    case = CASES / "38-atomic-save"
    expected = json.loads((case / "expected.json").read_text())
    root = tmp_path / "root"
    shutil.copytree(case / "before", root)
    index = indexer(tmp_path, root)
    index.scan()

    (root / ".mod.py.x7~").write_bytes((case / "after" / "mod.py").read_bytes())
    (root / ".mod.py.x7~").replace(root / "mod.py")
    report = index.update(event_paths(case, root))

    file = index.store.file(str(root), "mod.py")
    assert file is not None
    assert [s.name for s in index.store.symbols_of(file.id)] == expected["symbols"]["mod.py"]
    assert report.n_parsed == expected["index_runs"]["mod.py"]
    assert names_of(index) == ["mod.py"]
    index.close()


def test_a_storm_of_events_over_unchanged_files_reads_and_embeds_nothing(tmp_path: Path) -> None:
    case = CASES / "39-checkout-storm"
    expected = json.loads((case / "expected.json").read_text())
    root = tmp_path / "root"
    root.mkdir()
    for n in range(expected["indexed_files"]):
        (root / f"f{n}.py").write_text(SOURCE.format(n=n))
    embedder = WordEmbedder()
    index = indexer(tmp_path, root, embedder=embedder)
    index.scan()
    before, n_texts = dump(index.store), embedder.n_texts

    for n in range(expected["indexed_files"]):
        # Written again, as a checkout does, so that times and inodes are new and texts are not.
        (root / f"f{n}.py").unlink()
        (root / f"f{n}.py").write_text(SOURCE.format(n=n))
    report = index.update(event_paths(case, root))

    assert (report.n_parsed, report.n_removed, report.paths) == (0, 0, [])
    assert embedder.n_texts - n_texts == expected["embedding_calls"]
    assert dump(index.store) == before
    index.close()


def test_a_switch_to_known_texts_and_back_reads_and_embeds_nothing(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)

    def write(word: str) -> None:
        for n in range(20):
            (root / f"f{n}.py").write_text(SOURCE.format(n=n).replace("upload", word))

    git("init", "-q", "-b", "main")
    write("upload")
    git("add", "-A")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "side")
    write("parcel")
    git("commit", "-qam", "two")
    embedder = WordEmbedder()
    index = indexer(tmp_path, root, embedder=embedder)
    index.scan()
    git("checkout", "-q", "main")
    index.scan()
    n_texts = embedder.n_texts

    git("checkout", "-q", "side")
    report = index.update(str(root / f"f{n}.py") for n in range(20))

    assert (report.n_revived, report.n_parsed) == (20, 0)
    assert embedder.n_texts == n_texts
    assert [hit.chunk_id for hit in index.store.match("body : parcel", 100)]
    assert not index.store.match("body : upload", 100)
    index.close()


def test_replaced_vectors_do_not_bloat_the_table(tmp_path: Path) -> None:
    scenario = json.loads((CASES / "41-vector-bloat" / "scenario.json").read_text())
    n_rows, dims = scenario["rows"], scenario["dim"]
    random = np.random.default_rng(41)
    rows = random.standard_normal((n_rows, dims)).astype(np.float32)

    def made(name: str) -> VectorTable:
        connection = connect(tmp_path / name, writable=True)
        table = VectorTable(connection, 1, dims)
        table.create()
        table.put(range(1, n_rows + 1), rows)
        return table

    aged = made("aged.db")
    for _ in range(scenario["cycles"]):
        picked = random.choice(n_rows, int(n_rows * scenario["replace_fraction_per_cycle"]), replace=False)
        rows[picked] = random.standard_normal((len(picked), dims))
        aged.remove([int(i) + 1 for i in picked])
        aged.put([int(i) + 1 for i in picked], rows[picked])
    fresh = made("fresh.db")

    limit = scenario["expect"]["file_bytes_max_ratio_to_fresh"]
    assert _bytes(tmp_path / "aged.db") <= limit * _bytes(tmp_path / "fresh.db")
    assert aged.count() == scenario["expect"]["live_rows"]
    for query in random.standard_normal((20, dims)).astype(np.float32):
        assert aged.nearest(query, 1) == fresh.nearest(query, 1)


def test_an_index_that_was_edited_for_long_stays_within_twice_a_new_one(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()

    def write(file: int, cycle: int) -> None:
        names = [1000 * cycle + 10 * file + n for n in range(6)]
        (root / f"f{file}.py").write_text("\n".join(SOURCE.format(n=n) for n in names))

    for file in range(60):
        write(file, 0)
    (tmp_path / "aged").mkdir()
    (tmp_path / "fresh").mkdir()
    aged = indexer(tmp_path / "aged", root, embedder=WordEmbedder())
    aged.scan()
    for cycle in range(1, 21):
        picked = [(cycle * 7 + n * 5) % 60 for n in range(12)]
        for file in picked:
            write(file, cycle)
        aged.update(str(root / f"f{file}.py") for file in picked)

    aged.maintain()

    fresh = indexer(tmp_path / "fresh", root, embedder=WordEmbedder())
    fresh.scan()
    fresh.maintain()
    assert _bytes(tmp_path / "aged" / "index.db") <= 2 * _bytes(tmp_path / "fresh" / "index.db")
    assert dump(aged.store) == dump(fresh.store)
    check_whole(aged.store)
    aged.close()
    fresh.close()


@pytest.mark.parametrize("with_git", [True, False])
def test_links_are_not_followed_and_each_file_is_indexed_once(tmp_path: Path, with_git: bool) -> None:
    root, expected = case_tree("45-symlink-cycle", tmp_path)
    setup = json.loads((CASES / "45-symlink-cycle" / "setup.json").read_text())
    for link, target in setup["symlinks"].items():
        (root / link).symlink_to(target)
    (root / "outside.py").symlink_to("/etc/hostname")
    if with_git:
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    index = indexer(tmp_path, root)

    began = time.monotonic()
    index.scan()
    index.update([str(root / "self" / "self" / "two.py"), str(root / "a" / "loop" / "a" / "one.py")])

    assert names_of(index) == expected["files_once"]
    assert time.monotonic() - began < 60
    skipped = {item.path: item for item in index.store.skipped()}
    scope = Scope([str(root)], Gate((str(root),)))
    why = {path: explain(scope, str(root / path)) for path in skipped}
    aliases = {path: item.detail for path, item in why.items() if item.reason is SkipReason.ALIAS}
    assert aliases == expected["alias_of"]
    links = {path for path, item in skipped.items() if item.reason is SkipReason.LINK}
    assert {"broken", "outside.py"} <= links
    index.close()


def test_roots_that_lead_into_one_another_share_no_file(tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    inner = outer / "inner"
    inner.mkdir(parents=True)
    (outer / "a.py").write_text("a = 1\n")
    (inner / "b.py").write_text("b = 1\n")
    (inner / "up").symlink_to("..")
    index = indexer(tmp_path, outer, inner)

    index.scan()
    index.update([str(inner / "b.py"), str(outer / "inner"), str(inner / "up" / "a.py")])

    assert [(Path(f.root).name, f.path) for f in index.store.files()] == [
        ("outer", "a.py"),
        ("inner", "b.py"),
    ]
    index.close()


def test_binary_and_minified_files_are_skipped_with_a_reason(tmp_path: Path) -> None:
    root, expected = case_tree("46-binary-and-minified", tmp_path)
    index = indexer(tmp_path, root)

    index.scan()

    assert names_of(index) == expected["indexed"]
    assert {s.path: s.reason.value for s in index.store.skipped()} == expected["skipped"]
    index.close()


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("picture.py", b"\x89PNG\r\n\x1a\n\x01\x02\x03\x04\x05\x06\x07", SkipReason.BINARY),
        ("data.json", b'{"a": [' + b"1, " * 9000 + b"1]}", SkipReason.MINIFIED),
        ("style.min.css", b"a{color:red}\n", SkipReason.MINIFIED),
        ("huge.txt", b"word " * 300_000, SkipReason.TOO_LARGE),
        ("api_pb2.py", b"# Generated by the compiler.  DO NOT EDIT!\nx = 1\n", SkipReason.GENERATED),
        ("lib.go", b"// Code generated by tool. DO NOT EDIT.\npackage lib\n", SkipReason.GENERATED),
        ("poetry.lock", b"[[package]]\n", SkipReason.GENERATED),
        ("generator.py", b"# Makes code: do not edit what it writes.\nx = 1\n", None),
        ("long_line.py", b"x = '" + b"y" * 6000 + b"'\n" + b"z = 1\n" * 2000, None),
        ("utf16.py", "\ufeffx = 'gr\u00fcn'\n".encode("utf-16-le"), None),
        ("latin1.py", b"# -*- coding: latin-1 -*-\nx = 'gr\xfcn'\n", None),
        ("mac.py", b"def a():\r    pass\rdef b():\r    pass\r", None),
        ("deep.py", b"x = " + b"(\n" * 5000 + b"1" + b")\n" * 4000, None),
        ("chain.js", b"const s = 'a'\n" + b"  + 'b'\n" * 20_000, None),
    ],
)
def test_what_a_file_is_decides_and_not_its_name(
    tmp_path: Path, name: str, data: bytes, reason: SkipReason | None
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / name).write_bytes(data)
    index = indexer(tmp_path, root)

    index.scan()

    skipped = [(s.path, s.reason) for s in index.store.skipped()]
    assert skipped == ([] if reason is None else [(name, reason)])
    for file in index.store.files():
        assert index.store.chunks_of(file.id)
    index.close()


def _bytes(path: Path) -> int:
    return sum(p.stat().st_size for p in path.parent.glob(f"{path.name}*"))
