"""Call graphs in a few words, as the trace answers them."""

from collections.abc import Iterable
from itertools import pairwise

from aeterna_code_search.contract.trace import GraphEdge, GraphNode


def node(name: str, distance: int = 1, *, project: str = "shop", file: str = "") -> GraphNode:
    """A function, in a file of its own unless one is given."""
    path = file or f"{name}.py"
    return GraphNode(
        id=f"code:{project}/{path}#{name}",
        project=project,
        file=path,
        name=name,
        qualified_name=name,
        kind="function",
        line=1,
        distance=distance,
    )


def edge(caller: GraphNode, callee: GraphNode, confidence: str = "high") -> GraphEdge:
    """`caller` calls `callee` once."""
    return GraphEdge(
        caller=caller.id,
        callee=callee.id,
        project=caller.project,
        file=caller.file,
        line=3,
        kind="call",
        rule="import",
        confidence=confidence,
        count=1,
    )


def chain(nodes: Iterable[GraphNode]) -> list[GraphEdge]:
    """Each calls the next."""
    return [edge(one, other) for one, other in pairwise(nodes)]
