from collections import deque

STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def parse(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


def locate(grid: list[str], mark: str) -> tuple[int, int]:
    for row, line in enumerate(grid):
        column = line.find(mark)
        if column >= 0:
            return row, column
    raise ValueError(f"no {mark!r} in the maze")


def distances(grid: list[str], start: tuple[int, int]) -> dict[tuple[int, int], int]:
    """Map each reachable cell to its number of steps from start."""
    found = {start: 0}
    frontier = deque([start])
    while frontier:
        row, column = frontier.popleft()
        for down, right in STEPS:
            cell = row + down, column + right
            inside = 0 <= cell[0] < len(grid) and 0 <= cell[1] < len(grid[cell[0]])
            if inside and grid[cell[0]][cell[1]] != "#" and cell not in found:
                found[cell] = found[row, column] + 1
                frontier.append(cell)
    return found


def shortest(text: str) -> int | None:
    """Return the steps from S to E, or None when there is no way."""
    grid = parse(text)
    return distances(grid, locate(grid, "S")).get(locate(grid, "E"))
