from collections import deque


class CycleError(ValueError):
    """The dependencies go round in a circle."""


def order(dependencies):
    """Order tasks so that each comes after all that it depends on.

    `dependencies` maps a task to an iterable of the tasks that it needs.  Tasks
    that are free at the same time keep the order in which they were named.
    """
    followers = {}
    waiting = {}
    for task, needs in dependencies.items():
        waiting.setdefault(task, 0)
        for need in needs:
            waiting.setdefault(need, 0)
            waiting[task] += 1
            followers.setdefault(need, []).append(task)

    ready = deque(task for task, count in waiting.items() if count == 0)
    result = []
    while ready:
        task = ready.popleft()
        result.append(task)
        for follower in followers.get(task, []):
            waiting[follower] += 1
            if waiting[follower] == 0:
                ready.append(follower)

    if len(result) != len(waiting):
        stuck = sorted(task for task, count in waiting.items() if count > 0)
        raise CycleError(f"cycle through some of: {', '.join(stuck)}")
    return result
