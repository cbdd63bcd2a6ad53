"""The knowledge graph's answers cut to a budget, most useful rows first."""

from collections.abc import Sequence
from typing import Final

from agents.truncation import Answer, Row, TruncatedAnswer, truncate

# Of a context: what forbids comes before what explains.
_CONTEXT: Final = ("policies", "decisions", "callers", "memories", "callees")


def truncate_traverse(answer: Answer, max_tokens: int) -> Answer:
    """The nodes nearest to the roots, and the edges of which no end is left out."""
    nodes: Sequence[Row] = sorted(answer["nodes"], key=lambda row: int(row["distance"]))
    listed = {row["node"]["id"] for row in nodes}

    def ends(edge: Row) -> set[str]:
        """A file's definitions are roots, too, without being nodes of the answer."""
        return {edge["source"], edge["target"]} & listed or {nodes[0]["node"]["id"]}

    edges_at: dict[str, list[Row]] = {}
    for edge in answer["edges"]:
        for end in ends(edge):
            edges_at.setdefault(end, []).append(edge)

    def cut(kept: TruncatedAnswer) -> None:
        reached: set[str] = set()
        kept.rows("roots", kept.budget.first(answer["roots"]))
        for row in nodes:
            wider = reached | {row["node"]["id"]}
            edges = [edge for edge in edges_at.get(row["node"]["id"], ()) if ends(edge) <= wider]
            if not kept.budget.fits(row, *edges):
                break
            reached = wider
        kept.rows("nodes", [row for row in answer["nodes"] if row["node"]["id"] in reached])
        kept.rows("edges", [edge for edge in answer["edges"] if ends(edge) <= reached])
        if kept.counts:
            kept.answer["truncated"] = True

    return truncate(answer, max_tokens, cut, "lower depth, or name types or a direction")


def truncate_rows(answer: Answer, name: str, max_tokens: int) -> Answer:
    """The first rows of the list `name` that fit: of violations, unmigrated code or relatives."""

    def cut(kept: TruncatedAnswer) -> None:
        kept.rows(name, kept.budget.first(answer[name]))
        kept.count(name)

    return truncate(answer, max_tokens, cut, "ask for fewer with limit")


def truncate_context(answer: Answer, max_tokens: int) -> Answer:
    """The first rows of each kind that fit, kind by kind."""

    def cut(kept: TruncatedAnswer) -> None:
        for name in _CONTEXT:
            kept.rows(name, kept.budget.first(answer[name]))

    return truncate(answer, max_tokens, cut, "ask graph_traverse from the file for its links alone")
