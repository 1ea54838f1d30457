"""`greenline search` on a small project."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from greenline.app import index_path
from greenline.cli import main

UPLOAD = '''class Upload:
    def send(self, part: bytes) -> int:
        """Send one part, and try again when the line is busy."""
        return len(part)
'''

KEEPER = """
import sys
from pathlib import Path
from greenline.index.live.lease import Lease
print(Lease(Path(sys.argv[1])).beat("keeper"), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "net").mkdir(parents=True)
    (folder / "net" / "upload.py").write_text(UPLOAD)
    (folder / "net" / "clock.py").write_text("def now() -> float:\n    return 0.0\n")
    return folder


def search(root: Path, *arguments: str) -> int:
    return main(["search", "--root", str(root), *arguments])


def test_json_is_a_list_with_the_documented_keys(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert search(root, "--json", "how is a part sent again") == 0

    hits = json.loads(capsys.readouterr().out)
    assert list(hits[0]) == ["path", "startLine", "endLine", "symbol", "kind", "score", "sources"]
    assert hits[0]["path"] == "net/upload.py"
    assert 1 <= hits[0]["startLine"] <= hits[0]["endLine"] <= 5
    assert "words" in hits[0]["sources"]


def test_a_saved_file_is_searched_as_it_is_now(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    search(root, "--json", "heartbeat")
    assert all("words" not in hit["sources"] for hit in json.loads(capsys.readouterr().out))

    (root / "net" / "clock.py").write_text("def heartbeat() -> float:\n    return 1.0\n")
    search(root, "--json", "heartbeat")

    first = json.loads(capsys.readouterr().out)[0]
    assert (first["path"], first["symbol"]) == ("net/clock.py", "heartbeat")


def test_people_read_the_place_and_the_reasons(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert search(root, "Upload") == 0

    line = capsys.readouterr().out.split("\n")[0]
    assert "net/upload.py:1-" in line
    assert "symbol" in line


def test_what_a_terminal_would_act_on_is_written_out(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "net" / "bell\x1b[31m.py").write_text("def ring() -> None:\n    pass\n")

    search(root, "ring the bell")

    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [(["--limit", "0", "x"], "0"), (["--kind", "klass", "x"], "klass"), ([" "], "no words")],
)
def test_wrong_input_is_one_line_and_exit_code_2(
    root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    assert search(root, *arguments) == 2

    captured = capsys.readouterr()
    assert named in captured.err
    assert len(captured.err.strip().split("\n")) == 1
    assert captured.out == ""


def test_an_unknown_embedder_is_named(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENLINE_EMBEDDER", "abacus")

    assert search(root, "x") == 2
    assert "abacus" in capsys.readouterr().err


def test_without_vectors_words_still_find(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENLINE_EMBEDDER", "none")

    assert search(root, "--json", "busy line") == 0
    hits = json.loads(capsys.readouterr().out)
    assert hits[0]["path"] == "net/upload.py"
    assert "vectors" not in hits[0]["sources"]


def test_an_index_that_another_process_keeps_is_only_read(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    search(root, "--json", "part")
    path = index_path([str(root)])
    keeper = subprocess.Popen(
        [sys.executable, "-c", KEEPER, f"{path}.lease"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert keeper.stdout is not None
    assert keeper.stdout.readline().strip() == b"True"
    (root / "net" / "late.py").write_text("def latecomer() -> None:\n    pass\n")
    capsys.readouterr()

    assert search(root, "--json", "latecomer") == 0

    assert "net/late.py" not in capsys.readouterr().out
    keeper.communicate()
    search(root, "--json", "latecomer")
    assert "net/late.py" in capsys.readouterr().out
