import pytest
from program import Network


def grid(seed, size=4):
    network = Network()
    legs = []
    for row in range(size):
        for column in range(size):
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                other = (row + down, column + right)
                if 0 <= other[0] < size and 0 <= other[1] < size:
                    price = (seed * 31 + row * 7 + column * 13 + down * 5 + right * 3 + row * column * seed) % 10
                    network.add((row, column), other, price)
                    legs.append(((row, column), other, price))
    return network, legs


def bellman(legs, start):
    price = {start: 0}
    for _ in range(20):
        for a, b, cost in legs:
            if a in price and price[a] + cost < price.get(b, 10**9):
                price[b] = price[a] + cost
    return price


@pytest.mark.parametrize("seed", range(1, 15))
def test_prices_on_a_grid(seed):
    network, legs = grid(seed)
    wanted = bellman(legs, (0, 0))
    for place, price in wanted.items():
        assert network.cheapest((0, 0), place)[0] == price


@pytest.mark.parametrize("seed", range(1, 15))
def test_route_costs_what_it_says(seed):
    network, legs = grid(seed)
    table = {(a, b): cost for a, b, cost in legs}
    price, route = network.cheapest((3, 0), (0, 3))
    assert (route[0], route[-1]) == ((3, 0), (0, 3))
    assert sum(table[leg] for leg in zip(route, route[1:])) == price


def test_many_cheap_legs():
    network = Network()
    for n in range(10):
        network.add(n, n + 1, 1)
    network.add(0, 10, 11)
    network.add(0, 5, 4)
    assert network.cheapest(0, 10) == (9, [0, 5, 6, 7, 8, 9, 10])


def test_unknown_places():
    network = Network()
    network.add("a", "b", 1)
    assert network.cheapest("a", "z") is None
    assert network.cheapest("z", "a") is None


def test_legs_go_one_way():
    network = Network()
    network.add("a", "b", 1)
    assert network.cheapest("b", "a") is None


def test_free_legs():
    network = Network()
    network.add("a", "b", 0)
    network.add("b", "c", 0)
    network.add("a", "c", 1)
    assert network.cheapest("a", "c") == (0, ["a", "b", "c"])


def test_last_price_counts():
    network = Network()
    network.add("a", "b", 9)
    network.add("a", "b", 2)
    assert network.cheapest("a", "b") == (2, ["a", "b"])
