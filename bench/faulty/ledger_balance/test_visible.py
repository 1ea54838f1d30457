import pytest
from program import Ledger, Posting, UnbalancedEntry


def test_small_move():
    ledger = Ledger()
    ledger.move("coffee", "cash", "food", 3)
    assert len(ledger.entries) == 1


def test_balances():
    ledger = Ledger()
    ledger.move("start", "equity", "cash", 50)
    ledger.move("tea", "cash", "food", 20)
    assert ledger.trial_balance() == {"cash": 30, "equity": -50, "food": 20}


def test_large_amounts():
    ledger = Ledger()
    ledger.post(
        "rent",
        Posting("rent", "debit", 90000),
        Posting("fees", "debit", 1250),
        Posting("bank", "credit", 91250),
    )
    assert len(ledger.entries) == 1


def test_unbalanced_entry():
    with pytest.raises(UnbalancedEntry):
        Ledger().post("odd", Posting("a", "debit", 10), Posting("b", "credit", 9))
