"""Three-way merge of nested settings."""


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
    merged, conflicts = dict(base), []
    merged.update(theirs)
    for key, value in ours.items():
        if isinstance(value, dict) and isinstance(merged.get(key), dict):
            value, more = merge(base.get(key, {}), value, merged[key])
            conflicts.extend(more)
        merged[key] = value
    return merged, conflicts
