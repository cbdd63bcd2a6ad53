"""Work that waits in a table: claims, leases, retries and turns, by the clock of PostgreSQL.

A subclass of `Claim` is a queue. A process has the row that it claimed as long as it renews the
lease; without, another takes the row, and nothing that the first one writes then is stored.
"""

import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import timedelta
from operator import attrgetter
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce, Now

from indexer.output.terminal import foreign_line

ERROR_CHARACTERS: Final = 500  # of the last error that a row keeps
_CLOCK_TOLERANCE_SECONDS = 300
BEATS = 4  # in the time of a lease
_SERVED_SECONDS = 3_600  # an organisation served before that has waited long enough
_Row = TypeVar("_Row", bound=Any)  # a model with `claim`, `lease_until` and `attempts`


def seconds_from_now(seconds: float) -> CombinedExpression:
    """Return a moment by the clock of PostgreSQL, the only one that all processes share."""
    return Now() + timedelta(seconds=seconds)


def _number(said: float | str) -> float:
    return float(attrgetter(said)(settings) if isinstance(said, str) else said)


class ClaimLostError(Exception):
    """Another process has the row, or its work was cancelled: stop without changes."""


class Claim(ABC, Generic[_Row]):
    """The claim of this thread on a row: a fencing token, new each time, and a lease.

    `lease_until` of a row that waits is its pause, unless the model has `due_at` for it. With
    `claimed_at`, the organisation that was served last comes last.
    """

    model: ClassVar[type[Any]]
    organization: ClassVar[str] = "organization"
    waiting: ClassVar[Q]
    running: ClassVar[Q]
    alive: ClassVar[Q] = Q()  # nothing else is claimed
    begins: ClassVar[Mapping[str, Any]] = {}  # what a claim writes
    waits: ClassVar[Mapping[str, Any]] = {}  # what a row gets that is put back
    related: ClassVar[tuple[str, ...]] = ()
    has_due_at: ClassVar[bool] = False
    has_claimed_at: ClassVar[bool] = False
    lease: ClassVar[float | str]  # seconds, or the setting that says them
    attempts: ClassVar[int | str]  # the same
    beat_seconds: ClassVar[float] = 5.0
    error_characters: ClassVar[int] = ERROR_CHARACTERS
    first_pause_seconds: ClassVar[int] = 30
    longest_pause_seconds: ClassVar[int] = 3_600
    pause_factor: ClassVar[int] = 2
    no_answer: ClassVar[str] = (
        "It ended without an answer {attempts} times; the service's log has the reason."
    )

    def __init__(self, row: _Row) -> None:
        self.row = row
        self.beat_at = time.monotonic()  # the last progress

    @classmethod
    def lease_seconds(cls) -> float:
        """Return how long a claim lasts that is not renewed."""
        return _number(cls.lease)

    @classmethod
    def most_attempts(cls) -> int:
        """Return after how many attempts a row fails."""
        return int(_number(cls.attempts))

    @abstractmethod
    def fail(self, error: str) -> None:
        """End the work for good: another attempt would end alike. Nothing if the claim is lost."""

    def reason(self, error: str) -> dict[str, Any]:
        """Return the fields that say why the row waits, or failed."""
        return {"error": foreign_line(error, self.error_characters)}

    # --- The queue --------------------------------------------------------------------------

    @classmethod
    def rows(cls) -> QuerySet[_Row]:
        """Return all rows."""
        rows: QuerySet[_Row] = cls.model._default_manager.all()
        return rows

    @classmethod
    def claimable(cls) -> QuerySet[_Row]:
        """Return rows that are due and that no process works on, in no order."""
        is_free = Q(lease_until__lte=Now()) | Q(lease_until__gt=cls._longest())
        is_due = Q(due_at__lte=Now()) if cls.has_due_at else Q()
        waiting = cls.waiting & is_due & (Q(lease_until=None) | is_free)
        return cls.rows().filter(waiting | cls.running & is_free, cls.alive)

    @classmethod
    def held(cls) -> QuerySet[_Row]:
        """Return rows that a process works on."""
        return cls.rows().filter(
            cls.running, lease_until__gt=Now(), lease_until__lte=cls._longest()
        )

    @classmethod
    def in_turn(cls, *order: str) -> QuerySet[_Row]:
        """Return claimable rows by turns of organisations, those of an organisation in `order`.

        First the organisation of which the fewest are worked on, then the one that waited longest.
        """
        same = {cls.organization: OuterRef(cls.organization)}
        held = cls.held().filter(**same).order_by().values(cls.organization)
        turns = [Coalesce(Subquery(held.annotate(count=Count("pk")).values("count")), 0).asc()]
        if cls.has_claimed_at:
            since = seconds_from_now(-_SERVED_SECONDS)
            served = cls.rows().filter(claimed_at__gt=since, **same).order_by("-claimed_at")
            turns.append(Subquery(served.values("claimed_at")[:1]).asc(nulls_first=True))
        return cls.claimable().order_by(*turns, *order)

    @classmethod
    def take(cls, rows: QuerySet[_Row]) -> Self | None:
        """Claim the first of some claimable rows; None if there is none.

        One whose process ended `most_attempts` times fails instead. What another process has
        locked is not waited for.
        """
        free = rows.select_for_update(skip_locked=True, no_key=True, of=("self",))
        while True:
            with transaction.atomic():
                row = free.first()
                if row is None:
                    return None
                has_attempts = row.attempts < cls.most_attempts()
                claim = cls._begin(row, attempts=F("attempts") + int(has_attempts))
                if has_attempts:
                    return claim
                claim.fail(claim.gave_no_answer())

    @classmethod
    def expire_leases(cls) -> int:
        """Make all that is worked on claimable; returns how much it is.

        For the start of a process that is the only one to work.
        """
        return cls.rows().filter(cls.running).update(lease_until=Now())

    @classmethod
    def _begin(cls, row: _Row, **fields: Any) -> Self:
        if cls.has_claimed_at:
            fields["claimed_at"] = Now()
        cls.rows().filter(pk=row.pk).update(
            claim=uuid.uuid4(), lease_until=cls._lease(), **cls.begins, **fields
        )
        return cls(cls.rows().select_related(*cls.related).get(pk=row.pk))

    @classmethod
    def _longest(cls) -> CombinedExpression:
        """Return the latest `lease_until` of now: a later one is of a clock that was set back."""
        pause = 0 if cls.has_due_at else cls.longest_pause_seconds
        return seconds_from_now(max(cls.lease_seconds(), pause) + _CLOCK_TOLERANCE_SECONDS)

    @classmethod
    def _lease(cls) -> CombinedExpression:
        return seconds_from_now(cls.lease_seconds())

    # --- The claim --------------------------------------------------------------------------

    @property
    def is_last(self) -> bool:
        """Whether this is the last attempt."""
        return bool(self.row.attempts >= self.most_attempts())

    def gave_no_answer(self) -> str:
        """Return the error of a row whose processes all ended."""
        return self.no_answer.format(attempts=self.most_attempts())

    def mine(self) -> QuerySet[_Row]:
        """Return the row as long as the claim lasts."""
        return self.rows().filter(self.running, pk=self.row.pk, claim=self.row.claim)

    def lock(self) -> None:
        """Lock the row until the transaction ends. Raises ClaimLostError."""
        if not self.mine().select_for_update(no_key=True).exists():
            raise ClaimLostError

    def refresh(self, **fields: Any) -> None:
        """Renew the lease, and write `fields`. Raises ClaimLostError."""
        if not self.mine().update(lease_until=self._lease(), **fields):
            raise ClaimLostError

    def beat(self, **fields: Any) -> bool:
        """Renew the lease if it is time; whether it was. Call it often. Raises ClaimLostError."""
        now = time.monotonic()
        if now - self.beat_at < min(self.beat_seconds, self.lease_seconds() / BEATS):
            return False
        self.beat_at = now
        self.refresh(**fields)
        return True

    def end(self, **fields: Any) -> bool:
        """Write how the work ended; false if the claim is lost."""
        return bool(self.mine().update(claim=None, lease_until=None, **fields))

    def retry(self, error: str) -> None:
        """Try again after a pause, which grows each time; after the last attempt it has failed."""
        if self.is_last:
            self.fail(error)
        else:
            self.put_back(self.pause_seconds(self.row.attempts), error)

    def requeue(self, error: str, seconds: float = 0.0) -> None:
        """Wait for a service that is unavailable: no attempt is counted."""
        pause = max(seconds, self.first_pause_seconds)
        self.put_back(pause, error, attempts=F("attempts") - 1)

    def release(self) -> None:
        """Let another process do the work at once: no attempt is counted."""
        self.put_back(0, "", attempts=F("attempts") - 1)

    def put_back(self, seconds: float, error: str, **fields: Any) -> None:
        """Let the row wait, for any process, until so many seconds are over."""
        until = seconds_from_now(min(seconds, self.longest_pause_seconds))
        due = {"due_at" if self.has_due_at else "lease_until": until}
        cleared = {"claim": None, "lease_until": None}
        self.mine().update(**cleared | due | self.reason(error) | dict(self.waits) | fields)

    @classmethod
    def pause_seconds(cls, failures: int) -> float:
        """Return the pause after so many failures in a row."""
        pause = cls.first_pause_seconds * cls.pause_factor ** (failures - 1)
        return float(min(pause, cls.longest_pause_seconds))
