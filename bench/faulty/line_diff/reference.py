"""Line differences by the longest common subsequence."""


def common_lengths(old, new):
    """Return the table of the longest common subsequences of all suffixes."""
    table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            if old[i] == new[j]:
                table[i][j] = 1 + table[i + 1][j + 1]
            else:
                table[i][j] = max(table[i + 1][j], table[i][j + 1])
    return table


def diff(old, new):
    """Yield ``(mark, line)``: a space for kept, minus for removed, plus for added lines."""
    table = common_lengths(old, new)
    i = j = 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            yield " ", old[i]
            i += 1
            j += 1
        elif table[i + 1][j] >= table[i][j + 1]:
            yield "-", old[i]
            i += 1
        else:
            yield "+", new[j]
            j += 1
    for line in old[i:]:
        yield "-", line
    for line in new[j:]:
        yield "+", line


def summary(old, new):
    marks = [mark for mark, _ in diff(old, new)]
    return f"+{marks.count('+')} -{marks.count('-')}"
