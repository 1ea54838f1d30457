"""The index follows a real file system and real git, whatever an editor, a tool or a checkout does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from index_dump import WordEmbedder
from index_live import git, live, until

from greenline.index.live.batch import QUIET_S
from greenline.index.live.network import is_on_network
from greenline.index.schema import connect
from greenline.index.store import IndexStore
from greenline.index.vector import Floats

CASES = Path(__file__).parents[1] / "data" / "index"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    for n in range(6):
        (folder / f"f{n}.py").write_text(f"def f{n}(a):\n    return g{n}(a)\n")
    return folder


def play(case: Path, root: Path, texts: dict[str, bytes]) -> float:
    """Do on the disk what a case tells of, at its times; return how late the latest event was, in s."""
    began = time.monotonic()
    late_s = 0.0
    for line in (case / "events.jsonl").read_text().splitlines():
        event = json.loads(line)
        time.sleep(max(0.0, began + event["t"] - time.monotonic()))
        path = root / event["path"]
        if event["ev"] in ("created", "modified"):
            path.write_bytes(texts[event["path"]])
        elif event["ev"] == "moved":
            path.replace(root / event["dest"])
        else:
            path.unlink()
        late_s = max(late_s, time.monotonic() - began - event["t"])
    return late_s


def test_files_that_are_written_made_moved_and_removed_are_followed(tmp_path: Path, root: Path) -> None:
    with live(tmp_path, root) as index:
        (root / "f0.py").write_text("def written():\n    pass\n")
        (root / "made.py").write_text("def made():\n    pass\n")
        (root / "f1.py").rename(root / "moved.py")
        (root / "f2.py").unlink()
        until(index.equals_fresh)

        assert "made.py" in index.files()
        assert "f1.py" not in index.files()
        assert index.keeper.status().watching == "events"


def test_an_atomic_save_is_read_once_under_its_destination(tmp_path: Path) -> None:
    case = CASES / "38-atomic-save"
    expected = json.loads((case / "expected.json").read_text())
    # On a busy machine the three events can come far apart, and be three changes: then they are played again.
    for n in range(100):
        root = tmp_path / str(n) / "root"
        shutil.copytree(case / "before", root)
        with live(root.parent, root) as index:
            late_s = play(case, root, {".mod.py.x7~": (case / "after" / "mod.py").read_bytes()})
            until(lambda index=index: index.defines(*expected["symbols"]["mod.py"]))
            until(index.equals_fresh)

            store = IndexStore(index.path)
            paths = [path for (path,) in store.connection.execute("SELECT path FROM files")]
            store.close()
        if late_s < QUIET_S / 3:
            break

    assert paths.count(".mod.py.x7~") == expected["rows_for"][".mod.py.x7~"]
    assert paths.count("mod.py") == 1 + expected["index_runs"]["mod.py"]


def test_a_storm_of_deletes_and_creates_empties_nothing(tmp_path: Path) -> None:
    case = CASES / "39-checkout-storm"
    expected = json.loads((case / "expected.json").read_text())
    root = tmp_path / "root"
    root.mkdir()
    texts = {f"f{n}.py": f"def f{n}():\n    return {n}\n".encode() for n in range(12)}
    for name, text in texts.items():
        (root / name).write_bytes(text)
    embedder = WordEmbedder()
    with live(tmp_path, root, embedder=embedder) as index:
        before = embedder.n_texts
        play(case, root, texts)
        until(index.equals_fresh)
        until(index.is_ready)

        assert len(index.files()) == expected["indexed_files"]
        assert embedder.n_texts - before == expected["embedding_calls"]


def test_a_switch_of_a_thousand_files_and_back_embeds_nothing_again(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for n in range(1000):
        folder = root / f"p{n % 20}"
        folder.mkdir(exist_ok=True)
        (folder / f"m{n}.py").write_text(f"def of_main_{n}():\n    return {n}\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    git(root, "checkout", "-qb", "side")
    for n in range(1000):
        (root / f"p{n % 20}" / f"m{n}.py").write_text(f"def of_side_{n}():\n    return {n}\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "two")
    embedder = WordEmbedder()
    with live(tmp_path, root, embedder=embedder) as index:
        git(root, "checkout", "-q", "main")
        until(index.equals_fresh, 60)
        until(index.is_ready)
        before = embedder.n_texts
        git(root, "checkout", "-q", "side")
        until(index.equals_fresh, 60)

        assert embedder.n_texts == before
        assert len(index.files()) == 1000


def test_files_in_new_folders_are_found_however_fast_they_come(tmp_path: Path, root: Path) -> None:
    with live(tmp_path, root) as index:
        for n in range(40):
            folder = root / f"new{n}" / "deep" / "er"
            folder.mkdir(parents=True)
            (folder / "x.py").write_text(f"def raced_{n}():\n    pass\n")
            (folder.parent / "y.py").write_text(f"def beside_{n}():\n    pass\n")
        until(index.equals_fresh)
        assert len(index.files()) == 86
        (root / "new7" / "deep" / "er" / "late.py").write_text("def late():\n    pass\n")
        until(lambda: index.defines("late"))


def test_a_moved_folder_is_followed_to_where_it_is(tmp_path: Path, root: Path) -> None:
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "x.py").write_text("def x():\n    pass\n")
    outside = tmp_path / "outside"
    with live(tmp_path, root) as index:
        (root / "a").rename(root / "c")
        until(index.equals_fresh)
        (root / "c" / "b" / "y.py").write_text("def y():\n    pass\n")
        until(lambda: index.defines("y"))
        (root / "c").rename(outside)
        until(index.equals_fresh)
        assert not index.defines("x")
        (outside / "b" / "z.py").write_text("def z():\n    pass\n")
        outside.rename(root / "back")
        until(index.equals_fresh)
        assert index.defines("z")
        assert all(not path.startswith(("a/", "c/")) for path in index.files())


def test_a_root_that_goes_is_empty_and_one_that_comes_back_is_read(tmp_path: Path, root: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    with live(tmp_path, root) as index:
        root.rename(elsewhere)
        until(lambda: not index.files())
        until(lambda: str(root) in index.keeper.status().note)
        (elsewhere / "f0.py").write_text("def elsewhere():\n    pass\n")
        elsewhere.rename(root)
        until(index.equals_fresh)
        assert index.defines("elsewhere")
        until(lambda: not index.keeper.status().note)
        shutil.rmtree(root)
        until(lambda: not index.files())
        root.mkdir()
        (root / "again.py").write_text("def again():\n    pass\n")
        until(index.equals_fresh)
        (root / "more.py").write_text("def more():\n    pass\n")
        until(lambda: index.defines("more"))


@pytest.mark.parametrize("name", [".gitignore", ".greenlineignore"])
def test_ignore_files_count_from_the_moment_they_change(tmp_path: Path, root: Path, name: str) -> None:
    (root / "out").mkdir()
    (root / "out" / "x.py").write_text("def x():\n    pass\n")
    with live(tmp_path, root) as index:
        (root / name).write_text("out/\n")
        until(lambda: not index.defines("x"))
        (root / "out" / "y.py").write_text("def y():\n    pass\n")
        (root / name).write_text("f5.py\n")
        until(lambda: index.defines("y"))
        until(index.equals_fresh)
        (root / "out" / "z.py").write_text("def z():\n    pass\n")
        until(lambda: index.defines("z"))


def test_what_git_is_told_to_track_is_indexed_though_it_is_ignored(tmp_path: Path, root: Path) -> None:
    git(root, "init", "-q")
    (root / ".gitignore").write_text("gen/\n")
    (root / "gen").mkdir()
    (root / "gen" / "g.py").write_text("def generated():\n    pass\n")
    with live(tmp_path, root) as index:
        assert not index.defines("generated")
        git(root, "add", "-f", "gen/g.py")
        until(lambda: index.defines("generated"))
        (root / "gen" / "g.py").write_text("def again():\n    pass\n")
        until(lambda: index.defines("again"))


class WritingEmbedder(WordEmbedder):
    """Writes a file while the first text with a word is embedded: after it was read, before it is kept."""

    def __init__(self, word: str, path: Path, text: str) -> None:
        super().__init__()
        self._word, self._path, self._text = word, path, text
        self.has_written = False

    def embed(self, texts: Sequence[str]) -> Floats:
        if not self.has_written and any(self._word in text for text in texts):
            self.has_written = True
            self._path.write_text(self._text)
        return super().embed(texts)


def test_a_tracked_and_ignored_file_is_watched_before_it_is_read(tmp_path: Path, root: Path) -> None:
    git(root, "init", "-q")
    (root / ".gitignore").write_text("gen/\n")
    file = root / "gen" / "deep" / "g.py"
    file.parent.mkdir(parents=True)
    file.write_text("def generated():\n    pass\n")
    embedder = WritingEmbedder("generated", file, "def again():\n    pass\n")
    with live(tmp_path, root, embedder=embedder) as index:
        git(root, "add", "-f", "gen/deep/g.py")
        until(lambda: index.defines("again"))

        assert embedder.has_written


def test_a_tracked_and_ignored_file_is_followed_when_it_goes_and_comes_back(
    tmp_path: Path, root: Path
) -> None:
    git(root, "init", "-q")
    (root / ".gitignore").write_text("gen/\n*.gen.py\n")
    files = [root / "gen" / "deep" / "g.py", root / "top.gen.py"]
    files[0].parent.mkdir(parents=True)
    for n, file in enumerate(files):
        file.write_text(f"def first_{n}():\n    pass\n")
    git(root, "add", "-f", ".")
    with live(tmp_path, root) as index:
        shutil.rmtree(root / "gen")
        files[1].unlink()
        until(lambda: not index.defines("first_0") and not index.defines("first_1"))
        files[0].parent.mkdir(parents=True)
        for n, file in enumerate(files):
            file.write_text(f"def again_{n}():\n    pass\n")
        until(lambda: index.defines("again_0") and index.defines("again_1"))
        files[0].write_text("def late():\n    pass\n")
        until(lambda: index.defines("late"))


def test_a_folder_that_moved_is_watched_though_it_was_added_before_its_move_was_heard(root: Path) -> None:
    from greenline.index.live.inotify_watch import InotifyWatch

    heard: set[str] = set()
    may_go_on = threading.Event()

    class Listener:
        def on_paths(self, paths: Iterable[str]) -> None:
            heard.update(paths)
            assert may_go_on.wait(20)

        def on_lost(self) -> None: ...
        def on_git(self, root: str) -> None: ...
        def on_limit(self, problem: str) -> None: ...

    (root / "old" / "deep").mkdir(parents=True)
    watch = InotifyWatch([str(root)], Listener(), lambda path: False)
    try:
        (root / "first.py").write_text("")
        until(lambda: str(root / "first.py") in heard)
        (root / "old").rename(root / "new")
        watch.add([str(root / "new"), str(root / "new" / "deep")])
        may_go_on.set()
        until(lambda: str(root / "new") in heard)
        (root / "new" / "x.py").write_text("")
        (root / "new" / "deep" / "y.py").write_text("")
        until(lambda: {str(root / "new" / "x.py"), str(root / "new" / "deep" / "y.py")} <= heard)
    finally:
        may_go_on.set()
        watch.close()


def test_a_folder_that_becomes_a_repository_obeys_it(tmp_path: Path, root: Path) -> None:
    with live(tmp_path, root) as index:
        git(root, "init", "-q")
        (root / ".git" / "info" / "exclude").write_text("f4.py\n")
        git(root, "add", ".")
        until(lambda: "f4.py" not in index.files())
        until(index.equals_fresh)


def test_open_buffers_lie_over_the_disk(tmp_path: Path, root: Path) -> None:
    path = str(root / "f0.py")
    with live(tmp_path, root) as index:
        index.keeper.put_buffers({path: "def typed():\n    pass\n"})
        until(lambda: index.defines("typed"))
        (root / "f0.py").write_text("def on_disk():\n    pass\n")
        index.keeper.on_lost()
        until(lambda: index.equals_fresh({path: "def typed():\n    pass\n"}))
        index.keeper.put_buffers({path: None})
        until(lambda: index.defines("on_disk"))
        until(index.equals_fresh)


def test_a_paused_index_rests_and_then_catches_up(tmp_path: Path, root: Path) -> None:
    with live(tmp_path, root) as index:
        index.keeper.rest(paused=True)
        until(lambda: index.keeper.status().state == "paused")
        (root / "late.py").write_text("def late():\n    pass\n")
        until(lambda: index.keeper.status().n_pending > 0)
        assert index.keeper.status().completeness < 1
        assert not index.defines("late")
        index.keeper.rest(paused=False)
        until(lambda: index.defines("late"))
        until(index.is_ready)
        assert index.keeper.status().completeness == 1


def test_without_watches_changes_are_looked_for(tmp_path: Path, root: Path) -> None:
    with live(tmp_path, root) as index:
        index.keeper.on_limit("The system gives no more file watches.")
        until(lambda: index.keeper.status().watching == "polling")
        (root / "late.py").write_text("def late():\n    pass\n")
        until(lambda: index.defines("late"))

        assert "no more file watches" in index.keeper.status().note


def test_an_index_that_contradicts_itself_is_built_anew(tmp_path: Path, root: Path) -> None:
    with live(tmp_path, root) as index:
        connection = connect(index.path, writable=True)
        connection.execute("INSERT INTO free SELECT id FROM chunks")
        connection.close()
        (root / "late.py").write_text("def late():\n    pass\n")
        until(lambda: any(status.state == "failed" for status in index.told))
        until(lambda: index.defines("late"))
        until(index.equals_fresh)


NO_INSTANCE = """
import os, resource, sys
import greenline.index.live.inotify_watch
from greenline.index.live.watch import Unwatchable, open_watch
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
held = []
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
try:
    open_watch([sys.argv[1]], None, lambda path: False)
except Unwatchable as error:
    os.closerange(held[0], held[-1] + 1)
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is inotify's")
def test_a_system_without_watches_is_a_reason_and_no_crash(root: Path) -> None:
    command = [sys.executable, "-c", NO_INSTANCE, str(root)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)

    assert "sysctl" in done.stdout, done.stderr


def test_ignored_folders_and_environments_take_no_watch(tmp_path: Path, root: Path) -> None:
    from greenline.index.live.inotify_watch import InotifyWatch

    for name in ("node_modules/a/b", ".git/objects/aa", "src/one"):
        (root / name).mkdir(parents=True)

    class Nobody:
        def on_paths(self, paths: object) -> None: ...
        def on_lost(self) -> None: ...
        def on_git(self, root: str) -> None: ...
        def on_limit(self, problem: str) -> None: ...

    names = {"node_modules", ".git"}
    watch = InotifyWatch([str(root)], Nobody(), lambda path: os.path.basename(path) in names)  # noqa: PTH119
    try:
        assert len(watch) == 3
    finally:
        watch.close()


MOUNTS = """\
22 1 0:20 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:35 / /home/u/share rw,relatime shared:20 - cifs //nas/share rw
41 22 0:36 / /mnt/my\\040drive rw,relatime - nfs4 nas:/x rw
42 22 0:37 / /mnt/local rw,relatime - fuse.ntfs-3g /dev/sdb1 rw
43 22 0:38 / /mnt/ssh rw,relatime - fuse.sshfs host:/ rw
44 40 0:39 / /home/u/share/tmp rw - tmpfs tmpfs rw
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/u/project", False),
        ("/home/u/share", True),
        ("/home/u/share/deep/project", True),
        ("/home/u/shared", False),
        ("/home/u/share/tmp/x", False),
        ("/mnt/my drive/project", True),
        ("/mnt/local/project", False),
        ("/mnt/ssh/project", True),
    ],
)
def test_a_network_drive_is_known_by_its_mount(path: str, expected: bool) -> None:
    assert is_on_network(path, MOUNTS) is expected
