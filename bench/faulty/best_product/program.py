def largest_product(numbers):
    """Return the largest product of a non-empty run of neighbours."""
    if not numbers:
        raise ValueError("no numbers")
    best = current = numbers[0]
    for number in numbers[1:]:
        current = max(number, current * number)
        best = max(best, current)
    return best


def largest_run(numbers):
    """Return (start, end) of the shortest, then first, run with that product."""
    goal = largest_product(numbers)
    for length in range(1, len(numbers) + 1):
        for start in range(len(numbers) - length + 1):
            product = 1
            for number in numbers[start : start + length]:
                product *= number
            if product == goal:
                return start, start + length
    raise AssertionError("no run has the largest product")
