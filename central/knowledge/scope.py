"""The repositories that an answer of the graph is about, and its receipt."""

import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from central.knowledge.access import require_reader
from central.knowledge.answers import GraphReceipt
from central.knowledge.watermarks import reasons_due
from central.repositories.visibility import (
    RepositorySnapshot,
    answering_projects,
    listed_missing,
    repository_snapshots,
)
from central.tenancy.credentials import Credential


@dataclass(frozen=True)
class GraphScope:
    """What a credential sees, read once for an answer and before it: a receipt says no more.

    Raises ForbiddenError for a job's token.
    """

    credential: Credential
    started: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        require_reader(self.credential)
        self.due  # noqa: B018 (reads it, and the snapshots)

    @cached_property
    def snapshots(self) -> dict[int, RepositorySnapshot]:
        """Every visible repository by key."""
        return {item.id: item for item in repository_snapshots(credential=self.credential)}

    @cached_property
    def due(self) -> dict[int, str]:
        """Why the graph lags behind the code, by key of the repositories where it does."""
        return reasons_due(self.snapshots, shared_policies=self.credential.sees_all)

    def receipt(
        self, answering: Iterable[int], *, projects: Collection[int] | None = None
    ) -> GraphReceipt:
        """`answering`: keys of the repositories whose code stands in the answer.

        `projects`: keys of those that it is about; None: all that are visible.
        """
        shown = set(answering)
        missing = [
            item.missing(reason)
            for item in self.snapshots.values()
            if (item.is_expected if projects is None else item.id in projects)
            and (reason := item.incomplete_reason or self.due.get(item.id, ""))
        ]
        listed, more = listed_missing(missing)
        return GraphReceipt(
            complete=not missing,
            took_ms=round((time.perf_counter() - self.started) * 1000, 1),
            projects=answering_projects(
                item for item in self.snapshots.values() if item.id in shown
            ),
            missing=listed,
            missing_more=more,
        )
