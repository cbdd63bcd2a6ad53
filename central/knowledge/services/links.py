"""Explicit edges between any two nodes, code included."""

import re
from typing import Final

from django.db import transaction

from aeterna_code_search.contract.knowledge import Link
from central.background import GRAPH
from central.errors import InvalidError, NotFoundError
from central.knowledge.access import require_writer
from central.knowledge.models import Document, Edge, Node, Origin
from central.knowledge.resolution import (
    Target,
    find_target,
    lock_node,
    node_id,
    node_not_found,
    node_of,
)
from central.knowledge.services.documents import require_properties
from central.tenancy.audit import credential_actor, record
from central.tenancy.credentials import Credential
from indexer.limits import EDGE_TYPE_CHARACTERS

_TYPE: Final = re.compile(rf"[a-z][a-z0-9_]{{0,{EDGE_TYPE_CHARACTERS - 1}}}")
# What the graph answers from the corpus, or from policies: no one may claim it.
DERIVED_TYPES: Final = frozenset({"calls", "contains", "violates"})


@transaction.atomic
def link(*, credential: Credential, asked: Link) -> tuple[Edge, bool]:
    """The edge, and whether it is new. The same link again changes nothing but what it says.

    Raises what `find_target` raises, ForbiddenError, InvalidError (`self_link`,
    `invalid_edge_type`, `properties_too_large`).
    """
    source, target = ends_of(asked, credential=credential)
    actor = credential_actor(credential)
    edge, is_new = Edge.objects.update_or_create(
        source=source,
        target=target,
        type=asked.type,
        defaults={
            "organization": credential.organization,
            "origin": Origin.EXPLICIT,
            "weight": asked.weight,
            "cosine": None,
            "properties": dict(asked.properties),
            "author": actor,
        },
    )
    _note(credential, edge, "created" if is_new else "changed")
    return edge, is_new


@transaction.atomic
def unlink(*, credential: Credential, asked: Link) -> None:
    """Delete an explicit edge. Raises as `link`, NotFoundError (`edge_not_found`)."""
    source, target = ends_of(asked, credential=credential)
    edge = Edge.objects.filter(
        source=source, target=target, type=asked.type, origin=Origin.EXPLICIT
    ).first()
    if edge is None:
        raise NotFoundError(
            f"There is no explicit edge {asked.type} from {asked.source} to {asked.target}. "
            "Edges of another origin end with what they were made of.",
            code="edge_not_found",
        )
    edge.source, edge.target = source, target
    _note(credential, edge, "deleted")
    edge.delete()
    relink(source.pk, target.pk)


def ends_of(asked: Link, *, credential: Credential) -> tuple[Node, Node]:
    """The nodes of a link that may be made; code's are made. Needs a transaction.

    Raises as `link`.
    """
    require_properties(asked.properties)
    if not _TYPE.fullmatch(asked.type) or asked.type in DERIVED_TYPES:
        raise InvalidError(
            f"A type is up to {EDGE_TYPE_CHARACTERS} of a-z, 0-9 and '_', beginning with a "
            "letter, such as implements. Code itself tells "
            f"{', '.join(sorted(DERIVED_TYPES))}.",
            code="invalid_edge_type",
        )
    found = [find_target(text, credential=credential) for text in (asked.source, asked.target)]
    for end in found:
        project = end.repository.name if end.repository else None
        require_writer(credential, project=project)
    source, target = (
        _locked(*named_end) for named_end in zip((asked.source, asked.target), found, strict=True)
    )
    if source.pk == target.pk:
        raise InvalidError("A node cannot be linked to itself.", code="self_link")
    return source, target


def _locked(text: str, target: Target) -> Node:
    """The node, locked against deletion until the edge is stored."""
    node = lock_node(target.pk) if isinstance(target, Node) else node_of(target)
    if node is None:
        raise node_not_found(text)
    return node


def relink(*nodes: int | None) -> None:
    """Have what follows from documents made again: what is gone may have stood in its place."""
    Document.objects.filter(pk__in=nodes).update(linked_version=0)


def _note(credential: Credential, edge: Edge, verb: str) -> None:
    record(
        actor=credential_actor(credential),
        action=f"edge.{verb}",
        target=f"{node_id(edge.source)} {edge.type} {node_id(edge.target)}",
        organization=credential.organization,
        detail={"weight": edge.weight},
    )
    transaction.on_commit(GRAPH.wake)
