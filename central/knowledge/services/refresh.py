"""Asking for the graph to be brought up to date, and for its file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from central.knowledge.access import require_reader, visible_nodes
from central.knowledge.scope import GraphScope
from central.knowledge.services.semantic import documents_to_link
from central.knowledge.services.snapshot import take_snapshot
from central.knowledge.wakeup import wake
from central.repositories.visibility import MissingProject
from central.tenancy.credentials import Credential


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What is due; it is being done."""

    documents: Annotated[int, "Without a vector or links of their version"]
    projects: list[MissingProject]


def refresh(*, credential: Credential) -> Refreshed:
    """Wake the worker; nothing is waited for. Raises ForbiddenError for a token of a job."""
    scope = GraphScope(credential)
    wake()
    due = [document.pk for document in documents_to_link(credential.organization)]
    return Refreshed(
        documents=visible_nodes(credential=credential).filter(pk__in=due).count(),
        projects=scope.receipt([]).missing,
    )


def snapshot(*, credential: Credential) -> Path:
    """The organisation's DuckDB file. Raises ForbiddenError (`whole_organization_required`)."""
    require_reader(credential)
    credential.require_whole_organization()
    return take_snapshot(credential.organization)
