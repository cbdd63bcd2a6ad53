"""The tools that trace a symbol or the name at a position, and their text form."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

from pydantic import Field

from aeterna_code_search.agents.backend import SYMBOL_NOT_FOUND, ErrorHints, FileBackend, ToolError
from aeterna_code_search.agents.registry import ToolRegistry
from aeterna_code_search.agents.requests import MaxTokens
from aeterna_code_search.agents.results import Reply, index_not_found
from aeterna_code_search.agents.text import Row, heading, joined, location, owners, printable
from aeterna_code_search.agents.truncation import (
    DEFAULT_TOKENS,
    Answer,
    Budget,
    first_rows,
    page,
    truncate,
)
from aeterna_code_search.contract.trace import (
    OF_CALLERS,
    GraphRequest,
    ReferencesRequest,
    TraceRequest,
)
from indexer.output.terminal import owners_line, pluralize

_OF_PAGES: Final = frozenset({"limit", "cursor"})


def add_trace_tools(
    tools: ToolRegistry, backend: Callable[[], FileBackend], hints: ErrorHints
) -> None:
    """Register the tools; each call gets its own backend, with the caller's credential."""
    trace = _TraceTools(backend, hints)
    tools.add(trace.code_trace_callers, title="Find callers", request=TraceRequest)
    tools.add(
        trace.code_trace_callees, title="Find callees", request=TraceRequest, without=OF_CALLERS
    )
    tools.add(trace.code_graph, title="Call graph", request=GraphRequest)
    tools.add(
        trace.code_definition,
        title="Go to definition",
        request=ReferencesRequest,
        without=("workspace", "min_confidence", "kind", "caller_projects"),
    )


@dataclass(frozen=True, slots=True)
class _TraceTools:
    """The tools over a backend; their docstrings are the descriptions that agents read."""

    _backend: Callable[[], FileBackend]
    _hints: ErrorHints

    async def code_trace_callers(
        self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any
    ) -> Reply:
        """Find who calls or uses a function, class or value, in every repository.

        Use it before a change or removal. Returns the symbol's definitions and each use of one,
        with rule, evidence, confidence and the caller's pinned version. Of several
        definitions project and file choose one. Example: symbol="Ledger.transfer", depth=2.
        """
        return _links(await self._trace("callers", request), "callers", max_tokens)

    async def code_trace_callees(
        self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any
    ) -> Reply:
        """Find what a function, method or class calls and uses, and where that is defined,
        in every repository.

        Use it to understand code without opening file after file.
        Example: symbol="ProcessPayment", project="payments-api".
        """
        return _links(await self._trace("callees", request), "callees", max_tokens)

    async def code_graph(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """Show the call graph around a symbol: callers and callees, several levels.

        Use it to see how something is wired in; for a list, code_trace_callers is cheaper.
        Example: symbol="AuthMiddleware", depth=2.
        """
        answer = await self._trace("graph", request)
        return Reply(answer, graph_text, truncate_graph, max_tokens)

    async def code_definition(
        self,
        references: Annotated[bool, Field(description="All references to it")] = False,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
        **request: Any,
    ) -> Reply:
        """Find what a name in an indexed file means: its definition, in any repository.

        Use it where several things have one name. Lines are those of code_read_file.
        Example: project="auth-service", file="acme_auth/app.py", line=44, column=20.
        """
        if references:
            return _links(await self._trace("references", request), "references", max_tokens)
        place = {name: value for name, value in request.items() if name not in _OF_PAGES}
        answer = await self._trace("definition", place)
        return Reply(answer, meaning_text, truncate_meaning, max_tokens)

    async def _trace(self, what: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the backend's answer; raise `index_not_found` if nothing is indexed."""
        try:
            return await self._backend().trace(what, parameters)
        except ToolError as error:
            if error.code != SYMBOL_NOT_FOUND:
                raise
            status = await self._backend().status(
                {name: value for name, value in parameters.items() if name == "org_id"}
            )
            if not status["total_chunks"]:
                raise index_not_found(self._hints) from error
            raise


def _links(answer: dict[str, Any], what: str, max_tokens: int) -> Reply:
    text, cut = partial(links_text, what=what), partial(truncate_links, what=what)
    return Reply(answer, text, cut, max_tokens)


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
