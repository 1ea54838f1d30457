import pytest
from program import Network


@pytest.fixture
def network():
    network = Network()
    network.add("a", "b", 4)
    network.add("a", "c", 1)
    network.add("c", "b", 2)
    network.add("b", "d", 5)
    return network


def test_one_leg(network):
    assert network.cheapest("b", "d") == (5, ["b", "d"])


def test_nowhere(network):
    assert network.cheapest("d", "a") is None


def test_here(network):
    assert network.cheapest("c", "c") == (0, ["c"])


def test_detour_is_cheaper(network):
    assert network.cheapest("a", "b") == (3, ["a", "c", "b"])


def test_longer_route(network):
    assert network.cheapest("a", "d") == (8, ["a", "c", "b", "d"])


def test_negative():
    with pytest.raises(ValueError):
        Network().add("x", "y", -1)
