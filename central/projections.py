"""Projections: what is derived from the facts of repositories.

Vectors in the store, vectors of files and the text index are there when a run is applied. Call
edges and the knowledge graph follow, and receipts name what is behind. Each compares its watermark
with the generations of repositories and needs no message, so that a crash, a restored backup and an
apply by an older version are found.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Final

import structlog

from central.db import execute, fetch_rows, sql
from central.repositories.models import Repository

_LOCK: Final = sql("SELECT pg_try_advisory_lock(%s::int, %s::int)")
_UNLOCK: Final = sql("SELECT pg_advisory_unlock(%s::int, %s::int)")

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Difference:
    """Data derived from a repository: parts that are due, and parts that differ."""

    due: int
    differing: int


class Projection(ABC):
    """Rows that are derived from facts. A subject is the key of an organisation or a repository.

    An AppConfig names the class in `projections` (central.extensions).
    """

    lock: ClassVar[int]  # the namespace of its advisory locks, one for each subject

    def __init__(self, is_stopping: Callable[[], bool] = lambda: False) -> None:
        self._is_stopping = is_stopping

    @abstractmethod
    def behind(self) -> Iterable[int]:
        """Return the subjects whose rows are not those of their watermark, or that have work."""

    @abstractmethod
    def update(self, subject: int) -> bool:
        """Do a step for a subject; false if there was nothing to do. Not in a transaction."""

    @abstractmethod
    def rebuild(self, repository: Repository, *, repair: bool) -> Difference:
        """Compare with what the facts say now; with `repair` also correct. May take a sample."""

    @contextmanager
    def held(self, subject: int) -> Iterator[bool]:
        """Whether this process alone works on the subject, as long as the block runs."""
        name = [self.lock, subject % 2**31]
        [(is_alone,)] = fetch_rows(_LOCK, name)
        try:
            yield is_alone
        finally:
            if is_alone:
                execute(_UNLOCK, name)

    def follow(self) -> None:
        """Update all subjects, a step of each in turn, until nothing is due. Not in a transaction.

        It looks again after each round: another process may have been refused the lock meanwhile.
        """
        ended: set[int] = set()
        while ahead := [subject for subject in self.behind() if subject not in ended]:
            for subject in ahead:
                if self._is_stopping():
                    return
                if not self._has_more(subject):
                    ended.add(subject)

    def _has_more(self, subject: int) -> bool:
        """Do a step if no other process does; what fails is logged and holds up no other."""
        try:
            with self.held(subject) as is_alone:
                return is_alone and self.update(subject)
        except Exception:  # noqa: BLE001 (see above; the next sweep tries again)
            _log.exception(
                "projection_not_updated", projection=type(self).__name__, subject=subject
            )
            return False
