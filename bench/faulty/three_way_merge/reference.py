"""Three-way merge of nested settings."""

ABSENT = object()


class Conflict:
    def __init__(self, path, ours, theirs):
        self.path = path
        self.ours = ours
        self.theirs = theirs

    def __eq__(self, other):
        return vars(self) == vars(other)

    def __repr__(self):
        return f"Conflict({self.path!r}, {self.ours!r}, {self.theirs!r})"


def merge(base, ours, theirs, path=""):
    """Return the merged settings and the conflicts, sorted by path.

    One side's change wins over no change; on a conflict ours stays. A removed value is None in a Conflict.
    """
    merged, conflicts = {}, []
    for key in sorted({*base, *ours, *theirs}):
        here = f"{path}.{key}" if path else key
        old, mine, other = (side.get(key, ABSENT) for side in (base, ours, theirs))
        if isinstance(mine, dict) and isinstance(other, dict):
            inner = old if isinstance(old, dict) else {}
            value, more = merge(inner, mine, other, here)
            conflicts.extend(more)
        elif mine == other or other == old:
            value = mine
        elif mine == old:
            value = other
        else:
            value = mine
            shown = [None if side is ABSENT else side for side in (mine, other)]
            conflicts.append(Conflict(here, *shown))
        if value is not ABSENT:
            merged[key] = value
    return merged, conflicts
