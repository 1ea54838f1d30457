"""Global alignment of two sequences after Needleman and Wunsch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Alignment:
    score: int
    top: str
    bottom: str

    @property
    def matches(self) -> int:
        return sum(a == b for a, b in zip(self.top, self.bottom))


def align(a: str, b: str, match: int = 1, mismatch: int = 1, gap: int = -2) -> Alignment:
    score = [[gap * (i + j) for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i, x in enumerate(a, start=1):
        for j, y in enumerate(b, start=1):
            diagonal = score[i - 1][j - 1] + (match if x == y else mismatch)
            score[i][j] = max(diagonal, score[i - 1][j] + gap, score[i][j - 1] + gap)

    top, bottom = [], []
    i, j = len(a), len(b)
    while i or j:
        if i and j:
            step = match if a[i - 1] == b[j - 1] else mismatch
            if score[i][j] == score[i - 1][j - 1] + step:
                i, j = i - 1, j - 1
                top.append(a[i])
                bottom.append(b[j])
                continue
        if i and score[i][j] == score[i - 1][j] + gap:
            i -= 1
            top.append(a[i])
            bottom.append("-")
        else:
            j -= 1
            top.append("-")
            bottom.append(b[j])
    return Alignment(score[len(a)][len(b)], "".join(reversed(top)), "".join(reversed(bottom)))
