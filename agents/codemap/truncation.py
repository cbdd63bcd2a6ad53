"""Truncation of answers about an organisation as one, the strongest links first."""

from agents.codemap.text import consumers_text, map_text, unused_text
from agents.truncation import Answer, Budget, page, truncate


def truncate_map(answer: Answer, budget: Budget) -> Answer:
    """Keep the first links that fit, and their nodes."""
    links, nodes = answer["links"], answer["nodes"]

    def keep(count: int) -> Answer:
        kept = links[:count]
        ends = {link[end] for link in kept for end in ("source", "target")}
        return {"links": kept, "nodes": [node for node in nodes if node["id"] in ends]}

    advice = "name a project, or lower limit"
    return truncate(answer, budget, keep, len(links), text=map_text, advice=advice)


def truncate_consumers(answer: Answer, budget: Budget) -> Answer:
    """Keep the first consumers that fit."""
    rows = answer["consumers"]

    def keep(count: int) -> Answer:
        return {"consumers": rows[:count]}

    advice = "name symbols or a package, or lower limit"
    return truncate(answer, budget, keep, len(rows), text=consumers_text, advice=advice)


def truncate_unused(answer: Answer, budget: Budget) -> Answer:
    """Keep the first definitions that fit."""
    rows = answer["definitions"]

    def keep(count: int) -> Answer:
        return page(answer, "definitions", rows[:count])

    advice = "ask for fewer with limit and follow next_cursor"
    return truncate(answer, budget, keep, len(rows), text=unused_text, advice=advice)
