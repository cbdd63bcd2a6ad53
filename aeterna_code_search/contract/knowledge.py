"""Questions about the knowledge graph, and the link that is written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from aeterna_code_search.contract.notes import REQUIRED, argument
from indexer.limits import CONTEXT_TOKENS, EDGE_TYPE_CHARACTERS, NODE_ID_CHARACTERS

LISTED_NODES: Final = 200  # of a page
TRAVERSAL_DEPTH: Final = 5
TRAVERSED_NODES: Final = 1_000

DOCUMENT_KINDS: Final = ("knowledge", "policy", "memory")


class Direction(StrEnum):
    """Which edges of a node are followed."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


def _node(name: str = "") -> Any:
    return argument(
        REQUIRED,
        "ADR-042, PROJECT/ADR-042, code:PROJECT/PATH or code:PROJECT/PATH#NAME",
        tool="ADR-042, mem-123 or code:PROJECT/PATH#NAME",
        chars=NODE_ID_CHARACTERS,
        is_trimmed=True,
        name=name,
    )


def _project() -> Any:
    return argument(REQUIRED, tool="The repository", chars=200)


def _listed(tool: str | None, tool_default: int | None = None) -> Any:
    return argument(
        50,
        tool=tool,
        tool_default=tool_default,
        low=1,
        high=LISTED_NODES,
        cli="Maximum number of results",
        option="--limit -k",
    )


def _cursor(chars: int = 3_000) -> Any:
    return argument("", "next_cursor of a page", tool="next_cursor", chars=chars)


@dataclass(frozen=True, slots=True)
class NodeFilter:
    """`GET /graph/nodes`."""

    kind: str = argument("", choices=DOCUMENT_KINDS, cli="Only this kind")
    project: str = argument(
        "", chars=200, cli="Name of the repository in the index", option="--project -p NAME"
    )
    query: str = argument(
        "",
        "A part of the id or the title, in any case",
        chars=200,
        cli="Part of the id or the title",
        option="--query -q",
    )
    archived: bool | None = argument(None, "Only those whose file is gone, or only the others")
    limit: int = _listed(None)
    cursor: str = _cursor(1_000)


@dataclass(frozen=True, slots=True)
class Link:
    """`POST` and `DELETE /graph/links`."""

    source: str = _node("from")
    target: str = _node("to")
    type: str = argument(
        REQUIRED,
        "Such as implements or derived_from",
        tool="Such as implements, derived_from, related_to, migrated_to",
        chars=EDGE_TYPE_CHARACTERS,
    )
    weight: float | None = argument(None, tool="Strength", low=0.0, high=1.0, may_be_null=True)
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Traversal:
    """`GET /graph/traverse`."""

    source: str = _node("from")
    types: tuple[str, ...] = argument(
        (),
        "Edges to follow; default: every type",
        tool="Such as implements, mentions, derived_from, related_to, violates, migrated_to",
        chars=EDGE_TYPE_CHARACTERS,
        fewest=1,
        most=20,
    )
    direction: Direction = argument(
        Direction.BOTH,
        tool="out: along the edges, in: against them",
        cli="Follow edges forward, backward or both ways",
    )
    depth: int = argument(
        1, tool="Steps at most", low=1, high=TRAVERSAL_DEPTH, cli="Maximum number of steps"
    )
    limit: int = argument(
        100,
        "Nodes at most, nearest first",
        tool="Nodes at most",
        low=1,
        high=TRAVERSED_NODES,
        cli="Maximum number of nodes",
        option="--limit -k",
    )


@dataclass(frozen=True, slots=True)
class ViolationsRequest:
    """Of a project, a page at a time."""

    project: str = _project()
    limit: int = _listed("Violations at most", 20)
    cursor: str = _cursor()


@dataclass(frozen=True, slots=True)
class UnmigratedRequest:
    """`GET /graph/unmigrated`."""

    project: str = _project()
    limit: int = _listed("Definitions at most", 30)
    cursor: str = _cursor()
    path: str = argument(
        "",
        "What a file's path begins with",
        tool="Start of a file's path",
        chars=1_024,
        cli="Only files whose path begins with this",
    )


@dataclass(frozen=True, slots=True)
class RelatedRequest:
    """`GET /graph/related`."""

    id: str = _node()
    target_type: str = argument(
        REQUIRED,
        "knowledge: decisions and policies",
        tool="knowledge: ADRs and policies",
        choices=("code", *DOCUMENT_KINDS),
        cli="What to find; knowledge: decisions and policies",
    )
    limit: int = argument(
        10,
        tool="Nodes at most",
        low=1,
        high=45,
        cli="Maximum number of results",
        option="--limit -k",
    )


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """`GET /graph/context`."""

    project: str = _project()
    file: str = argument(REQUIRED, tool="Path in it", chars=1_024)
    max_tokens: int = argument(4_000, low=200, high=CONTEXT_TOKENS)
