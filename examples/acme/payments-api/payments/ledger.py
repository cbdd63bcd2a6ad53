"""Double-entry bookkeeping: every movement is written twice, and all of it adds up to zero."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from acme_common.clock import Clock
from acme_common.ids import new_id
from acme_common.money import Money


class UnbalancedEntryError(ValueError):
    """Debits and credits of a journal entry differ; nothing was written."""


@dataclass(frozen=True, slots=True)
class Posting:
    """One line of a journal entry: positive is a debit, negative a credit."""

    account: str
    amount: Money


@dataclass(frozen=True, slots=True)
class JournalEntry:
    id: str
    booked_at: datetime
    memo: str
    postings: tuple[Posting, ...]


class Ledger:
    """An append-only journal. Mistakes are corrected by another entry, never by a change. Implements ADR-0002."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._journal: list[JournalEntry] = []

    def post(self, memo: str, *postings: Posting) -> JournalEntry:
        """Append an entry. Raises UnbalancedEntryError unless it adds up to zero in every currency."""
        totals: defaultdict[str, int] = defaultdict(int)
        for posting in postings:
            totals[posting.amount.currency] += posting.amount.minor
        if any(totals.values()):
            raise UnbalancedEntryError(f"{memo}: off by {dict(totals)}")
        entry = JournalEntry(new_id("jrn"), self._clock.now(), memo, postings)
        self._journal.append(entry)
        return entry

    def transfer(self, memo: str, source: str, target: str, amount: Money) -> JournalEntry:
        """Move an amount from one account to another."""
        return self.post(memo, Posting(target, amount), Posting(source, -amount))

    def balance(self, account: str, currency: str) -> Money:
        """What an account holds after everything booked so far."""
        total = sum(
            posting.amount.minor
            for entry in self._journal
            for posting in entry.postings
            if posting.account == account and posting.amount.currency == currency
        )
        return Money(total, currency)
