import pytest
from program import Account, CurrentAccount, InsufficientFunds, transfer


def test_plain_account_never_overdraws():
    account = Account("ann", 50)
    with pytest.raises(InsufficientFunds):
        account.withdraw(51)
    assert account.balance == 50


def test_overdraft_with_fee():
    account = CurrentAccount("bob", 20)
    account.withdraw(60)
    assert account.balance == -45
    assert account.history == [("withdraw", 60), ("fee", 5)]


def test_overdraft_limit():
    account = CurrentAccount("cy", 0, limit=30)
    with pytest.raises(InsufficientFunds):
        account.withdraw(31)


def test_transfer():
    a, b = Account("a", 10), Account("b")
    transfer(a, b, 4)
    assert (a.balance, b.balance) == (6, 4)
