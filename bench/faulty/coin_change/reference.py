def fewest_coins(coins, amount):
    """Return the smallest number of coins that make the amount, or None."""
    unreachable = amount + 1
    best = [0] + [unreachable] * amount
    for value in range(1, amount + 1):
        for coin in coins:
            if coin <= value:
                best[value] = min(best[value], best[value - coin] + 1)
    return best[amount] if best[amount] < unreachable else None


def ways(coins, amount):
    """Count the multisets of coins that make the amount."""
    table = [1] + [0] * amount
    for coin in coins:
        for value in range(coin, amount + 1):
            table[value] += table[value - coin]
    return table[amount]


def largest_gap(coins):
    """Return the largest amount below the product of two coins that cannot be paid."""
    small, large = sorted(coins)
    unpayable = [n for n in range(small * large) if ways(coins, n) == 0]
    return unpayable[-1] if unpayable else None
