"""Completion of the rows of a plain grepai sidecar with the members of this service."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, get_origin

from aeterna_code_search.agents.results import COMMITS_UNKNOWN
from aeterna_code_search.agents.sidecar.answers import model_of
from aeterna_code_search.contract.search import Result
from aeterna_code_search.contract.status import ProjectStatus
from aeterna_code_search.contract.trace import Endpoint, GraphEdge, Link, ShownDefinition

Row = dict[str, Any]
_BY_NAME: Final = {"kind": "call", "rule": "name_only", "confidence": "low"}


def unknown_receipt(*, is_trace: bool = False) -> Row:
    """Return the receipt of an answer whose commit is unknown."""
    receipt: Row = {
        "complete": False,
        "took_ms": None,
        "projects": [],
        "missing": [{"project": "", "reason": COMMITS_UNKNOWN}],
    }
    if is_trace:
        receipt["unresolved"] = {"count": 0, "more": False, "sample": []}
        receipt["elsewhere"] = {"count": 0, "more": False}
        receipt["cut"] = []
    return receipt


def result_of(row: Mapping[str, Any]) -> Row:
    """Complete a hit; without `content` it is marked as truncated."""
    rest = {name: value for name, value in row.items() if name != "file_path"}
    start = row.get("start_line") or 1
    lines = dict.fromkeys(("start_line", "end_line", "content_start_line"), start)
    own = {"chunk_type": "text", "truncated": "content" not in row}
    return {**_blank(Result), **lines, **own, **rest, "file": row.get("file_path") or ""}


def endpoint_of(symbol: Any) -> Row:
    """Complete an endpoint of a link, which is an object or a name."""
    values = symbol if isinstance(symbol, Mapping) else {"name": str(symbol or "")}
    name = str(values.get("name") or "")
    own = {"qualified_name": name, "kind": "function", "line": 1}
    return {**_blank(Endpoint), **own, **values, "name": name}


def definition_of(symbol: Any) -> Row:
    """Complete a definition, which is an object or a name."""
    end = endpoint_of(symbol)
    return {**_blank(ShownDefinition), "end_line": end["line"], **end}


def link_of(row: Mapping[str, Any], end: str, definition: Mapping[str, Any]) -> Row:
    """Complete a call; a plain sidecar matches by name only."""
    site = row.get("call_site") or {}
    rest = {name: value for name, value in row.items() if name not in {"symbol", "call_site"}}
    other = "callee" if end == "caller" else "caller"
    return {
        **_blank(Link),
        **_BY_NAME,
        "depth": 1,
        "candidates": 1,
        other: {name: definition[name] for name in endpoint_of("")},
        **rest,
        end: endpoint_of(row.get("symbol")),
        "file": site.get("file") or "",
        "line": site.get("line") or 1,
        "evidence": site.get("context") or "",
    }


def edges_of(rows: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Complete edges, whose endpoints are names."""
    return [{**_blank(GraphEdge), **_BY_NAME, "count": 1, "line": 1, **row} for row in rows]


def nodes_of(values: Any, edges: Iterable[Mapping[str, Any]], root: str) -> list[Row]:
    """Complete nodes, a list or a mapping by name, and add those that only edges name."""
    rows = values.values() if isinstance(values, Mapping) else values
    endpoints = {end["name"]: end for end in map(endpoint_of, rows)}
    for name in (root, *(edge[end] for edge in edges for end in ("caller", "callee"))):
        endpoints.setdefault(name, endpoint_of(name))
    return [{"id": name, "distance": int(name != root), **end} for name, end in endpoints.items()]


def status_of(values: Mapping[str, Any]) -> Row:
    """Turn the totals of an index into the status of one unnamed project."""
    embedder = "/".join(str(values[name]) for name in ("provider", "model") if values.get(name))
    files, chunks = int(values.get("total_files") or 0), int(values.get("total_chunks") or 0)
    updated = values.get("last_updated")
    project: Row = {
        **_blank(ProjectStatus),
        "indexed_at": updated,
        "state": "current" if chunks else "never",
        "files": files,
        "chunks": chunks,
        "symbols": int(values.get("total_symbols") or 0),
        "embedder": embedder or None,
    }
    return {"org_id": "", "last_updated": updated, "total_chunks": chunks, "projects": [project]}


def _blank(record: type) -> Row:
    """Return a record of the contract that says nothing, with the members of its first version."""
    fields = model_of(record).model_fields.items()
    return {name: _nothing(field.annotation) for name, field in fields if field.is_required()}


def _nothing(kind: Any) -> Any:
    """Return "", 0 or the like; None of what may be null, or is a record."""
    simple = get_origin(kind) or kind
    return simple() if simple in {str, int, float, bool, list, dict} else None
