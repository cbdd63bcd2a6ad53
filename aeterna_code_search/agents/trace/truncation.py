"""Truncation of traces to a budget, best rows first."""

from collections.abc import Sequence
from typing import Final

from aeterna_code_search.agents.truncation import Answer, Budget, Row, first_rows, page, truncate


def truncate_links(answer: Answer, budget: Budget, *, what: str) -> Answer:
    """Keep the first links that fit with their definitions, then other definitions."""
    definitions: Sequence[Row] = answer["definitions"]
    links: Sequence[Row] = answer[what]
    in_links = list(dict.fromkeys(int(link["target"]) for link in links))
    others = [index for index in range(len(definitions)) if index not in set(in_links)]

    def keep(count: int) -> Answer:
        kept = links[:count]
        targets = {int(link["target"]) for link in kept}
        targets.update(others[: max(0, count - len(links))])
        order = {old: new for new, old in enumerate(sorted(targets))}
        moved = [{**link, "target": order[int(link["target"])]} for link in kept]
        return {"definitions": [definitions[index] for index in order], **page(answer, what, moved)}

    advice = "name project or file, or ask for fewer with limit and follow next_cursor"
    return truncate(answer, budget, keep, len(links) + len(others), advice=advice)


truncate_meaning: Final = first_rows("definitions", advice="raise max_tokens")


def truncate_graph(answer: Answer, budget: Budget) -> Answer:
    """Keep the nodes nearest to the roots, and the edges among them."""
    nearest = sorted(answer["nodes"], key=lambda node: int(node["distance"]))

    def keep(count: int) -> Answer:
        near = {node["id"] for node in nearest[:count]}
        members: Answer = {
            "nodes": [node for node in answer["nodes"] if node["id"] in near],
            "edges": [edge for edge in answer["edges"] if _is_among(edge, near)],
            "root": [root for root in answer["root"] if root in near],
        }
        if count < len(nearest):
            members.update(truncated=True, truncated_reason="max_tokens")
        return members

    advice = "lower depth, or name project or file"
    return truncate(answer, budget, keep, len(nearest), advice=advice)


def _is_among(edge: Row, nodes: set[str]) -> bool:
    return edge["caller"] in nodes and edge["callee"] in nodes
