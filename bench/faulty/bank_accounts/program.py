class InsufficientFunds(Exception):
    pass


class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance
        self.history = []

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
        self.history.append(("deposit", amount))

    def available(self):
        return self.balance

    def withdraw(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        if amount > self.available():
            raise InsufficientFunds(f"{self.owner} has {self.available()}, needs {amount}")
        self.balance -= amount
        self.history.append(("withdraw", amount))


class CurrentAccount(Account):
    """May go below zero down to its limit, for a fee on each overdrawn withdrawal."""

    def __init__(self, owner, balance=0, limit=100, fee=5):
        super().__init__(owner, balance)
        self.limit = limit
        self.fee = fee

    def available(self):
        return self.balance + self.fee

    def withdraw(self, amount):
        super().withdraw(amount)
        if self.balance < 0:
            self.balance -= self.fee
            self.history.append(("fee", self.fee))


def transfer(source, target, amount):
    source.withdraw(amount)
    target.deposit(amount)
