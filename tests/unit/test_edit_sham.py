"""An edit that cannot be read overwrites no file, goes to no other file, and is never taken in part."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

import pytest

from greenline.core.edit import FileChange
from greenline.core.error import EditRejected
from greenline.edit import write
from greenline.edit.apply import edit_set_from_text
from greenline.edit.staging import Staging
from greenline.edit.write import Occasion, apply_changes
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.store import SqliteJournal

A = "import os\nimport sys\n\n\ndef f():\n    return 1\n"
FILES = {"/w/a.py": A.encode(), "/w/c.py": b"import os\nimport sys\nx = 1\n"}
BLOCK = "```python\n<<<<<<< SEARCH\nimport sys\n=======\nimport re\n>>>>>>> REPLACE\n```\n"
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-import os\n+import io\n import sys\n"


def applied(edit: str, files: dict[str, bytes] | None = None) -> dict[str, str | None]:
    """Return what an edit makes of files, by name."""
    held = FILES if files is None else {f"/w/{name}": data for name, data in files.items()}
    changes = edit_set_from_text(edit, Staging(held.get, "/w")).changes
    return {c.path[3:]: None if c.after is None else c.after.decode() for c in changes}


def code(edit: str, files: dict[str, bytes] | None = None) -> str:
    with pytest.raises(EditRejected) as caught:
        applied(edit, files)
    return caught.value.code


@pytest.mark.parametrize(
    "content",
    [
        "-import os\n+import io\n",
        "<<<<<<< ours\nimport os\n=======\nimport io\n>>>>>>> theirs\n",
        "<<< SEARCH\nimport os\n===\nimport io\n>>> REPLACE\n",
        "SEARCH:\nimport os\nREPLACE:\nimport io\n",
        "<search>\nimport os\n</search>\n<replace>\nimport io\n</replace>\n",
        '{"old_string": "import os", "new_string": "import io"}\n',
        "s/import os/import io/\n",
        "Traceback (most recent call last):\n  File 'a.py'\n",
        "  @@ -2,1 +2,1 @@\n  -import os\n  +import io\n",
    ],
)
@pytest.mark.parametrize("language", ["", "python"])
def test_what_is_no_file_overwrites_none(content: str, language: str) -> None:
    assert code(f"a.py\n```{language}\n{content}```\n") == "malformed"


def test_a_diff_that_is_indented_in_a_list_overwrites_no_file() -> None:
    indented = "".join(f"   {line}\n" for line in f"```diff\n{DIFF}```".split("\n"))

    assert code(f"1. Fix:\n{indented}") == "malformed"


def test_a_file_in_a_list_loses_the_blanks_of_its_fence() -> None:
    assert applied("1. a.py\n   ```python\n   x = 1\n   ```\n") == {"a.py": "x = 1\n"}


@pytest.mark.parametrize(
    "above",
    [
        *("Changes to c.py:", "In c.py:", "### 2. Update c.py", "Now c.py", "[c.py](c.py)", "*c.py*"),
        *("c.py (same change)", "And the same in `c.py`, which also needs it.", "<c.py>"),
    ],
)
def test_a_block_below_words_about_another_file_is_not_the_first_ones(above: str) -> None:
    first = BLOCK.replace("sys", "os").replace("re\n", "io\n")

    assert code(f"a.py\n{first}\n{above}\n\n{BLOCK}") == "malformed"
    assert applied(f"a.py\n{first}\nAnd in the same file:\n\n{BLOCK}") == {
        "a.py": A.replace("os", "io").replace("sys", "re")
    }


@pytest.mark.parametrize("above", ["c.py", "### c.py", "Changes to c.py:"])
def test_a_hunk_below_words_about_another_file_is_not_the_first_ones(above: str) -> None:
    second = "@@ -2,1 +2,1 @@\n-import sys\n+import re\n"

    assert code(f"```diff\n{DIFF}```\n\n{above}\n```diff\n{second}```\n") == "malformed"


@pytest.mark.parametrize("text", ["a\nx\nb\nx", "a\nx\nb\nx\n"])
def test_a_twin_at_the_end_of_a_file_is_a_twin(text: str) -> None:
    block = "t.txt\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"

    assert code(block, {"t.txt": text.encode()}) == "ambiguous"
    assert (
        code('{"edits": [{"path": "t.txt", "search": "x\\n", "replace": "y\\n"}]}', {"t.txt": text.encode()})
        == "ambiguous"
    )


def test_a_stated_line_is_not_overruled_by_a_stricter_twin() -> None:
    text = "def a():\n    x = 1 \n    return\n\ndef b():\n    x = 1\n    return\n"
    edit = '{"edits": [{"path": "t.py", "search": "    x = 1\\n    return\\n", "replace": "    x = 2\\n", '

    assert code(f'{edit}"start_line": 2}}]}}', {"t.py": text.encode()}) == "ambiguous"
    assert "b():\n    x = 2\n" in (
        applied(f'{edit}"start_line": 6}}]}}', {"t.py": text.encode()})["t.py"] or ""
    )


def test_an_added_line_that_lost_its_mark_is_added_where_the_counts_say_so() -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,4 @@\n import os\n+import re\nimport io\n import sys\n"

    assert applied(diff) == {"a.py": A.replace("import sys", "import re\nimport io\nimport sys")}
    assert code(diff.replace("+1,4", "+1,9")) == "malformed"


@pytest.mark.parametrize("line", ["＋import io", "\\    import io"])
def test_a_line_with_a_mark_that_is_none_is_refused(line: str) -> None:
    assert code(f"--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-import os\n{line}\n import sys\n") == "malformed"


@pytest.mark.parametrize(
    "edit",
    [
        '{"edits": [], "edits": [{"path": "a.py", "search": "os", "replace": "io"}]}',
        '{"edits": [{"path": "a.py", "search": "os", "search": "sys", "replace": "io"}]}',
        '{"edits": [{"path": "a.py", "search": "os", "replace": "io"}], "creates": [{"path": "n"}]}',
        '{"writes": [{"path": "a.py", "content": "x"}], "ops": [{"op": "delete", "path": "a.py"}]}',
        '{"ops": [{"op": "create", "path": "n.py", "content": "x", "move_to": "m.py"}]}',
        '```json\n{"edits": [{"path": "a.py", "search": "os", "replace": "io"}]}\n```\n'
        '```json\n{"edits": [{"path": "c.py", "search": "os", "replace": "io"},]}\n```\n',
    ],
)
def test_json_of_which_a_part_would_be_lost_is_refused(edit: str) -> None:
    assert code(edit) == "malformed"


@pytest.mark.parametrize(
    "edit",
    [
        "https://x.y/a.py\n```\nx = 1\n```\n",
        "```6:8:a.py\nx = 1\n```\n",
        "a.py\n```python\nx = 1\n```\n\na.py\n```python\ny = 1\n```\n",
        *(
            f"a.py\n```python\n{line}\n```\n"
            for line in ("# ⋮", "⋮", "# 其余代码不变", "# keep f and g as they are")
        ),
    ],
)
def test_what_names_no_file_or_only_a_piece_of_it_is_refused(edit: str) -> None:
    code(edit)


def _append(root: str, state: str, name: str, barrier: object) -> None:
    """Add lines to one file, each against what it holds then, until all are in."""
    store = CheckpointStore(SqliteJournal(Path(state) / "journal.db"), BlobStore(Path(state) / "blobs"))
    path = Path(root) / "a.txt"
    compare = write._compare

    def slowly(name: str, expected: bytes | None) -> None:
        compare(name, expected)
        time.sleep(0.005)

    # Longer than ever between the comparison and the new name, so that a race is lost at once.
    write._compare = slowly
    barrier.wait()  # type: ignore[attr-defined]
    done = 0
    while done < 10:
        before = path.read_bytes()
        change = FileChange(str(path), before, before + f"{name}{done}\n".encode())
        try:
            apply_changes([change], [root], store, Occasion("a test"))
            done += 1
        except EditRejected:
            continue


def test_two_processes_that_write_one_file_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENLINE_STATE_DIR", str(tmp_path / "state"))
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.txt").write_bytes(b"")
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    states = [tmp_path / name for name in "xy"]
    for state in states:
        state.mkdir()
    writers = [
        context.Process(target=_append, args=(str(root), str(state), state.name, barrier)) for state in states
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)

    assert [writer.exitcode for writer in writers] == [0, 0]
    lines = (root / "a.txt").read_text().splitlines()
    assert sorted(lines) == sorted(f"{name}{n}" for name in "xy" for n in range(10))
