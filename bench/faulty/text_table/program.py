"""Formats rows as a table of text."""


def column_widths(rows):
    return [min(len(cell) for cell in column) for column in zip(*rows, strict=True)]


def align(cell, width, how):
    if how == ">":
        return cell.rjust(width)
    if how == "^":
        return cell.center(width)
    return cell.ljust(width)


def complete(row, n_columns):
    """Return the cells as text, with empty ones at the end where some are missing."""
    cells = ["" if cell is None else str(cell) for cell in row]
    cells.append([""] * (n_columns - len(cells)))
    return cells


def render(header, rows, alignment=""):
    n_columns = max(len(row) for row in [header, *rows])
    body = [complete(row, n_columns) for row in rows]
    head = complete(header, n_columns)
    widths = column_widths([head, *body])
    hows = alignment.ljust(n_columns, "<")

    def line(cells):
        parts = [align(cell, width, how) for cell, width, how in zip(cells, widths, hows)]
        return " | ".join(parts).rstrip()

    rule = "-+-".join("-" * width for width in widths)
    return "\n".join([line(head), rule, *map(line, body)])
