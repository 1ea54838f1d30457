"""Shares expenses in cents among friends and settles the debts."""


def share(amount, people):
    """Split an amount evenly; the first ones pay the odd cents."""
    base, odd = divmod(amount, len(people))
    return {person: base + (1 if index < odd else 0) for index, person in enumerate(people)}


class Trip:
    def __init__(self, *friends):
        self.friends = list(friends)
        self.expenses = []

    def pay(self, payer, amount, among=None):
        if payer not in self.friends:
            raise ValueError(f"{payer} is not on the trip")
        self.expenses.append((payer, amount, list(among or self.friends)))

    def balances(self):
        """Return what each one gets back; negative numbers are owed."""
        result = dict.fromkeys(self.friends, 0)
        for payer, amount, among in self.expenses:
            result[payer] += amount
            for person, part in share(amount, among).items():
                result[person] -= part
        return result

    def settle(self):
        """Return payments ``(from, to, cents)``, the largest debts first."""
        open_ = self.balances()
        payments = []
        while any(open_.values()):
            debtor = min(open_, key=lambda name: (open_[name], name))
            creditor = max(open_, key=lambda name: (open_[name], name))
            cents = min(-open_[debtor], open_[creditor])
            open_[debtor] += cents
            open_[creditor] -= cents
            payments.append((debtor, creditor, cents))
            if len(payments) > 100:
                raise RuntimeError("the debts do not settle")
        return payments
