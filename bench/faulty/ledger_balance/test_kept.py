import pytest
from program import Ledger, Posting, UnbalancedEntry


def test_unknown_account_is_zero():
    assert Ledger().balance("cash") == 0


def test_empty_entry():
    with pytest.raises(UnbalancedEntry):
        Ledger().post("nothing")


def test_no_entries():
    assert Ledger().trial_balance() == {}


@pytest.mark.parametrize("amount", [0, 1, 255, 256, 257, 1000, 10**12])
def test_move_of_any_size(amount):
    ledger = Ledger()
    ledger.move("x", "a", "b", amount)
    assert ledger.balance("b") == amount
    assert ledger.balance("a") == -amount


def test_sum_is_always_zero():
    ledger = Ledger()
    for n in range(1, 40):
        ledger.move(f"m{n}", f"acc{n % 5}", f"acc{n * 2 % 7}", n * 137)
    assert sum(ledger.trial_balance().values()) == 0


def test_message():
    with pytest.raises(UnbalancedEntry, match="x: 300 against 299"):
        Ledger().post("x", Posting("a", "debit", 300), Posting("b", "credit", 299))


@pytest.mark.parametrize("sides", [("debit", "debit"), ("credit", "credit")])
def test_one_sided(sides):
    ledger = Ledger()
    with pytest.raises(UnbalancedEntry):
        ledger.post("x", Posting("a", sides[0], 500), Posting("b", sides[1], 500))
    assert ledger.entries == []


def test_split_credits():
    ledger = Ledger()
    ledger.post("x", Posting("a", "debit", 1000), Posting("b", "credit", 400), Posting("b", "credit", 600))
    assert ledger.trial_balance() == {"a": 1000, "b": -1000}


def test_same_account_on_both_sides():
    ledger = Ledger()
    ledger.move("noop", "a", "a", 700)
    assert ledger.balance("a") == 0
