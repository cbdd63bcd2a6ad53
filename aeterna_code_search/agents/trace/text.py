"""The compact text form of traces: links, call graphs, and what a name means."""

from collections.abc import Mapping

from aeterna_code_search.agents.text import Row, heading, joined, location, owners, printable
from indexer.output.terminal import owners_line, pluralize


def links_text(answer: Row, what: str) -> str:
    """Format the numbered definitions, then their callers, callees or references with evidence."""
    answer = printable(answer)
    definitions = answer["definitions"]
    symbol = answer["name"]["name"] if what == "references" else answer["symbol"]
    parts = [heading(answer, what, f"of {symbol}")]
    parts.append(
        "\n".join(f"[{index}] {_definition(row)}" for index, row in enumerate(definitions))
    )
    is_many = len(definitions) > 1
    parts.append("\n".join(_link(row, what, is_many=is_many) for row in answer[what]))
    parts.append(owners_line(answer.get("owners", ())))
    return joined(parts, answer)


def graph_text(answer: Row) -> str:
    """Format the nodes by distance from the symbol, then the edges."""
    answer = printable(answer)
    nodes, edges = answer["nodes"], answer["edges"]
    names = {node["id"]: node["qualified_name"] for node in nodes}
    head = f"{pluralize(len(nodes), 'node')} and {pluralize(len(edges), 'edge')}"
    parts = [f"{head} around {answer['symbol']}"]
    parts.append("\n".join(_node(node) for node in nodes))
    parts.append("\n".join(_edge(edge, names) for edge in edges))
    if answer["truncated"]:
        parts.append(f"The graph is truncated: {answer['truncated_reason']} reached.")
    return joined(parts, answer)


def meaning_text(answer: Row) -> str:
    """Format the definitions that the name at a position may mean, each with the evidence."""
    answer = printable(answer)
    name, definitions = answer["name"], answer["definitions"]
    subject = f"of {name['name']} ({name['use']}) at {location(name, name['line'])}"
    parts = [heading(answer, "definitions", subject)]
    parts.append("\n".join(f"{_definition(row)}\n    {_why(row)}" for row in definitions))
    return joined(parts, answer)


def _why(row: Row) -> str:
    pinned = f", pinned {row['pinned_version']}" if row["pinned_version"] else ""
    return f"{row['confidence']}, {row['rule']}{pinned}  {row['evidence']}".rstrip()


def _definition(row: Row) -> str:
    package = " ".join(part for part in (row["package"], row["version"]) if part)
    suffix = f"  ({package})" if package else ""
    where = f"{location(row, row['line'])}  {row['kind']} {row['qualified_name']}{suffix}"
    return f"{where}\n    {row['signature']}".rstrip()


def _link(row: Row, what: str, *, is_many: bool) -> str:
    near, far = ("caller", "callee") if what == "callees" else ("callee", "caller")
    target = f" [{row['target']}]" if is_many else ""
    through = f" through {row[near]['qualified_name']}, depth {row['depth']}"
    pinned = row["pinned_version"]
    version = f"  pins {pinned}{', older than indexed' if row['lags'] else ''}" if pinned else ""
    defined = f"  at {location(row[far], row[far]['line'])}" if what == "callees" else ""
    is_generated = what != "callees" and row[far].get("generated")
    place = location({**row, "generated": is_generated}, row["line"])
    return (
        f"{place}  {row[far]['qualified_name']}{target}{defined}"
        f"{through if row['depth'] > 1 else ''}  {row['confidence']}, {row['rule']}{version}"
        f"{owners(row)}"
        f"\n    {row['evidence']}"
    ).rstrip()


def _node(row: Row) -> str:
    return f"{row['distance']}  {location(row, row['line'])}  {row['kind']} {row['qualified_name']}"


def _edge(row: Row, names: Mapping[str, str]) -> str:
    caller, callee = (names.get(row[end], row[end]) for end in ("caller", "callee"))
    often = f" at {row['count']} places" if row["count"] > 1 else ""
    return f"{location(row, row['line'])}  {caller} → {callee}  {row['confidence']}{often}"
