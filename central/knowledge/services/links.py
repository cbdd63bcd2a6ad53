"""Explicit edges between any two nodes, code included."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import transaction

from central.common.errors import InvalidError, NotFoundError
from central.knowledge.access import require_writer
from central.knowledge.models import Edge, Node, Origin
from central.knowledge.resolution import Target, find_target, node_id, node_of
from central.knowledge.wakeup import wake
from central.tenancy.audit import credential_actor, record
from central.tenancy.credentials import Credential
from indexer.limits import EDGE_TYPE_CHARACTERS, NODE_PROPERTIES_BYTES

_TYPE: Final = re.compile(rf"[a-z][a-z0-9_]{{0,{EDGE_TYPE_CHARACTERS - 1}}}")
# What the graph answers from the corpus, or from policies: no one may claim it.
DERIVED_TYPES: Final = frozenset({"calls", "contains", "violates"})


@dataclass(frozen=True, slots=True)
class Link:
    """What a client asks to be linked; ids as `identifiers` reads them. `weight` is 0.0-1.0."""

    source: str
    target: str
    type: str
    weight: float | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)


@transaction.atomic
def link(*, credential: Credential, asked: Link) -> tuple[Edge, bool]:
    """The edge, and whether it is new. The same link again changes nothing but what it says.

    Raises what `find_target` raises, ForbiddenError, InvalidError (`self_link`,
    `invalid_edge_type`, `properties_too_large`).
    """
    source, target = _ends(credential, asked)
    if len(json.dumps(asked.properties).encode()) > NODE_PROPERTIES_BYTES:
        raise InvalidError(
            f"Properties have at most {NODE_PROPERTIES_BYTES:,} bytes as JSON.",
            code="properties_too_large",
        )
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
    source, target = _ends(credential, asked)
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


def _ends(credential: Credential, asked: Link) -> tuple[Node, Node]:
    if not _TYPE.fullmatch(asked.type) or asked.type in DERIVED_TYPES:
        raise InvalidError(
            f"A type is up to {EDGE_TYPE_CHARACTERS} of a-z, 0-9 and '_', beginning with a "
            "letter, such as implements. Code itself tells "
            f"{', '.join(sorted(DERIVED_TYPES))}.",
            code="invalid_edge_type",
        )
    found = [find_target(text, credential=credential) for text in (asked.source, asked.target)]
    for one in found:
        project = one.repository.name if one.repository else None
        require_writer(credential, project=project)
    source, target = map(_as_node, found)
    if source.pk == target.pk:
        raise InvalidError("A node cannot be linked to itself.", code="self_link")
    return source, target


def _as_node(target: Target) -> Node:
    return target if isinstance(target, Node) else node_of(target)


def _note(credential: Credential, edge: Edge, verb: str) -> None:
    record(
        actor=credential_actor(credential),
        action=f"edge.{verb}",
        target=f"{node_id(edge.source)} {edge.type} {node_id(edge.target)}",
        organization=credential.organization,
        detail={"weight": edge.weight},
    )
    transaction.on_commit(wake)
