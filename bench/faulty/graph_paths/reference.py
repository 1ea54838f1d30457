"""Paths in small directed graphs, given as dicts from node to list of nodes."""


def all_paths(graph, start, end, _before=()):
    """Return every simple path from start to end."""
    path = (*_before, start)
    if start == end:
        return [list(path)]
    found = []
    for following in graph.get(start, []):
        if following not in path:
            found.extend(all_paths(graph, following, end, path))
    return found


def nodes_on_paths(graph, start, end, seen=None):
    """Return the nodes that lie on some simple path, in order of appearance."""
    seen = [] if seen is None else seen
    for path in all_paths(graph, start, end):
        for node in path:
            if node not in seen:
                seen.append(node)
    return seen


def count_paths(graph, start, end):
    """Count the paths in a graph without cycles."""
    counts = {end: 1}

    def count(node):
        if node not in counts:
            counts[node] = sum(count(following) for following in graph.get(node, []))
        return counts[node]

    return count(start)


def longest_path(graph, start, end):
    return max(all_paths(graph, start, end), key=len, default=[])
