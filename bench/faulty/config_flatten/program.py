"""Turns nested settings into dotted keys and back."""


def flatten(value, prefix=""):
    """Return ``{"a.b": value}`` of nested dictionaries; empty ones stay as values."""
    if prefix and not value:
        return {prefix: {}}
    flat = {}
    for key, inner in value.items():
        path = f"{prefix}.{key}" if prefix else str(key)
        flat.update(flatten(inner, path))
    return flat


def unflatten(flat):
    nested = {}
    for path, value in flat.items():
        *parents, last = path.split(".")
        node = nested
        for part in parents:
            node = node.setdefault(part, {})
            if not isinstance(node, dict):
                raise ValueError(f"{path} goes through a value")
        node[last] = value
    return nested


def difference(old, new):
    """Return the dotted keys that were added, removed and changed, each sorted."""
    before, after = flatten(old), flatten(new)
    added = sorted(after.keys() - before.keys())
    removed = sorted(before.keys() - after.keys())
    changed = sorted(key for key in before.keys() & after.keys() if before[key] != after[key])
    return added, removed, changed
