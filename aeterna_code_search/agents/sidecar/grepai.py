"""Completion of the rows of a plain grepai sidecar with the members of this service."""

from collections.abc import Iterable, Mapping
from typing import Any

from aeterna_code_search.agents.results import COMMITS_UNKNOWN

Row = dict[str, Any]


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
    return {
        "project": "",
        "commit": "",
        "start_line": start,
        "end_line": start,
        "language": "",
        "chunk_type": "text",
        "name": "",
        "container": "",
        "score": 0.0,
        "similarity": None,
        "content": "",
        "content_start_line": start,
        "truncated": "content" not in row,
        "matched": [],
        "url": None,
        **rest,
        "file": row.get("file_path") or "",
    }


def endpoint_of(symbol: Any) -> Row:
    """Complete an endpoint of a link, which is an object or a name."""
    values = symbol if isinstance(symbol, Mapping) else {"name": str(symbol or "")}
    name = str(values.get("name") or "")
    return {
        "project": "",
        "file": "",
        "qualified_name": name,
        "kind": "function",
        "line": 1,
        **values,
        "name": name,
    }


def definition_of(symbol: Any) -> Row:
    """Complete a definition, which is an object or a name."""
    end = endpoint_of(symbol)
    return {
        "commit": "",
        "end_line": end["line"],
        "signature": "",
        "language": "",
        "package": None,
        "version": None,
        "url": None,
        **end,
    }


def link_of(row: Mapping[str, Any], end: str, definition: Mapping[str, Any]) -> Row:
    """Complete a call; a plain sidecar matches by name only."""
    site = row.get("call_site") or {}
    rest = {name: value for name, value in row.items() if name not in {"symbol", "call_site"}}
    other = "callee" if end == "caller" else "caller"
    queried = {name: definition[name] for name in endpoint_of("")}
    return {
        "project": "",
        "commit": "",
        "column": 0,
        "kind": "call",
        other: queried,
        "target": 0,
        "depth": 1,
        "rule": "name_only",
        "confidence": "low",
        "candidates": 1,
        "pinned_version": None,
        "required_version": None,
        "indexed_version": None,
        "lags": None,
        "url": None,
        **rest,
        end: endpoint_of(row.get("symbol")),
        "file": site.get("file") or "",
        "line": site.get("line") or 1,
        "evidence": site.get("context") or "",
    }


def edges_of(rows: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Complete edges, whose endpoints are names."""
    return [
        {
            "project": "",
            "kind": "call",
            "rule": "name_only",
            "confidence": "low",
            "count": 1,
            "file": "",
            "line": 1,
            **row,
        }
        for row in rows
    ]


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
        "project": "",
        "default_branch": "",
        "last_indexed_commit": None,
        "indexed_at": updated,
        "generation": 0,
        "state": "current" if chunks else "never",
        "mode": None,
        "reason": None,
        "files": files,
        "skipped": 0,
        "chunks": chunks,
        "symbols": int(values.get("total_symbols") or 0),
        "references": 0,
        "languages": {},
        "embedder": embedder or None,
        "error": None,
        "run": None,
    }
    return {"org_id": "", "last_updated": updated, "total_chunks": chunks, "projects": [project]}
