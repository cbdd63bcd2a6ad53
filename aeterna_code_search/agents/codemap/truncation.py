"""Truncation of answers about an organisation as one, the strongest links first."""

from typing import Final

from aeterna_code_search.agents.truncation import Answer, Budget, first_rows, truncate


def truncate_map(answer: Answer, budget: Budget) -> Answer:
    """Keep the first links that fit, and their nodes."""
    links, nodes = answer["links"], answer["nodes"]

    def keep(count: int) -> Answer:
        kept = links[:count]
        ends = {link[end] for link in kept for end in ("source", "target")}
        return {"links": kept, "nodes": [node for node in nodes if node["id"] in ends]}

    advice = "name a project, or lower limit"
    return truncate(answer, budget, keep, len(links), advice=advice)


truncate_consumers: Final = first_rows(
    "consumers", advice="name symbols or a package, or lower limit"
)
truncate_unused: Final = first_rows(
    "definitions", advice="ask for fewer with limit and follow next_cursor"
)
