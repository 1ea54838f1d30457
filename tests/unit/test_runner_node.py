"""What Node's and Go's processes tell, read without them: counters, maps, profiles and channels."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.append(str(Path(__file__).parents[2] / "sandbox" / "runner"))

from greenline_runner import external
from greenline_runner.external import report_of
from greenline_runner.file_pattern import compiled
from greenline_runner.go_cover import Profiles
from greenline_runner.go_test_side import known_flags
from greenline_runner.node_test_side import test_files as files_of
from greenline_runner.source_map import inline_map, segments
from greenline_runner.v8_cover import Calls, plain_path

SOURCE = (
    "const a = 1;\nfunction f(x) {\n  if (x) {\n    return 1;\n  }\n  return 'é𝒳';\n}\nconst g = () => 2;\n"
)


def lines_of(root: Path, text: str, *functions: list[int], compiled_text: str = "") -> dict[str, str]:
    (root / "a.js").write_text(text, encoding="utf-8")
    calls = Calls(str(root))
    url = f"file://{root}/a.js"
    if compiled_text:
        calls.add_source({"url": url, "text": compiled_text})
    calls.add({"tests": ["t"], "scripts": [{"url": url, "functions": list(functions)}]})
    calls.finish()
    found: dict[str, str] = calls.of("t")
    return found


def place(text: str, piece: str) -> tuple[int, int]:
    """Return where a piece is, in the UTF-16 units in which the engine counts."""
    start = len(text[: text.index(piece)].encode("utf-16-le")) // 2
    return start, start + len(piece.encode("utf-16-le")) // 2


def test_import_counts_for_no_test(tmp_path: Path) -> None:
    assert lines_of(tmp_path, SOURCE, [0, len(SOURCE) + 1, 1]) == {}


def test_blocks_that_were_not_entered_are_left_out(tmp_path: Path) -> None:
    function = place(SOURCE, SOURCE[SOURCE.index("function") : SOURCE.index("const g") - 1])
    block = place(SOURCE, "{\n    return 1;\n  }")

    assert lines_of(tmp_path, SOURCE, [*function, 1, *block, 0]) == {"a.js": "2-3,6"}


def test_letters_of_two_units_move_nothing(tmp_path: Path) -> None:
    assert lines_of(tmp_path, SOURCE, [*place(SOURCE, "() => 2"), 1]) == {"a.js": "8"}


def test_a_function_inside_that_was_not_called_is_left_out(tmp_path: Path) -> None:
    text = "function f() {\n  const g = () => {\n    return 1;\n  };\n  return 2;\n}\nf();\n"
    inner = place(text, "() => {\n    return 1;\n  }")

    found = lines_of(tmp_path, text, [0, text.index("\nf();"), 1], [*inner, 0])

    assert found == {"a.js": "1-2,5"}


def test_a_compiled_file_is_told_by_its_map(tmp_path: Path) -> None:
    wrapper = "'use strict';async (a,b)=>{{"
    # Line 1 of the compiled text came from line 3, and its line 2 from line 5.
    found_map = {"sources": ["a.js"], "mappings": "AAEA;AAEA"}
    data = base64.b64encode(json.dumps(found_map).encode()).decode()
    address = f"//# sourceMappingURL=data:application/json;base64,{data}"
    text = f"{wrapper}f = function () {{ one();\ntwo(); }};\n{address}"
    start = text.index("function")

    found = lines_of(
        tmp_path, SOURCE, [13, len(text), 1], [start, text.index("};") + 1, 1], compiled_text=text
    )

    assert found == {"a.js": "5"}


def test_a_compiled_file_without_a_map_is_not_told(tmp_path: Path) -> None:
    assert lines_of(tmp_path, SOURCE, [5, 20, 1], compiled_text="var other = function () {};") == {}


@pytest.mark.parametrize(
    ("address", "path"), [("file:///w/a%20b/%C3%A9.js", "/w/a b/é.js"), ("/w/a%20b.js", "/w/a%20b.js")]
)
def test_an_address_is_a_path(address: str, path: str) -> None:
    assert plain_path(address) == path


def test_mappings_are_read() -> None:
    assert list(segments("AAAA,IAAM;;AACA")) == [(0, 0, 0, 0), (0, 4, 0, 0), (2, 0, 0, 1)]


@given(st.text())
def test_no_map_breaks_the_reading(text: str) -> None:
    list(segments(text))
    found = inline_map(f"//# sourceMappingURL=data:application/json;base64,{text}")
    assert found is None or isinstance(found["mappings"], str)


def test_a_profile_of_go_is_read(tmp_path: Path) -> None:
    (tmp_path / "calc").mkdir()
    text = "package calc\n\nfunc Low(x int) bool {\n\tif x < 3 {\n\t\treturn true\n\t}\n\treturn false\n}\n"
    (tmp_path / "calc" / "calc.go").write_text(text)
    profile = tmp_path / "out"
    profile.write_text(
        "mode: set\nexample.org/calc/calc.go:3.22,4.11 1 1\nexample.org/calc/calc.go:4.11,6.3 1 0\n"
        "example.org/calc/calc.go:7.2,7.14 1 1\nelsewhere/x.go:1.1,2.2 1 1\n"
    )

    profiles = Profiles(str(tmp_path), {"example.org/calc": "calc"})

    assert profiles.executed(str(profile)) == {"calc/calc.go": "3-4,7"}
    assert profiles.executed(str(tmp_path / "none")) == {}


def test_a_flag_of_go_keeps_its_value() -> None:
    flags = ["-v", "-run", "TestLow", "--short", "-count", "1", "-ldflags", "-s -w", "-cpu=2"]
    known = ("-run", "-short", "-ldflags", "-cpu")

    assert known_flags({"flags": flags}, known) == ["-run=TestLow", "-short", "-ldflags=-s -w", "-cpu=2"]


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("test/**/*.js", "test/a.js", True),
        ("test/**/*.js", "test/b/c/a.js", True),
        ("./test/*.js", "test/b/a.js", False),
        ("**/*.{test,spec}.ts", "src/a.spec.ts", True),
        ("a?.js", "ab.js", True),
        ("a.js", "a-js", False),
    ],
)
def test_patterns(pattern: str, path: str, matches: bool) -> None:
    assert bool(compiled(pattern).match(path)) is matches


def test_files_are_found_as_node_finds_them(tmp_path: Path) -> None:
    for path in ("test/a.js", "src/b.test.mjs", "src/c.js", "node_modules/d/test/e.js", "test-f.cjs"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")

    assert files_of(str(tmp_path), []) == ["src/b.test.mjs", "test-f.cjs", "test/a.js"]
    assert files_of(str(tmp_path), ["src/", "src/c.js"]) == ["src/b.test.mjs", "src/c.js"]


TALK = """
import os, sys
reader, writer = map(int, os.environ["GREENLINE_CHANNEL"].split(","))
secret = os.read(reader, 64)
def say(text, secret=secret):
    os.write(writer, secret + b" " + text + b"\\n")
"""


def told(tmp_path: Path, code: str) -> Any:
    return report_of([sys.executable, "-c", TALK + code], {}, str(tmp_path))


def test_records_count_until_the_last(tmp_path: Path) -> None:
    found = told(tmp_path, """say(b'{"kind":"test"}'); say(b'{"kind":"end"}')""")

    assert [record["kind"] for record in found.records] == ["test", "end"]
    assert (found.is_complete, found.n_intruders, found.exit_code) == (True, 0, 0)


@pytest.mark.parametrize(
    "code",
    [
        """say(b'{"kind":"test"}', b"guess")""",
        """os.write(writer, b'{"kind":"test"}\\n')""",
        """say(b'{"kind":"end"}'); say(b'{"kind":"test"}')""",
        """say(b'[]')""",
        """os.write(writer, secret)""",
    ],
)
def test_what_does_not_fit_is_an_intruder(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code).n_intruders > 0


def test_a_process_that_says_nothing_is_not_complete(tmp_path: Path) -> None:
    found = told(tmp_path, "sys.exit(0)")

    assert (found.is_complete, found.exit_code) == (False, 0)


def test_a_process_that_does_not_end_is_ended_and_its_exit_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(external, "_GRACE_S", 0.2)

    found = told(tmp_path, """say(b'{"kind":"end"}'); os.read(os.pipe()[0], 1)""")

    assert (found.is_complete, found.exit_code) == (True, None)


def test_a_process_that_closes_its_channel_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(external, "_GRACE_S", 0.2)

    found = told(tmp_path, "os.close(writer); os.read(os.pipe()[0], 1)")

    assert (found.is_complete, found.exit_code) == (False, None)


def test_what_a_process_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    code = """
if os.fork() == 0:
    os.read(os.pipe()[0], 1)
say(b'{"kind":"end"}')
"""
    assert told(tmp_path, code).is_complete
