import pytest
from program import candidates, is_consistent, solve


def groups(cell):
    row, column = divmod(cell, 4)
    return row, column, (row // 2, column // 2)


def allowed(board, cell):
    taken = {
        board[other]
        for other in range(16)
        if other != cell and any(a == b for a, b in zip(groups(cell), groups(other)))
    }
    return sorted(set("1234") - taken)


def is_full_and_right(board):
    return "0" not in board and all(board[cell] in allowed(board, cell) for cell in range(16))


def completions(board):
    if "0" not in board:
        return [board]
    cell = board.index("0")
    found = []
    for option in allowed(board, cell):
        found += completions(board[:cell] + option + board[cell + 1 :])
    return found


BOARDS = [
    "0" * 16,
    "1000000000000000",
    "4000000000000000",
    "0000000000000001",
    "0100002000030400",
    "3000010000400002",
    "0020400000030100",
    "1004000000004001",
    "0004003000020000",
    "2300000000000032",
]


@pytest.mark.parametrize("board", BOARDS)
def test_smallest_completion(board):
    wanted = min(completions(board), default=None)
    assert solve(board) == wanted


@pytest.mark.parametrize("board", BOARDS)
def test_hints_are_kept(board):
    solved = solve(board)
    if solved is not None:
        assert is_full_and_right(solved)
        assert all(hint in ("0", mark) for hint, mark in zip(board, solved))


@pytest.mark.parametrize("board", BOARDS)
def test_candidates(board):
    for cell in range(16):
        assert candidates(board, cell) == allowed(board, cell)


def test_consistency():
    for first in range(16):
        for second in range(16):
            board = "".join("1" if cell in (first, second) else "0" for cell in range(16))
            assert is_consistent(board) is ("1" in allowed(board, first))


def test_no_candidate_left():
    board = "1230" + "0004" + "0" * 8
    assert is_consistent(board)
    assert solve(board) is None


@pytest.mark.parametrize("board", ["", "1" * 15, "5" + "0" * 15, "x" * 16])
def test_bad_boards(board):
    with pytest.raises(ValueError):
        solve(board)
