"""Truncation of the knowledge graph's answers to a budget, most useful rows first."""

from collections.abc import Sequence
from typing import Final

from aeterna_code_search.agents.truncation import Answer, Budget, Row, first_rows, truncate

# Order of a context: restrictions before explanations.
_CONTEXT: Final = ("policies", "decisions", "callers", "memories", "callees")


def truncate_traverse(answer: Answer, budget: Budget) -> Answer:
    """Keep the roots, then the nodes nearest to them with the edges between."""
    roots: Sequence[str] = answer["roots"]
    nodes: Sequence[Row] = sorted(answer["nodes"], key=lambda row: int(row["distance"]))
    listed = {row["node"]["id"] for row in nodes}

    def endpoints(edge: Row) -> set[str]:
        """Return the endpoints that are nodes; definitions of a file root are not nodes."""
        return {edge["source"], edge["target"]} & listed or {nodes[0]["node"]["id"]}

    def keep(count: int) -> Answer:
        reached = {row["node"]["id"] for row in nodes[: max(0, count - len(roots))]}
        members: Answer = {
            "roots": roots[:count],
            "nodes": [row for row in answer["nodes"] if row["node"]["id"] in reached],
            "edges": [edge for edge in answer["edges"] if endpoints(edge) <= reached],
        }
        return {**members, "truncated": True} if len(reached) < len(nodes) else members

    advice = "lower depth, or name types or a direction"
    return truncate(answer, budget, keep, len(roots) + len(nodes), advice=advice)


_FEWER: Final = "ask for fewer with limit"
truncate_related: Final = first_rows("related", advice=_FEWER)
truncate_violations: Final = first_rows("violations", advice=_FEWER)
truncate_unmigrated: Final = first_rows("code", advice=_FEWER)


def truncate_context(answer: Answer, budget: Budget) -> Answer:
    """Keep the first rows that fit: the first of each kind, the second of each, and so on."""
    ranked = sorted(
        (place, kind) for kind, name in enumerate(_CONTEXT) for place in range(len(answer[name]))
    )

    def keep(count: int) -> Answer:
        kinds = [kind for _, kind in ranked[:count]]
        return {name: answer[name][: kinds.count(kind)] for kind, name in enumerate(_CONTEXT)}

    advice = "ask graph_traverse from the file for its links alone"
    return truncate(answer, budget, keep, len(ranked), advice=advice)
