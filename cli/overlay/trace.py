"""The questions of a trace to the local index, and which merging its answers take."""

from collections.abc import Mapping
from typing import Any, Final

from cli.api import HttpSearchApi
from cli.overlay.graph import local_only_graph, merge_graph
from cli.overlay.links import local_only_links, merge_links
from cli.overlay.overlay import Overlay, Row

_MOST_LINKS: Final = 200  # of one page
_MOST_PAGES: Final = 10
_KEPT: Final = ("symbol", "file", "line", "depth", "min_confidence")


def local_parameters(what: str, parameters: Mapping[str, Any], project: str) -> Row:
    """What the local index is asked: the same of its own project."""
    asked = {name: parameters[name] for name in _KEPT if name in parameters}
    asked["project"] = project
    if what == "graph":
        return {**asked, **({"limit": parameters["limit"]} if "limit" in parameters else {})}
    if what == "callers":
        asked["caller_projects"] = [project]
    return {**asked, "limit": _MOST_LINKS}


def whole(api: HttpSearchApi, what: str, parameters: Mapping[str, Any]) -> Row:
    """The whole answer: the pages of a list of links as one."""
    answer = api.trace(what, parameters)
    for _ in range(_MOST_PAGES):
        if not answer.get("next_cursor"):
            break
        page = api.trace(what, {**parameters, "cursor": answer["next_cursor"]})
        answer = {**page, what: [*answer[what], *page[what]]}
    # That other projects are left out is no matter of who asked.
    return {**answer, "hint": None} if what == "callers" else answer


def by_name(parameters: Mapping[str, Any], local: Row) -> Mapping[str, Any]:
    """The same question by the name of what is at the line, if that is one definition."""
    roots = set(local.get("root", ()))
    found = [node for node in local.get("nodes", ()) if node["id"] in roots]
    names = {one["qualified_name"] for one in local.get("definitions", found)}
    if len(names) != 1:
        return parameters
    kept = {name: value for name, value in parameters.items() if name != "line"}
    return {**kept, "symbol": names.pop()}


def merged(what: str, central: Row, local: Row | None, overlay: Overlay, *, is_first: bool) -> Row:
    """One answer of both."""
    if what == "graph":
        return merge_graph(central, local, overlay)
    return merge_links(central, local, overlay, what=what, is_first=is_first)


def local_only(what: str, local: Row, overlay: Overlay) -> Row:
    """The answer for what central does not know."""
    if what == "graph":
        return local_only_graph(local, overlay)
    return local_only_links(local, overlay, what=what)
