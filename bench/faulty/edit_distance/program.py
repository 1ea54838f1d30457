def distance_table(source, target):
    """Return the table of edit distances between all prefixes."""
    rows, columns = len(source) + 1, len(target) + 1
    table = [[0] * columns for _ in range(rows)]
    for i in range(rows):
        table[i][0] = i
    for j in range(columns):
        table[0][j] = j
    for i in range(1, rows):
        for j in range(1, columns):
            cost = 0 if source[i - 1] == target[j - 1] else 1
            table[i][j] = min(
                table[i - 1][j] + 1,
                table[i][j - 1] + 1,
                table[i - 1][j - 1] + cost,
            )
    return table


def distance(source, target):
    return distance_table(source, target)[-1][-1]


def edit_script(source, target):
    """Return the edits that turn source into target, as text commands."""
    table = distance_table(target, source)
    i, j = len(source), len(target)
    script = []
    while i > 0 or j > 0:
        if i > 0 and j > 0 and source[i - 1] == target[j - 1]:
            i, j = i - 1, j - 1
        elif i > 0 and j > 0 and table[i][j] == table[i - 1][j - 1] + 1:
            script.append(f"replace {source[i - 1]} by {target[j - 1]}")
            i, j = i - 1, j - 1
        elif i > 0 and table[i][j] == table[i - 1][j] + 1:
            script.append(f"delete {source[i - 1]}")
            i -= 1
        else:
            script.append(f"insert {target[j - 1]}")
            j -= 1
    return script[::-1]
