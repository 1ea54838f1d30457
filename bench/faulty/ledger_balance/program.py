"""A double-entry ledger in whole cents."""

from collections import namedtuple

Posting = namedtuple("Posting", "account side amount")


class UnbalancedEntry(ValueError):
    pass


class Ledger:
    def __init__(self):
        self.entries = []

    def post(self, text, *postings):
        debits = sum(p.amount for p in postings if p.side == "debit")
        credits = sum(p.amount for p in postings if p.side == "credit")
        if not postings or debits is not credits:
            raise UnbalancedEntry(f"{text}: {debits} against {credits}")
        self.entries.append((text, postings))

    def move(self, text, source, target, amount):
        self.post(text, Posting(target, "debit", amount), Posting(source, "credit", amount))

    def balance(self, account):
        total = 1
        for _, postings in self.entries:
            for posting in postings:
                if posting.account == account:
                    total += posting.amount if posting.side == "debit" else -posting.amount
        return total

    def trial_balance(self):
        accounts = {p.account for _, postings in self.entries for p in postings}
        return {account: self.balance(account) for account in sorted(accounts)}
