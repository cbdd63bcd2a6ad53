"""The tools for the knowledge graph, of which only `graph_link` writes, and their text form.

Documents are as untrusted as code. A line begins with ids and words of the service and ends with
user text (titles, statuses, messages). Bodies, snippets and matches are indented.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from aeterna_code_search.agents.backend import ServiceBackend
from aeterna_code_search.agents.registry import ADDS, ToolRegistry
from aeterna_code_search.agents.requests import MaxTokens
from aeterna_code_search.agents.results import Reply
from aeterna_code_search.agents.text import indented, printable, receipt_text, remarks
from aeterna_code_search.agents.truncation import (
    DEFAULT_TOKENS,
    Answer,
    Budget,
    first_rows,
    truncate,
)
from aeterna_code_search.contract.knowledge import (
    ContextRequest,
    Link,
    RelatedRequest,
    Traversal,
    UnmigratedRequest,
    ViolationsRequest,
)
from indexer.limits import CONTEXT_TOKENS
from indexer.output.terminal import escape_line, pluralize

_STRUCTURE = 3  # times the tokens of its text has a context as the service counts it


def add_graph_tools(tools: ToolRegistry, backend: Callable[[], ServiceBackend]) -> None:
    """Register the six tools; each call gets its own backend, with the caller's credential."""
    graph = _GraphTools(backend)
    tools.add(graph.graph_context, title="Context of a file", request=ContextRequest)
    tools.add(graph.graph_traverse, title="Walk the graph", request=Traversal)
    tools.add(graph.graph_related, title="Related nodes", request=RelatedRequest)
    tools.add(graph.graph_violations, title="Policy violations", request=ViolationsRequest)
    tools.add(graph.graph_unmigrated, title="Code not migrated", request=UnmigratedRequest)
    tools.add(graph.graph_link, title="Link two nodes", request=Link, effects=ADDS)


@dataclass(frozen=True, slots=True)
class _GraphTools:
    """The tools over a backend; their docstrings are the descriptions that agents read."""

    _backend: Callable[[], ServiceBackend]

    async def graph_context(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """Gather what to know before you change a file. Call it once, before the first edit.

        Returns the policies that apply (and if it violates them), the decisions (ADRs)
        that it implements or resembles, memories about it, and its callers and callees in other
        files and repositories. Example: project="payments-api", file="src/payment/handler.rs".
        """
        structured = min(CONTEXT_TOKENS, _STRUCTURE * max_tokens)
        answer = await self._backend().graph("context", {**request, "max_tokens": structured})
        return Reply(answer, context_text, truncate_context, max_tokens)

    async def graph_traverse(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """Follow the links between decisions, policies, memories and code from a node.

        Use it to see which code implements a decision, or why code is as it is. Returns nodes,
        nearest first, and the edges to them. Examples: from="ADR-042", types=["implements"];
        from="code:src/auth/login.rs", direction="in".
        """
        answer = await self._backend().graph("traverse", request)
        return Reply(answer, traverse_text, truncate_traverse, max_tokens)

    async def graph_related(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """Find what resembles a node in meaning and words, linked or not.

        Use it for code that a document is about, or documents about code. Examples:
        id="mem-123", target_type="code"; id="code:shop/retry.py#L10-L30", target_type="knowledge".
        """
        answer = await self._backend().graph("related", request)
        return Reply(answer, related_text, truncate_related, max_tokens)

    async def graph_violations(
        self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any
    ) -> Reply:
        """List the code of a repository that violates the organisation's policies.

        Use it before a release. Returns place, policy, severity, message and matched lines.
        Example: project="payments-service".
        """
        answer = await self._backend().graph("violations", request)
        return Reply(answer, violations_text, truncate_violations, max_tokens)

    async def graph_unmigrated(
        self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any
    ) -> Reply:
        """List a legacy repository's definitions without a link to where they moved.

        graph_link sets migrated_to on a definition, its file or a directory above. Example:
        project="legacy-monolith", path="handlers/".
        """
        answer = await self._backend().graph("unmigrated", request)
        return Reply(answer, unmigrated_text, truncate_unmigrated, max_tokens)

    async def graph_link(
        self,
        properties: Annotated[dict[str, Any] | None, Field(description="Anything else")] = None,
        **request: Any,
    ) -> Reply:
        """Link two nodes for everybody: this writes, and needs a token with the scope index.

        Use it when you learn how things belong together. The same link again changes only weight
        and properties. Example: from="mem-123", to="code:src/auth/login.rs",
        type="derived_from".
        """
        given = {} if properties is None else {"properties": properties}
        return Reply(await self._backend().graph_link({**request, **given}), link_text)


Row = Mapping[str, Any]

_PROPERTIES_CHARACTERS: Final = 200
_EXCERPT_CHARACTERS: Final = 400


def link_text(edge: Row) -> str:
    """Format the new edge."""
    edge = printable(edge)
    return f"Linked: {_edge(edge)}"


def traverse_text(answer: Row) -> str:
    """Format the nodes by distance from the roots, then the edges among them."""
    answer = printable(answer)
    nodes, edges = answer["nodes"], answer["edges"]
    reached = sum(1 for row in nodes if row["distance"])
    head = f"{pluralize(reached, 'node')} reached from {', '.join(answer['roots'])}"
    parts = [head, "\n".join(f"{row['distance']}  {_node(row['node'])}" for row in nodes)]
    parts.append("\n".join(_edge(edge) for edge in edges))
    if answer["truncated"]:
        parts.append("The graph is truncated: lower depth, or name types or a direction.")
    return _joined(parts, answer, _projects(row["node"] for row in nodes))


def violations_text(answer: Row) -> str:
    """Format the code, the violated policy and the matching text."""
    answer = printable(answer)
    rows = answer["violations"]
    parts = [f"{pluralize(answer['count'], 'violation')} in {answer['project']}"]
    parts += [_violation(row) for row in rows]
    if answer["over_limit"]:
        files = pluralize(answer["over_limit"], "file")
        parts.append(f"{files} not checked because matching took too much time or memory.")
    parts += [
        f"Not run: {row['policy']}  {row['title']}\n{indented(row['reason'])}"
        for row in answer.get("not_run", ())
    ]
    return _joined(parts, answer, [answer["project"]])


def unmigrated_text(answer: Row) -> str:
    """Format the locations of the definitions."""
    answer = printable(answer)
    total = f", {answer['total']} on all pages" if answer["total"] != answer["count"] else ""
    head = f"{pluralize(answer['count'], 'definition')} of {answer['project']} not migrated{total}"
    rows = "\n".join(_node(row) for row in answer["code"])
    return _joined([head, rows], answer, [answer["project"]])


def related_text(answer: Row) -> str:
    """Format the nodes by score, code with its snippet."""
    answer = printable(answer)
    rows = answer["related"]
    head = f"{pluralize(answer['count'], 'node')} related to {answer['id']}"
    parts = [f"{head} (target_type {answer['target_type']})", *map(_related, rows)]
    return _joined(parts, answer, _projects(row["node"] for row in rows))


def context_text(answer: Row) -> str:
    """Format policies, decisions, callers, memories and callees of a file, under headings."""
    answer = printable(answer)
    parts = [f"Context of {answer['project']}/{answer['file']}"]
    parts += _section("Policies that apply", map(_policy, answer["policies"]))
    parts += _section("Decisions", map(_document, answer["decisions"]))
    parts += _section("Callers in other files", map(_neighbour, answer["callers"]))
    parts += _section("Memories", map(_document, answer["memories"]))
    parts += _section("Callees in other files", map(_neighbour, answer["callees"]))
    if len(parts) == 1:
        parts.append("The graph has no entries for this file.")
    if answer["truncated"]:
        counts = ", ".join(f"{count:,} of {name}" for name, count in answer["truncated"].items())
        parts.append(f"Did not fit: {counts}. Raise max_tokens to see them.")
    return _joined(parts, answer, [answer["project"]])


def _joined(parts: list[str], answer: Row, shown: Iterable[str]) -> str:
    receipt = receipt_text(answer["receipt"], shown, nothing="No code is part of this answer.")
    return "\n\n".join(part for part in [*parts, *remarks(answer), receipt] if part)


def _projects(nodes: Iterable[Row]) -> list[str]:
    return [node["project"] for node in nodes if node["project"]]


def _node(row: Row) -> str:
    """Format id and kind, with the lines of code, or the title and status of a document."""
    if row["path"] and row["kind"].startswith("code_"):
        lines = f"  lines {row['start_line']}-{row['end_line']}" if row["start_line"] else ""
        note = "  (no longer in the index)" if row["missing"] else ""
        return f"{row['id']}  {row['kind']}{lines}{note}"
    note = "  (its file was removed)" if row["archived"] else ""
    status = f" ({row['status']})" if row["status"] else ""
    return f"{row['id']}  {row['kind']}{note}  {row['title']}{status}"


def _edge(row: Row) -> str:
    weight = "" if row["weight"] is None else f", weight {row['weight']:.2f}"
    line = f"{row['source']} —{row['type']}→ {row['target']}  {row['origin']}{weight}"
    if not row["properties"]:
        return line
    # ASCII, so that it stays on one line.
    properties = json.dumps(row["properties"], separators=(",", ":"))
    cut = "…" if len(properties) > _PROPERTIES_CHARACTERS else ""
    return f"{line}\n    {properties[:_PROPERTIES_CHARACTERS]}{cut}"


def _violation(row: Row) -> str:
    head = f"{_node(row['code'])}\n    {row['severity']} {row['policy']}: {row['title']}"
    matches = _matches(row["edge"]["properties"].get("matches", []))
    return "\n".join([head, *_indented(row["message"]), *matches])


def _matches(rows: Iterable[Row]) -> list[str]:
    return [
        f"    {row['start_line']}-{row['end_line']}  {escape_line(str(row['text']))}"
        for row in rows
    ]


def _related(row: Row) -> str:
    similarity = "" if row["similarity"] is None else f", similarity {row['similarity']:.2f}"
    node, lines = row["node"], f"{row['start_line']}-{row['end_line']}"
    is_part = row["start_line"] and lines != f"{node['start_line']}-{node['end_line']}"
    hit = f", at lines {lines}" if is_part else ""
    head = f"score {row['score']:.2f}{similarity}{hit}  {_node(node)}"
    return f"{head}\n{indented(row['content'])}".rstrip() if row["content"] else head


def _section(title: str, rows: Iterable[str]) -> list[str]:
    lines = list(rows)
    return ["\n".join([f"{title}:", *lines])] if lines else []


def _document(row: Row) -> str:
    similarity = "" if row["similarity"] is None else f" {row['similarity']:.2f}"
    why = f"{', '.join(row['why'])}{similarity}"
    return "\n".join([f"[{why}]  {_node(row['node'])}", *_indented(row["node"]["body"])])


def _policy(row: Row) -> str:
    state = "VIOLATED" if row["is_violated"] else "kept"
    head = f"{state}  {row['severity']}  {_node(row['node'])}"
    return "\n".join([head, *_indented(row["message"]), *_matches(row["matches"])])


def _indented(text: str) -> list[str]:
    return [f"    {text[:_EXCERPT_CHARACTERS]}"] if text else []


def _neighbour(row: Row) -> str:
    location = f"{row['project']}/{row['file']}:{row['line']}"
    return f"{location}  {row['name']}  {row['confidence']}, of {row['of']}"


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
