"""The sidecar's shapes (grepai's, with our further members) to and from the API's; all pure.

There and back loses nothing of ours. What a plain grepai-like sidecar does not say comes back as
null or empty, and the receipt says that it is not known which commits answered.
"""

from collections.abc import Mapping
from typing import Any, Final

from agents.sidecar.grepai import (
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
MODE: Final = "precise"  # grepai's word for a trace that is not a guess by name


def sidecar_arguments(request: Mapping[str, Any]) -> Parameters:
    """A request of the API (search, trace or status) as the arguments of the sidecar's tool."""
    arguments = {_RENAMED.get(name, name): value for name, value in request.items()}
    names = arguments.get("projects", ())
    if names and not any("," in name for name in names):
        arguments["projects"] = ",".join(names)  # as grepai wants them
    if arguments.get("max_content") == 0:
        del arguments["max_content"]
        arguments["compact"] = True
    return arguments


def api_request(arguments: Mapping[str, Any]) -> Parameters:
    """The arguments of the sidecar's tool as a request of the API; null and "" are left out.

    `projects` may be a list, or grepai's names with commas between them.
    """
    given = {name: value for name, value in arguments.items() if value not in (None, "")}
    if given.pop("compact", False):
        given["max_content"] = 0
    if isinstance(given.get("projects"), str):
        names = (name.strip() for name in given["projects"].split(","))
        given["projects"] = [name for name in names if name]
    return {_NAMES.get(name, name): value for name, value in given.items()}


def sidecar_search(answer: Mapping[str, Any]) -> Answer:
    """A search's answer as the sidecar gives it."""
    results = []
    for row in answer["results"]:
        rest = {name: value for name, value in row.items() if name != "file"}
        results.append({"file_path": row["file"], **rest})
    return {**answer, "results": results}


def api_search(answer: Any, query: str = "") -> Answer:
    """The sidecar's answer to a search as the API gives it: an object, or grepai's bare list."""
    whole: Mapping[str, Any] = answer if isinstance(answer, Mapping) else {"results": answer}
    results = [result_of(row) for row in whole.get("results") or ()]
    return {
        "query": query,
        "queries": [query],
        "count": len(results),
        "next_cursor": None,
        "hint": None if results else "The sidecar found nothing.",
        **whole,
        "results": results,
        "receipt": whole.get("receipt") or unknown_receipt(),
    }


def sidecar_links(answer: Mapping[str, Any], what: str) -> Answer:
    """An answer of callers or callees as the sidecar gives it."""
    rest = {name: value for name, value in answer.items() if name not in {"symbol", what}}
    definitions = answer["definitions"]
    return {
        "query": answer["symbol"],
        "mode": MODE,
        "symbol": _endpoint(definitions[0]) if definitions else None,
        what: [_site(link, _END[what]) for link in answer[what]],
        **rest,
    }


def api_links(answer: Mapping[str, Any], what: str, symbol: str = "") -> Answer:
    """The sidecar's answer of callers or callees as the API gives it."""
    own = {"query", "mode", "symbol", what}
    rest = {name: value for name, value in answer.items() if name not in own}
    definitions = answer.get("definitions")
    if definitions is None:
        definitions = [definition_of(answer["symbol"])] if answer.get("symbol") else []
    known = definitions[0] if definitions else definition_of(symbol)
    links = [link_of(row, _END[what], known) for row in answer.get(what) or ()]
    return {
        "symbol": answer.get("query") or symbol,
        "count": len(links),
        "next_cursor": None,
        "hint": None if links else f"The sidecar found no {what}.",
        **rest,
        "definitions": definitions or ([known] if links else []),
        what: links,
        "receipt": answer.get("receipt") or unknown_receipt(is_trace=True),
    }


def sidecar_graph(answer: Mapping[str, Any], depth: int) -> Answer:
    """A graph as the sidecar gives it; `depth` is what was asked for."""
    rest = {name: value for name, value in answer.items() if name not in {"symbol", "root"}}
    return {"root": answer["symbol"], "roots": answer["root"], **rest, "depth": depth}


def api_graph(answer: Mapping[str, Any], symbol: str = "") -> Answer:
    """The sidecar's graph as the API gives it."""
    if "roots" in answer:
        rest = {name: value for name, value in answer.items() if name not in {"roots", "depth"}}
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
        "hint": None if edges else "The sidecar found nothing around it.",
    }


def sidecar_status(answer: Mapping[str, Any]) -> Answer:
    """The index's status as the sidecar gives it."""
    files = sum(int(row["files"]) for row in answer["projects"])
    return {"total_files": files, **answer}


def api_status(answer: Mapping[str, Any]) -> Answer:
    """The sidecar's status as the API gives it."""
    if "projects" in answer:
        return {name: value for name, value in answer.items() if name != "total_files"}
    return status_of(answer)


def _endpoint(definition: Mapping[str, Any]) -> Answer:
    members = ("project", "file", "name", "qualified_name", "kind", "line")
    return {name: definition[name] for name in members}


def _site(link: Mapping[str, Any], end: str) -> Answer:
    own = {end, "file", "line", "evidence"}
    rest = {name: value for name, value in link.items() if name not in own}
    site = {"file": link["file"], "line": link["line"], "context": link["evidence"]}
    return {"symbol": link[end], "call_site": site, **rest}
