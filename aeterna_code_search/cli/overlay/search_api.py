"""Merged answers of central and of the index of the watched work tree.

A failure of central is the failure of the request. If the local index fails, the answer is
central's, and its receipt reports that uncommitted work may be missing.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, TypeVar

from aeterna_code_search.cli.overlay.graph import local_only_graph, merge_graph
from aeterna_code_search.cli.overlay.links import local_only_links, merge_links
from aeterna_code_search.cli.overlay.overlay import Overlay, Row, without_overlay
from aeterna_code_search.cli.overlay.search import (
    MAX_HITS,
    Position,
    merge_hits,
    parse_cursor,
    without_changed,
)
from aeterna_code_search.cli.overlay.worktree import WorkTree
from aeterna_code_search.client.api import SearchApi, ServiceApi
from aeterna_code_search.client.target.target import IndexTarget
from indexer.errors import CentralRefusedError, GitError, IndexerError

if TYPE_CHECKING:
    from aeterna_code_search.cli.watch.lock import WatchRecord

_Answer = TypeVar("_Answer")
_Local = Row | IndexerError | None  # None: not in the local index

_OF_BRANCHES: Final = re.compile(r"\b(?:rev:\S|r(?:epo)?:\S+@\S)")  # in a query
_MAX_LINKS: Final = 200  # of one page
_MAX_PAGES: Final = 10
_SHARED_PARAMETERS: Final = ("symbol", "file", "line", "depth", "min_confidence", "kind")
_NO_SYMBOL: Final = frozenset({"symbol_not_found", "file_not_found"})
_NOT_THERE: Final = _NO_SYMBOL | {"repository_not_found"}  # central may never have indexed it


def with_overlay(api: ServiceApi, target: IndexTarget) -> SearchApi:
    """Return the API of `target`: `api`, or in a checkout an overlay over it.

    Each request checks whether a watcher runs; that costs reading a file.
    """
    if target.is_local or target.root is None or not target.project:
        return api
    return OverlaySearchApi(api, WorkTree(target, target.root))


class OverlaySearchApi:
    def __init__(self, api: ServiceApi, worktree: WorkTree) -> None:
        self._api = api
        self._worktree = worktree
        self._project = worktree.project

    def search(self, body: Mapping[str, Any]) -> Row:
        """Search. After the last local hit, pages are central's without changed files.

        Uncommitted work is of the default branch, so a search on branches is central's alone.
        """
        if _names_branches(body):
            return self._api.search(body)
        is_excluded = self._project in (body.get("exclude_projects") or ())
        watched = None if is_excluded else self._watched_in(body.get("include_projects"))
        start = parse_cursor(body["cursor"]) if body.get("cursor") else Position()
        if start is None:
            return self._further(body, watched)
        if watched is None:
            return self._central_page(start, body)[0]
        limit = int(body.get("limit", 10))
        is_first = start == Position()
        local_limit = min(MAX_HITS, 2 * limit) if is_first else MAX_HITS
        own = {"include_projects": [watched.project], "limit": local_limit}
        local_body = {**_without(body, "org_id", "exclude_projects", "cursor"), **own}
        (central, cursor), local = self._both(
            lambda: self._central_page(start, body),
            lambda api: api.search(local_body) if is_first else _fetch_all_pages(api, local_body),
        )

        def merge(overlay: Overlay, local_answer: Row | None) -> Row:
            if local_answer is None:
                return without_changed(central, overlay)
            page = merge_hits(
                central, local_answer, overlay, limit=limit, skipped=start.shown, is_first=is_first
            )
            if page.through < len(central["results"]):
                further = Position(cursor, page.through, page.shown)
                return {**page.answer, "next_cursor": further.encode()}
            if not page.is_all_local:
                further = Position(central["next_cursor"] or None, shown=page.shown)
                return {**page.answer, "next_cursor": further.encode()}
            return page.answer

        return self._merged(central, local, watched, merge)

    def trace(self, what: str, parameters: Mapping[str, Any]) -> Row:
        """Trace. A symbol that only one side knows is answered by that side.

        A position is one of the indexed commit: what is there is asked without uncommitted work.
        """
        if what in {"definition", "references"} or parameters.get("ref"):
            return self._api.trace(what, parameters)
        watched = self._watched_in(parameters.get("caller_projects"))
        if watched is None:
            return self._api.trace(what, parameters)
        central, local = self._traced(what, parameters, watched)
        if isinstance(central, CentralRefusedError):
            return self._local_only(what, central, local, watched)
        return self._merged(
            central,
            local,
            watched,
            lambda overlay, local_answer: (
                merge_graph(central, local_answer, overlay)
                if what == "graph"
                else merge_links(
                    central, local_answer, overlay, what=what, is_first=not parameters.get("cursor")
                )
            ),
        )

    def status(self, project: str | None = None) -> Row:
        """Return central's status, with a summary of the overlay as `local`."""
        answer = self._api.status(project)
        watched = self._watched_in([project] if project else ())
        if watched is None:
            return answer
        try:
            overlay = self._worktree.overlay(watched, self._indexed(answer))
        except GitError as exc:
            return {**answer, "local_error": str(exc)}
        return {**answer, "local": overlay.summary()}

    def read_file(self, parameters: Mapping[str, Any]) -> Row:
        """Read lines of the index, without uncommitted work."""
        return self._api.read_file(parameters)

    def _watched_in(self, projects: Sequence[str] | None) -> "WatchRecord | None":
        """Return the watch record if `projects` is empty or contains the project."""
        if projects and self._project not in projects:
            return None
        return self._worktree.watched()

    def _further(self, body: Mapping[str, Any], watched: "WatchRecord | None") -> Row:
        central = self._api.search(body)
        if watched is None:
            return central
        return self._merged(
            central, None, watched, lambda overlay, _: without_changed(central, overlay)
        )

    def _central_page(self, start: Position, body: Mapping[str, Any]) -> tuple[Row, str | None]:
        """Return central's page from `start` and its cursor; no hits after the last page."""
        cursor, first = start.cursor, _without(body, "cursor")
        if cursor is not None and start.through:
            before = self._api.search({**first, **_at(cursor), "limit": start.through})
            cursor = before["next_cursor"] or None
        if cursor is None:
            answer = self._api.search({**first, "limit": 1})
            return {**answer, "results": [], "count": 0, "next_cursor": None}, None
        return self._api.search({**first, **_at(cursor)}), cursor

    def _traced(
        self, what: str, parameters: Mapping[str, Any], watched: "WatchRecord"
    ) -> tuple[Row | CentralRefusedError, _Local]:
        """Return both answers; either may be that the symbol does not exist."""
        if parameters.get("project") not in {None, "", self._project}:
            return self._central_trace(what, parameters), None
        local_parameters = _local_parameters(what, parameters, watched.project)
        if not parameters.get("line"):
            return self._both(
                lambda: self._central_trace(what, parameters),
                lambda api: _fetch_links(api, what, local_parameters),
            )
        # `line` refers to the work tree, so the local index determines the definition.
        local = self._local(lambda api: _fetch_links(api, what, local_parameters))
        chosen = _by_name(parameters, local) if isinstance(local, dict) else parameters
        return self._central_trace(what, chosen), local

    def _central_trace(self, what: str, parameters: Mapping[str, Any]) -> Row | CentralRefusedError:
        try:
            return self._api.trace(what, parameters)
        except CentralRefusedError as exc:
            if exc.code not in _NOT_THERE:
                raise
            return exc

    def _both(
        self, central: Callable[[], _Answer], local: Callable[[ServiceApi], Row]
    ) -> tuple[_Answer, _Local]:
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(self._local, local)
            return central(), other.result()

    def _local(self, request: Callable[[ServiceApi], Row]) -> _Local:
        try:
            return request(self._worktree.api())
        except CentralRefusedError as exc:
            return None if exc.code in _NO_SYMBOL else exc
        except IndexerError as exc:
            return exc

    def _merged(
        self,
        central: Row,
        local: _Local,
        watched: "WatchRecord",
        merge: Callable[[Overlay, Row | None], Row],
    ) -> Row:
        if isinstance(local, IndexerError):
            return without_overlay(central, self._project, str(local))
        if local is not None and _commit(local["receipt"], watched.project) is None:
            return without_overlay(central, self._project, f"{watched.project} is not indexed here")
        try:
            overlay = self._worktree.overlay(
                watched, _commit(central["receipt"], self._project), local
            )
            return merge(overlay, local)  # reads lines from git
        except GitError as exc:  # the snapshot may be gone with its watcher
            return without_overlay(central, self._project, str(exc))

    def _local_only(
        self, what: str, refusal: CentralRefusedError, local: _Local, watched: "WatchRecord"
    ) -> Row:
        if not isinstance(local, dict):
            raise refusal
        try:
            overlay = self._worktree.overlay(watched, self._indexed(self._api.status()), local)
            if what == "graph":
                return local_only_graph(local, overlay)
            return local_only_links(local, overlay, what=what)
        except GitError:
            raise refusal from None

    def _indexed(self, status: Row) -> str | None:
        """Return central's indexed commit of the project."""
        rows = {row["project"]: row["last_indexed_commit"] for row in status["projects"]}
        return rows.get(self._project) or None


def _fetch_all_pages(api: ServiceApi, body: Row) -> Row:
    """Fetch the hits of all pages: hits in changed files may be on any page."""
    answer = api.search(body)
    results = list(answer["results"])
    while answer["next_cursor"]:
        answer = api.search({**body, "cursor": answer["next_cursor"]})
        results += answer["results"]
    return {**answer, "count": len(results), "results": results}


def _commit(receipt: Mapping[str, Any], project: str) -> str | None:
    rows = {row["project"]: row["commit"] for row in receipt["projects"]}
    return rows.get(project) or None


def _at(cursor: str) -> Row:
    return {"cursor": cursor} if cursor else {}


def _without(body: Mapping[str, Any], *names: str) -> Row:
    return {name: value for name, value in body.items() if name not in names}


def _names_branches(body: Mapping[str, Any]) -> bool:
    queries = body.get("queries") or [body.get("query") or ""]
    return bool(body.get("ref")) or any(map(_OF_BRANCHES.search, queries))


def _local_parameters(what: str, parameters: Mapping[str, Any], project: str) -> Row:
    """Return the parameters for the local index: the same trace of its own project."""
    request = {name: parameters[name] for name in _SHARED_PARAMETERS if name in parameters}
    request["project"] = project
    if what == "graph":
        return {**request, **({"limit": parameters["limit"]} if "limit" in parameters else {})}
    if what == "callers":
        request["caller_projects"] = [project]
    return {**request, "limit": _MAX_LINKS}


def _fetch_links(api: ServiceApi, what: str, parameters: Mapping[str, Any]) -> Row:
    """Fetch all pages of a list of links as one answer."""
    answer = api.trace(what, parameters)
    for _ in range(_MAX_PAGES):
        if not answer.get("next_cursor"):
            break
        page = api.trace(what, {**parameters, "cursor": answer["next_cursor"]})
        answer = {**page, what: [*answer[what], *page[what]]}
    # The hint would be about the projects that this request excludes.
    return {**answer, "hint": None} if what == "callers" else answer


def _by_name(parameters: Mapping[str, Any], local: Row) -> Mapping[str, Any]:
    """Replace `line` by the name of the definition there, if there is exactly one."""
    roots = set(local.get("root", ()))
    nodes = [node for node in local.get("nodes", ()) if node["id"] in roots]
    names = {definition["qualified_name"] for definition in local.get("definitions", nodes)}
    if len(names) != 1:
        return parameters
    others = {name: value for name, value in parameters.items() if name != "line"}
    return {**others, "symbol": names.pop()}
