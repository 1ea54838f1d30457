"""After any sequence of changes and deaths the index equals one that is built from nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from index_dump import WordEmbedder, check_whole, dump

from greenline.guard.gate import Gate
from greenline.index.indexer import Indexer

NAMES = st.sampled_from(
    [
        "a.py",
        "b.py",
        "pkg/c.py",
        "pkg/d.js",
        "pkg/deep/e.md",
        "conf.toml",
        "notes.txt",
        ".env",
        "pkg/x.min.js",
    ]
)
FOLDERS = st.sampled_from(["pkg", "pkg/deep", "new"])
BODIES = st.sampled_from(
    [
        "",
        "def one():\n    return two()\n",
        "import os\n\n\nclass Box:\n    '''Holds things.'''\n\n    def put(self, thing):\n"
        "        self.things.append(thing)\n",
        "# A title\n\nSome words on getUserName and more.\n",
        "x = 1\n" * 300,
        "def broken(:\n    'never closed\n",
        "export function load(name) { return read(name) }\nimport {read} from './d'\n",
        "\0binary",
        "a = '" + "y" * 6000 + "'\n",
        "".join(f"def f{n}(a, b):\n    return g{n}(a) + b.h{n}()\n\n\n" for n in range(60)),
        "caf\u00e9 = 'na\u00efve'\r\nline = 2\r\n",
    ]
)
IGNORES = st.sampled_from(["", "pkg/\n", "*.py\n!a.py\n", "notes.txt\n", "/pkg/deep/*\n!/pkg/deep/e.md\n"])


class Killed(BaseException):
    """Stands for the end of the process; nothing after it runs."""


class Workspace(RuleBasedStateMachine):
    """A folder with git, changed at random while an index follows."""

    @initialize()
    def start(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="greenline-index-"))
        self.root = self.home / "root"
        self.root.mkdir()
        self.git("init", "-q", "-b", "main")
        self.embedder = WordEmbedder()
        self.n_branches = 0
        self.changed: set[str] = set()
        self.buffers: dict[str, str | None] = {}
        self.indexer = self.opened("live.db")

    def opened(self, name: str) -> Indexer:
        root = str(self.root)
        return Indexer(self.home / name, [root], Gate([root]), self.embedder)

    def git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.autocrlf=false"]
        subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True, capture_output=True)

    def touch(self, *names: str) -> None:
        self.changed.update(str(self.root / name) for name in names)

    @rule(name=NAMES, body=BODIES)
    def write(self, name: str, body: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body.encode())
        self.touch(name)

    @rule(name=NAMES, at=st.floats(0, 1), text=st.sampled_from(["\n", "def new():\n    pass\n", "'", "x"]))
    def edit(self, name: str, at: float, text: str) -> None:
        path = self.root / name
        if path.is_file():
            data = path.read_bytes()
            cut = int(at * len(data))
            path.write_bytes(data[:cut] + text.encode() + data[cut:])
            self.touch(name)

    @rule(name=NAMES, body=BODIES)
    def replace_quietly(self, name: str, body: str) -> None:
        """Replace a file, as editors do, by another of the same age."""
        path = self.root / name
        if path.is_file():
            status = path.stat()
            beside = path.with_name("~tmp")
            beside.write_bytes(body.encode())
            os.utime(beside, ns=(status.st_atime_ns, status.st_mtime_ns))
            beside.replace(path)
            self.touch(name)

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)
        self.touch(name)

    @rule(old=NAMES, new=NAMES)
    def move(self, old: str, new: str) -> None:
        if (self.root / old).is_file() and old != new:
            (self.root / new).parent.mkdir(parents=True, exist_ok=True)
            (self.root / old).replace(self.root / new)
            self.touch(old, new)

    @rule(folder=FOLDERS, to=FOLDERS)
    def move_folder(self, folder: str, to: str) -> None:
        source, target = self.root / folder, self.root / to
        if source.is_dir() and not target.exists() and not to.startswith(f"{folder}/"):
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)
            self.touch(folder, to)

    @rule(folder=FOLDERS)
    def delete_folder(self, folder: str) -> None:
        shutil.rmtree(self.root / folder, ignore_errors=True)
        self.touch(folder)

    @rule(to=st.sampled_from(["a.py", "nowhere", "pkg", ".", "/etc/passwd"]))
    def link(self, to: str) -> None:
        path = self.root / "link.py"
        path.unlink(missing_ok=True)
        path.symlink_to(to)
        self.touch("link.py")

    @rule(rules=IGNORES)
    def ignore(self, rules: str) -> None:
        (self.root / ".gitignore").write_text(rules)
        self.touch(".gitignore")

    @rule()
    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "c")
        self.touch(".git/index")

    @rule(back=st.booleans())
    def switch(self, back: bool) -> None:
        self.commit()
        if back and self.n_branches:
            self.git("checkout", "-q", f"b{self.n_branches - 1}")
        else:
            self.git("checkout", "-q", "-b", f"b{self.n_branches}")
            self.n_branches += 1
        self.touch(".git/index", *(str(p.relative_to(self.root)) for p in self.root.rglob("*.*")))

    @rule(name=NAMES, body=BODIES)
    def open_buffer(self, name: str, body: str) -> None:
        if "\0" not in body:
            self.buffers[str(self.root / name)] = body
            self.indexer.set_buffers({str(self.root / name): body})

    @rule(name=NAMES)
    def close_buffer(self, name: str) -> None:
        self.buffers.pop(str(self.root / name), None)
        self.indexer.set_buffers({str(self.root / name): None})

    @rule()
    def maintain(self) -> None:
        self.indexer.maintain()

    @rule(after=st.integers(0, 5))
    def die(self, after: int) -> None:
        """Lose everything that was not committed, as `kill -9` does, and begin again."""
        left = [after]

        def pause() -> None:
            left[0] -= 1
            if left[0] < 0:
                # The connection closes without a commit: what a dead process leaves is the same.
                self.indexer.close()
                raise Killed

        self.indexer.pause = pause
        try:
            self.indexer.update(self.changed)
        except Killed:
            pass
        except Exception as error:  # noqa: BLE001 - the commit on the closed connection may fail in its own way
            assert "closed" in str(error).lower(), error
        self.indexer.close()
        self.changed.clear()
        self.indexer = self.opened("live.db")
        self.indexer.set_buffers(self.buffers)
        self.indexer.scan()
        self.equals_a_new_one()

    @rule()
    def scan(self) -> None:
        self.indexer.scan()
        self.changed.clear()
        self.equals_a_new_one()

    @precondition(lambda self: self.changed)
    @rule()
    def update(self) -> None:
        self.indexer.update(self.changed)
        self.changed.clear()
        self.equals_a_new_one()

    def equals_a_new_one(self) -> None:
        fresh = self.opened("fresh.db")
        try:
            fresh.set_buffers(self.buffers)
            fresh.scan()

            live, new = dump(self.indexer.store), dump(fresh.store)
            check_whole(self.indexer.store)
        finally:
            fresh.close()
            for path in self.home.glob("fresh.db*"):
                path.unlink()
        assert live == new

    def teardown(self) -> None:
        if hasattr(self, "indexer"):
            self.indexer.update(self.changed)
            self.equals_a_new_one()
            self.indexer.close()
            shutil.rmtree(self.home)


TestWorkspace = Workspace.TestCase
TestWorkspace.settings = settings(
    max_examples=int(os.environ.get("GREENLINE_EXAMPLES", "15")),
    stateful_step_count=20,
    deadline=None,
    derandomize="GREENLINE_EXAMPLES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
