from collections.abc import Iterator


def subsets_with_sum(numbers: list[int], target: int) -> Iterator[list[int]]:
    """Yield each way to pick positive numbers that add up to target.

    Equal numbers count as one choice, so no result comes twice.
    """
    ordered = sorted(numbers)
    chosen: list[int] = []

    def search(start: int, remaining: int) -> Iterator[list[int]]:
        if remaining == 0:
            yield list(chosen)
            return
        for index in range(start, len(ordered)):
            number = ordered[index]
            if number > remaining:
                break
            if index > start and number == ordered[index - 1]:
                continue
            chosen.append(number)
            yield from search(index + 1, remaining - number)
            chosen.pop()

    yield from search(0, target)


def count_subsets(numbers: list[int], target: int) -> int:
    return sum(1 for _ in subsets_with_sum(numbers, target))
