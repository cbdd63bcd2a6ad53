"""Walking the graph from some nodes: by type, direction and depth, a statement for each level.

Cycle-safe: each node is reached once, on a shortest way. What is linked to a definition counts as
linked to its file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from aeterna_code_search.contract.knowledge import Direction
from central.db import fetch_rows, id_array, sql_with
from central.knowledge.access import VISIBLE_NODE, visible_node_parameters
from central.knowledge.models import Edge, Node
from central.repositories.models import Repository
from central.repositories.visibility import VISIBLE
from central.tenancy.credentials import Credential

_EDGES_OF_NODE: Final = 4  # times the nodes that are wanted: what is read of a level


class Step(NamedTuple):
    """An edge between two nodes of the walk."""

    node: int
    origin: int
    edge: int


@dataclass(frozen=True, slots=True)
class GraphTraversal:
    """`distances` by node, the roots' being 0; `is_cut`: there are more nodes than were read."""

    distances: dict[int, int]
    steps: list[Step]
    is_cut: bool


_sql = sql_with(
    visible_node=VISIBLE_NODE, visible=VISIBLE, node=Node, edge=Edge, repository=Repository
)
# The nodes beside a level, with the edge that leads there.
_LEVEL: Final = _sql("""
    WITH level AS (
        SELECT unnest(%s::bigint[]) AS id
        UNION
        SELECT symbol.id FROM {node} file
        JOIN {node} symbol ON symbol.repository_id = file.repository_id
            AND symbol.path = file.path AND symbol.kind = 'code_symbol'
        WHERE file.id = ANY(%s::bigint[]) AND file.kind = 'code_file'
    ),
    beside AS (
        SELECT e.target_id AS node, e.source_id AS origin, e.id AS edge
        FROM level l JOIN {edge} e ON e.source_id = l.id
        WHERE %s AND (%s::text[] IS NULL OR e.type = ANY(%s::text[]))
        UNION
        SELECT e.source_id, e.target_id, e.id
        FROM level l JOIN {edge} e ON e.target_id = l.id
        WHERE %s AND (%s::text[] IS NULL OR e.type = ANY(%s::text[]))
    )
    SELECT b.node, b.origin, b.edge FROM beside b JOIN {node} n ON n.id = b.node
    WHERE {visible_node}
    ORDER BY b.edge, b.node
    LIMIT %s""")


def walk(
    *,
    credential: Credential,
    roots: Sequence[int],
    limit: int,
    types: Sequence[str] | None = None,
    direction: Direction = Direction.BOTH,
    depth: int = 1,
) -> GraphTraversal:
    """Up to `limit` nodes besides the roots, nearest first, up to `depth` steps from them.

    No level below one that is cut is read.
    """
    wanted = None if types is None else list(types)
    of_types = [wanted, wanted]
    distances = dict.fromkeys(roots, 0)
    steps: dict[int, Step] = {}
    level = list(distances)
    limit += len(level)
    is_cut = False
    for distance in range(1, depth + 1):
        parameters = [
            id_array(level),
            id_array(level),
            direction is not Direction.IN,
            *of_types,
            direction is not Direction.OUT,
            *of_types,
            *visible_node_parameters(credential=credential),
            limit * _EDGES_OF_NODE,
        ]
        rows = fetch_rows(_LEVEL, parameters)
        is_cut = is_cut or len(rows) == limit * _EDGES_OF_NODE
        level = []
        for step in map(Step._make, rows):
            distances.setdefault(step.origin, distance - 1)  # a definition of a file of the level
            if step.node not in distances:
                if len(distances) >= limit:
                    is_cut = True
                    continue
                distances[step.node] = distance
                level.append(step.node)
            steps.setdefault(step.edge, step)
        if is_cut or not level:
            break
    return GraphTraversal(distances, list(steps.values()), is_cut)
