"""Truncation of the knowledge graph's answers to a budget, most useful rows first."""

from collections.abc import Sequence
from typing import Final

from agents.truncation import Answer, Row, TruncatedAnswer, truncate

# Order of a context: restrictions before explanations.
_CONTEXT: Final = ("policies", "decisions", "callers", "memories", "callees")


def truncate_traverse(answer: Answer, max_tokens: int) -> Answer:
    """Keep the nodes nearest to the roots, and the edges between them."""
    nodes: Sequence[Row] = sorted(answer["nodes"], key=lambda row: int(row["distance"]))
    listed = {row["node"]["id"] for row in nodes}

    def endpoints(edge: Row) -> set[str]:
        """Return the endpoints that are nodes; definitions of a file root are not nodes."""
        return {edge["source"], edge["target"]} & listed or {nodes[0]["node"]["id"]}

    edges_at: dict[str, list[Row]] = {}
    for edge in answer["edges"]:
        for end in endpoints(edge):
            edges_at.setdefault(end, []).append(edge)

    def cut(result: TruncatedAnswer) -> None:
        reached: set[str] = set()
        result.rows("roots", result.budget.first(answer["roots"]))
        for row in nodes:
            wider = reached | {row["node"]["id"]}
            edges = [
                edge for edge in edges_at.get(row["node"]["id"], ()) if endpoints(edge) <= wider
            ]
            if not result.budget.fits(row, *edges):
                break
            reached = wider
        result.rows("nodes", [row for row in answer["nodes"] if row["node"]["id"] in reached])
        result.rows("edges", [edge for edge in answer["edges"] if endpoints(edge) <= reached])
        if result.counts:
            result.answer["truncated"] = True

    return truncate(answer, max_tokens, cut, "lower depth, or name types or a direction")


def truncate_rows(answer: Answer, name: str, max_tokens: int) -> Answer:
    """Keep the first rows of the list `name` that fit."""

    def cut(result: TruncatedAnswer) -> None:
        result.rows(name, result.budget.first(answer[name]))
        result.count(name)

    return truncate(answer, max_tokens, cut, "ask for fewer with limit")


def truncate_context(answer: Answer, max_tokens: int) -> Answer:
    """Keep the first rows of each kind that fit, kind by kind."""

    def cut(result: TruncatedAnswer) -> None:
        for name in _CONTEXT:
            result.rows(name, result.budget.first(answer[name]))

    return truncate(answer, max_tokens, cut, "ask graph_traverse from the file for its links alone")
