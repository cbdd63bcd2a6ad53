"""Requests of a trace to the local index, and the merging of its answers."""

from collections.abc import Mapping
from typing import Any, Final

from aeterna_code_search.cli.overlay.graph import local_only_graph, merge_graph
from aeterna_code_search.cli.overlay.links import local_only_links, merge_links
from aeterna_code_search.cli.overlay.overlay import Overlay, Row
from aeterna_code_search.client.api import ServiceApi

_MAX_LINKS: Final = 200  # of one page
_MAX_PAGES: Final = 10
_SHARED_PARAMETERS: Final = ("symbol", "file", "line", "depth", "min_confidence", "kind")


def local_parameters(what: str, parameters: Mapping[str, Any], project: str) -> Row:
    """Return the parameters for the local index: the same trace of its own project."""
    request = {name: parameters[name] for name in _SHARED_PARAMETERS if name in parameters}
    request["project"] = project
    if what == "graph":
        return {**request, **({"limit": parameters["limit"]} if "limit" in parameters else {})}
    if what == "callers":
        request["caller_projects"] = [project]
    return {**request, "limit": _MAX_LINKS}


def fetch_all_pages(api: ServiceApi, what: str, parameters: Mapping[str, Any]) -> Row:
    """Fetch all pages of a list of links as one answer."""
    answer = api.trace(what, parameters)
    for _ in range(_MAX_PAGES):
        if not answer.get("next_cursor"):
            break
        page = api.trace(what, {**parameters, "cursor": answer["next_cursor"]})
        answer = {**page, what: [*answer[what], *page[what]]}
    # The hint would be about the projects that this request excludes.
    return {**answer, "hint": None} if what == "callers" else answer


def by_name(parameters: Mapping[str, Any], local: Row) -> Mapping[str, Any]:
    """Replace `line` by the name of the definition there, if there is exactly one."""
    roots = set(local.get("root", ()))
    nodes = [node for node in local.get("nodes", ()) if node["id"] in roots]
    names = {definition["qualified_name"] for definition in local.get("definitions", nodes)}
    if len(names) != 1:
        return parameters
    others = {name: value for name, value in parameters.items() if name != "line"}
    return {**others, "symbol": names.pop()}


def merged(what: str, central: Row, local: Row | None, overlay: Overlay, *, is_first: bool) -> Row:
    """Merge the answers of central and the local index."""
    if what == "graph":
        return merge_graph(central, local, overlay)
    return merge_links(central, local, overlay, what=what, is_first=is_first)


def local_only(what: str, local: Row, overlay: Overlay) -> Row:
    """Return the answer for a symbol that central does not know."""
    if what == "graph":
        return local_only_graph(local, overlay)
    return local_only_links(local, overlay, what=what)
