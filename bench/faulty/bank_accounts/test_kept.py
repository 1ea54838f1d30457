import pytest
from program import Account, CurrentAccount, InsufficientFunds, transfer


def test_exactly_the_limit():
    account = CurrentAccount("a", 10, limit=40, fee=3)
    account.withdraw(50)
    assert account.balance == -43


def test_one_above_the_limit():
    account = CurrentAccount("a", 10, limit=40, fee=3)
    with pytest.raises(InsufficientFunds):
        account.withdraw(51)
    assert account.balance == 10
    assert account.history == []


def test_no_fee_above_zero():
    account = CurrentAccount("a", 10)
    account.withdraw(10)
    assert account.balance == 0
    assert account.history == [("withdraw", 10)]


def test_available():
    assert CurrentAccount("a", 10, limit=7, fee=1).available() == 17
    assert CurrentAccount("a").available() == 100
    assert Account("a", 3).available() == 3


def test_fee_each_time():
    account = CurrentAccount("a", 0, limit=50, fee=2)
    account.withdraw(10)
    account.withdraw(10)
    assert account.balance == -24
    assert account.available() == 26


def test_zero_limit():
    account = CurrentAccount("a", 5, limit=0, fee=9)
    with pytest.raises(InsufficientFunds):
        account.withdraw(6)


def test_failed_transfer_moves_nothing():
    a, b = CurrentAccount("a", 0, limit=5), Account("b", 1)
    with pytest.raises(InsufficientFunds):
        transfer(a, b, 6)
    assert (a.balance, b.balance) == (0, 1)
    assert b.history == []


def test_transfer_into_overdraft():
    a, b = CurrentAccount("a", 1, limit=80, fee=4), Account("b", 1)
    transfer(a, b, 61)
    assert (a.balance, b.balance) == (-64, 62)


@pytest.mark.parametrize("amount", [0, -1])
def test_amount_must_be_positive(amount):
    for account in (Account("a", 5), CurrentAccount("a", 5)):
        with pytest.raises(ValueError):
            account.withdraw(amount)
        with pytest.raises(ValueError):
            account.deposit(amount)


def test_message():
    with pytest.raises(InsufficientFunds, match="zed has 12, needs 13"):
        CurrentAccount("zed", 2, limit=10).withdraw(13)


def test_overdrawn_by_one():
    account = CurrentAccount("a", 5, limit=10, fee=2)
    account.withdraw(6)
    assert account.balance == -3


def test_deposit_of_one_is_recorded():
    account = Account("a")
    account.deposit(1)
    account.withdraw(1)
    assert account.history == [("deposit", 1), ("withdraw", 1)]
