"""Where a search looks once an edit has mended some of the failing tests."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from greenline.core.port import StagedFile, Tree
from greenline.mutation.source import Candidate
from greenline.repair.behind import on_base, steps, with_edits
from greenline.repair.fix import Fix

TEXT = b"one\ntwo\nthree\nfour\nfive\n"
TREE: Tree = {"a.py": StagedFile(TEXT), "b.py": StagedFile(b"b\n")}


def edit(start: int, end: int, replacement: bytes, path: str = "a.py") -> Candidate:
    line = TREE[path].content.count(b"\n", 0, start) + 1
    return Candidate(path, start, end, replacement, "constant", line, 0.5)


def test_lines_after_an_edit_move_back_by_what_it_added() -> None:
    made = edit(4, 7, b"2\n2\n2")

    found = on_base({("a.py", line): line / 10 for line in range(1, 8)}, TREE, made)

    assert found == {
        ("a.py", 1): 0.1,
        ("a.py", 2): 0.4,
        ("a.py", 3): 0.5,
        ("a.py", 4): 0.6,
        ("a.py", 5): 0.7,
    }


def test_lines_of_other_files_stay() -> None:
    assert on_base({("b.py", 1): 0.5}, TREE, edit(0, 0, b"\n\n")) == {("b.py", 1): 0.5}


@given(st.data())
def test_a_line_that_an_edit_leaves_alone_is_found_again(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(TEXT)))
    end = data.draw(st.integers(start, len(TEXT)))
    made = edit(start, end, data.draw(st.sampled_from([b"", b"x", b"x\n", b"\n\ny\n"])))
    text = with_edits(TREE, [made])["a.py"].content
    lines = text.split(b"\n")
    # Of the halves of two lines an edit can make what reads like a third.
    seam = range(TEXT.count(b"\n", 0, start) + 1, len(lines) - TEXT.count(b"\n", end) + 1)

    for number, line in enumerate(lines, 1):
        if line in (b"one", b"two", b"three", b"four", b"five") and number not in seam:
            ((place, _),) = on_base({("a.py", number): 1.0}, TREE, made).items()
            assert TEXT.split(b"\n")[place[1] - 1] == line


def test_the_edit_that_mends_most_is_gone_on_from_first_and_one_of_each_place() -> None:
    few = Fix((edit(0, 3, b"1"),), 0.9)
    most = Fix((edit(4, 7, b"2"),), 0.1)
    twin = Fix((edit(4, 7, b"22"),), 0.05)
    pair = Fix((edit(0, 3, b"1"), edit(4, 7, b"2")), 0.9)
    third = Fix((edit(8, 9, b"3"),), 0.01)

    partial = [
        (fix, frozenset("ab"[:n])) for fix, n in ((few, 1), (pair, 2), (most, 2), (twin, 2), (third, 1))
    ]

    assert list(steps(partial)) == [most, few]
