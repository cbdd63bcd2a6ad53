"""The compact text form of answers about an organisation as one."""

from collections.abc import Sequence
from typing import Final

from aeterna_code_search.agents.text import Row, heading, joined, location, owners, printable
from indexer.output.terminal import owners_line, pluralize

_CYCLES: Final = 10
_CYCLE_NODES: Final = 20


def map_text(answer: Row) -> str:
    """Format a line for each link, then the cycles."""
    answer = printable(answer)
    parts = [f"{pluralize(len(answer['links']), 'link')} between {len(answer['nodes'])} nodes"]
    parts.append("\n".join(_link(row) for row in answer["links"]))
    if answer["links_more"]:
        parts.append(f"{answer['links_more']} more links: raise limit, or name a project.")
    parts += [_cycle(ids) for ids in answer["cycles"][:_CYCLES]]
    return joined(parts, answer)


def _cycle(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _CYCLE_NODES} more" if len(ids) > _CYCLE_NODES else ""
    return f"Cycle of {len(ids)}: {', '.join(ids[:_CYCLE_NODES])}{more}"


def unused_text(answer: Row) -> str:
    """Format a line for each definition, with its doubts."""
    answer = printable(answer)
    count = pluralize(len(answer["definitions"]), "definition")
    parts = [f"{count} without visible callers, of {answer['looked_at']} on this page"]
    parts.append("\n".join(_unused(row) for row in answer["definitions"]))
    return joined(parts, answer)


def _unused(row: Row) -> str:
    doubts = ", ".join(_doubt(doubt) for doubt in row["doubts"]) or "none"
    return f"{location(row, row['line'])}  {row['kind']} {row['qualified_name']}  doubts: {doubts}"


def _doubt(row: Row) -> str:
    count = f" {row['count']}" if row["count"] else ""
    return f"{row['code']}{count}{' ' + row['place'] if row['place'] else ''}"


def consumers_text(answer: Row) -> str:
    """Format each consumer with its versions and what it uses, then what is not known."""
    answer = printable(answer)
    parts = [heading(answer, "consumers", f"of {answer['project']}")]
    parts.append("\n".join(_consumer(row) for row in answer["consumers"]))
    parts.append(owners_line(answer.get("owners", ())))
    if answer["consumers_more"]:
        parts.append(f"{answer['consumers_more']} more consumers: raise limit.")
    if any(answer["inside"].values()):
        parts.append(f"Inside of {answer['project']}: {_uses(answer['inside'])}")
    if answer["unresolved"]:
        parts.append(f"References by these names of something unknown: {answer['unresolved']}")
    if answer["unknown"]:
        parts.append(f"Not in the index: {', '.join(answer['unknown'])}")
    return joined(parts, answer)


def _consumer(row: Row) -> str:
    versions = "".join(f"  {_version(version)}" for version in row["versions"])
    used = "".join(
        f"\n    {used['name']} ({used['file']}:{used['line']}): {_uses(used)}"
        for used in row["definitions"]
    )
    more = f"\n    and {row['definitions_more']} more" if row["definitions_more"] else ""
    return f"{row['id']}  {_uses(row)}{versions}{owners(row)}{used}{more}"


def _uses(row: Row) -> str:
    return f"{pluralize(row['calls'], 'call')}, {pluralize(row['imports'], 'import')}"


def _link(row: Row) -> str:
    versions = "".join(f"  {_version(version)}" for version in row["versions"])
    return f"{row['source']} → {row['target']}  {_uses(row)}{versions}"


def _version(row: Row) -> str:
    asked = row["pinned"] or row["required"] or "any version"
    indexed = f" of {row['indexed']}" if row["indexed"] else ""
    return f"{row['package']} {asked}{indexed}{', lags' if row['lags'] else ''}"
