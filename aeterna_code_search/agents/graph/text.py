"""The compact text form of the knowledge graph's answers.

Documents are as untrusted as code. A line begins with ids and words of the service and ends with
user text (titles, statuses, messages). Bodies, snippets and matches are indented.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from aeterna_code_search.agents.text import indented, printable, receipt_text, remarks
from indexer.output.terminal import escape_line, pluralize

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
