"""The tools that ask an organisation as one, and the text form of their answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from aeterna_code_search.agents.backend import ServiceBackend
from aeterna_code_search.agents.registry import ToolRegistry
from aeterna_code_search.agents.requests import MaxTokens
from aeterna_code_search.agents.results import Reply
from aeterna_code_search.agents.text import Row, heading, joined, location, owners, printable
from aeterna_code_search.agents.truncation import (
    DEFAULT_TOKENS,
    Answer,
    Budget,
    first_rows,
    truncate,
)
from aeterna_code_search.contract.codemap import ConsumersRequest, MapRequest, UnusedRequest
from indexer.output.terminal import owners_line, pluralize


def add_map_tools(tools: ToolRegistry, backend: Callable[[], ServiceBackend]) -> None:
    """Register the tools; each call gets its own backend, with the caller's credential."""
    of_map = _MapTools(backend)
    tools.add(of_map.code_map, title="Map of the organisation", request=MapRequest)
    tools.add(of_map.code_consumers, title="Consumers of a project", request=ConsumersRequest)
    tools.add(of_map.code_unused, title="Definitions without callers", request=UnusedRequest)


@dataclass(frozen=True, slots=True)
class _MapTools:
    """The tools over a backend; their docstrings are the descriptions that agents read."""

    _backend: Callable[[], ServiceBackend]

    async def code_map(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """Show which projects use which: calls, imports, versions that lag, and cycles.

        Use it to see what depends on a project before you plan a change across repositories.
        Example: project="auth-service".
        """
        answer = await self._backend().map("map", request)
        return Reply(answer, map_text, truncate_map, max_tokens)

    async def code_consumers(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """List who uses a project: version, whether it lags, and the definitions it uses.

        Use it before you change or remove what others call or import.
        Example: project="common-utils", symbols=["retry_call"].
        """
        answer = await self._backend().map("map/consumers", request)
        return Reply(answer, consumers_text, truncate_consumers, max_tokens)

    async def code_unused(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """List public definitions that nothing in any repository calls, each with its doubts.

        Use it to find dead code. Never call one safe to delete without its doubts: what a framework
        or reflection calls is not seen. Example: project="auth-service", doubts=["published"].
        """
        answer = await self._backend().map("map/unused", request)
        return Reply(answer, unused_text, truncate_unused, max_tokens)


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
