"""Conversion between the shapes of the sidecar (grepai's, extended) and of the API. Pure.

The conversion loses nothing of this service's answers. Members that a plain grepai sidecar lacks
become null or empty, and the receipt reports unknown commits.
"""

from collections.abc import Mapping
from typing import Any, Final

from aeterna_code_search.agents.sidecar.grepai import (
    definition_of,
    edges_of,
    endpoint_of,
    link_of,
    nodes_of,
    result_of,
    status_of,
    unknown_receipt,
)

Answer = dict[str, Any]
Parameters = dict[str, Any]

_RENAMED: Final = {"org_id": "workspace", "include_projects": "projects"}
_NAMES: Final = {sidecar: api for api, sidecar in _RENAMED.items()}
_END: Final = {"callers": "caller", "callees": "callee"}
MODE: Final = "precise"  # grepai's term for a resolved trace


def sidecar_arguments(request: Mapping[str, Any]) -> Parameters:
    """Convert a request of the API (search, trace or status) to the sidecar's arguments."""
    arguments = {_RENAMED.get(name, name): value for name, value in request.items()}
    names = arguments.get("projects", ())
    if names and not any("," in name for name in names):
        arguments["projects"] = ",".join(names)  # grepai's format
    if arguments.get("max_content") == 0:
        del arguments["max_content"]
        arguments["compact"] = True
    return arguments


def api_request(arguments: Mapping[str, Any]) -> Parameters:
    """Convert the arguments of the sidecar's tool to a request of the API, without null and "".

    `projects` may be a list or, as in grepai, names separated by commas.
    """
    request = {name: value for name, value in arguments.items() if value not in (None, "")}
    if request.pop("compact", False):
        request["max_content"] = 0
    if isinstance(request.get("projects"), str):
        names = (name.strip() for name in request["projects"].split(","))
        request["projects"] = [name for name in names if name]
    return {_NAMES.get(name, name): value for name, value in request.items()}


def sidecar_search(answer: Mapping[str, Any]) -> Answer:
    """Convert a search answer to the sidecar's shape."""
    results = [{"file_path": row["file"], **_without(row, "file")} for row in answer["results"]]
    return {**answer, "results": results}


def api_search(answer: Any, query: str = "") -> Answer:
    """Convert the sidecar's search answer, an object or grepai's list, to the API's shape."""
    document: Mapping[str, Any] = answer if isinstance(answer, Mapping) else {"results": answer}
    results = [result_of(row) for row in document.get("results") or ()]
    return {
        "query": query,
        "queries": [query],
        "count": len(results),
        "next_cursor": None,
        "hint": None if results else "The sidecar found nothing.",
        **document,
        "results": results,
        "receipt": document.get("receipt") or unknown_receipt(),
    }


def sidecar_links(answer: Mapping[str, Any], what: str) -> Answer:
    """Convert callers or callees to the sidecar's shape."""
    definitions = answer["definitions"]
    return {
        "query": answer["symbol"],
        "mode": MODE,
        "symbol": _endpoint(definitions[0]) if definitions else None,
        what: [_site(link, _END[what]) for link in answer[what]],
        **_without(answer, "symbol", what),
    }


def api_links(answer: Mapping[str, Any], what: str, symbol: str = "") -> Answer:
    """Convert the sidecar's callers or callees to the API's shape."""
    definitions = answer.get("definitions")
    if definitions is None:
        definitions = [definition_of(answer["symbol"])] if answer.get("symbol") else []
    definition = definitions[0] if definitions else definition_of(symbol)
    links = [link_of(row, _END[what], definition) for row in answer.get(what) or ()]
    return {
        "symbol": answer.get("query") or symbol,
        "count": len(links),
        "next_cursor": None,
        "hint": None if links else f"The sidecar found no {what}.",
        **_without(answer, "query", "mode", "symbol", what),
        "definitions": definitions or ([definition] if links else []),
        what: links,
        "receipt": answer.get("receipt") or unknown_receipt(is_trace=True),
    }


def sidecar_graph(answer: Mapping[str, Any], depth: int) -> Answer:
    """Convert a graph to the sidecar's shape; `depth` is the requested depth."""
    rest = _without(answer, "symbol", "root")
    return {"root": answer["symbol"], "roots": answer["root"], **rest, "depth": depth}


def api_graph(answer: Mapping[str, Any], symbol: str = "") -> Answer:
    """Convert the sidecar's graph to the API's shape."""
    if "roots" in answer:
        rest = _without(answer, "roots", "depth")
        return {**rest, "symbol": answer["root"], "root": answer["roots"]}
    graph = answer.get("graph") or answer  # grepai wraps it
    edges = edges_of(graph.get("edges") or ())
    root = endpoint_of(graph.get("root") or symbol)["name"]
    nodes = nodes_of(graph.get("nodes") or (), edges, root)
    return {
        "symbol": root,
        "root": [root],
        "nodes": nodes,
        "edges": edges,
        "truncated": False,
        "truncated_reason": None,
        "receipt": unknown_receipt(is_trace=True),
        "hint": None if edges else "The sidecar found no callers or callees.",
    }


def sidecar_status(answer: Mapping[str, Any]) -> Answer:
    """Convert the index status to the sidecar's shape."""
    files = sum(int(row["files"]) for row in answer["projects"])
    return {"total_files": files, **answer}


def api_status(answer: Mapping[str, Any]) -> Answer:
    """Convert the sidecar's status to the API's shape."""
    if "projects" in answer:
        return _without(answer, "total_files")
    return status_of(answer)


def _endpoint(definition: Mapping[str, Any]) -> Answer:
    members = ("project", "file", "name", "qualified_name", "kind", "line")
    return {name: definition[name] for name in members}


def _site(link: Mapping[str, Any], end: str) -> Answer:
    site = {"file": link["file"], "line": link["line"], "context": link["evidence"]}
    rest = _without(link, end, "file", "line", "evidence")
    return {"symbol": link[end], "call_site": site, **rest}


def _without(record: Mapping[str, Any], *names: str) -> Answer:
    return {name: value for name, value in record.items() if name not in names}
