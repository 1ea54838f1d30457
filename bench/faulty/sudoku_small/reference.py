"""Sudoku on a board of four by four; a board is a text of 16 digits, 0 for empty."""

UNITS = [[4 * row + column for column in range(4)] for row in range(4)]
UNITS += [[4 * row + column for row in range(4)] for column in range(4)]
UNITS += [
    [4 * row + column for row in (top, top + 1) for column in (left, left + 1)]
    for top in (0, 2)
    for left in (0, 2)
]
PEERS = [{other for unit in UNITS if cell in unit for other in unit} - {cell} for cell in range(16)]


def candidates(board, cell):
    return sorted(set("1234") - {board[peer] for peer in PEERS[cell]})


def is_consistent(board):
    return all(mark == "0" or mark in candidates(board, cell) for cell, mark in enumerate(board))


def solve(board):
    """Return the smallest full board that completes the given one, or None."""
    if len(board) != 16 or not set(board) <= set("01234"):
        raise ValueError("a board is a text of 16 digits from 0 to 4")
    if not is_consistent(board):
        return None
    cell = board.find("0")
    if cell < 0:
        return board
    for option in candidates(board, cell):
        solved = solve(board[:cell] + option + board[cell + 1 :])
        if solved is not None:
            return solved
    return None
