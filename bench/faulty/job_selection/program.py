from typing import NamedTuple


class Job(NamedTuple):
    name: str
    deadline: int
    profit: int


def schedule(jobs: list[Job]) -> list[str | None]:
    """Fill unit time slots with the most profitable jobs that meet their deadlines.

    The result has one entry for each slot up to the last deadline.
    """
    n_slots = max((job.deadline for job in jobs), default=0)
    slots: list[Job | None] = [None] * n_slots
    for job in sorted(jobs, key=lambda job: job.profit):
        for slot in range(job.deadline - 1, 0, -1):
            if slots[slot] is None:
                slots[slot] = job
                break
    return [job.name if job else None for job in slots]


def profit(jobs: list[Job]) -> int:
    by_name = {job.name: job.profit for job in jobs}
    return sum(by_name[name] for name in schedule(jobs) if name is not None)


def rejected(jobs: list[Job]) -> list[str]:
    """Return the names of the jobs that found no slot, in the given order."""
    done = set(schedule(jobs))
    return [job.name for job in jobs if job.name not in done]
