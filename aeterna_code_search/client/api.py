"""Requests of the commands to the API of the service."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import quote, urlencode

from indexer.client.transport import Transport
from indexer.limits import UNUSED_LISTED


class SearchApi(Protocol):
    """An API that answers searches, traces and status requests. Raises CentralError."""

    def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """`POST /api/v1/search`, without `org_id`."""
        ...

    def trace(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`GET /api/v1/trace/{what}`: callers, callees or graph; lists repeat their parameter."""
        ...

    def status(self, project: str | None = None) -> dict[str, Any]:
        """`GET /api/v1/index/status`."""
        ...

    def read_file(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`GET /api/v1/files/content`: lines of the index, without uncommitted work."""
        ...


_IN_BODY: Final = {"map/consumers"}  # questions that may be too long for an address
_MATCH_SECONDS = 70.0  # between two results; a stream takes a minute at most
_PORTION_SECONDS = 120.0  # for a portion of an export, behind others


class HttpSearchApi:
    """The search API of one organisation of a service.

    `project` is the project of the checkout at `root`; outside of one they are "" and None.
    """

    def __init__(
        self,
        transport: Transport,
        organization: str,
        project: str = "",
        root: Path | None = None,
    ) -> None:
        self._transport = transport
        self._organization = organization
        self.project = project
        self.root = root

    def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send a search."""
        content = json.dumps({"org_id": self._organization, **body}).encode()
        answer: dict[str, Any] = self._transport.request("POST", "/api/v1/search", content=content)
        return answer

    def matches(
        self, body: Mapping[str, Any], receive: Callable[[Iterator[bytes], int | None], None]
    ) -> None:
        """Stream every match of an exact search; a lost connection calls `receive` again."""
        query = urlencode({"org_id": self._organization, **body}, doseq=True)
        path = f"/api/v1/search/stream?{query}"
        self._transport.download(path, receive, wait_seconds=_MATCH_SECONDS)

    def list_files(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`GET /api/v1/files`: a directory, or the paths that match a glob."""
        return self._get("/api/v1/files", parameters)

    def read_file(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`GET /api/v1/files/content`: lines of a file."""
        return self._get("/api/v1/files/content", parameters)

    def trace(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Send a trace."""
        return self._get(f"/api/v1/trace/{what}", parameters)

    def map(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`/api/v1/{what}`: map, or what is below it; of the index alone."""
        route = f"/api/v1/{what}"
        if what not in _IN_BODY:
            return self._get(route, parameters)
        content = json.dumps({"org_id": self._organization, **parameters}).encode()
        answer: dict[str, Any] = self._transport.request("POST", route, content=content)
        return answer

    def scip(
        self,
        parameters: Mapping[str, Any],
        receive: Callable[[Iterator[bytes], int | None], None],
    ) -> None:
        """Stream a project's index as SCIP; a lost connection calls `receive` again."""
        query = urlencode({"org_id": self._organization, **parameters})
        path = f"/api/v1/trace/scip?{query}"
        self._transport.download(path, receive, wait_seconds=_PORTION_SECONDS)

    def status(self, project: str | None = None) -> dict[str, Any]:
        """Get the index status."""
        return self._get("/api/v1/index/status", {"project": project} if project else {})

    def _get(self, path: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        query = urlencode({"org_id": self._organization, **parameters}, doseq=True)
        answer: dict[str, Any] = self._transport.request("GET", f"{path}?{query}")
        return answer


Answer = dict[str, Any]
_ROUTE = "/api/v1/graph"
_CALLS = "/api/v1/trace/calls"
_UNUSED = "/api/v1/map/unused"
_BUILD_SECONDS = 300.0  # the service may have to build the file first


class GraphApi:
    """The knowledge graph of one organisation. Every method raises CentralError.

    `project` is the project of the checkout at `root` and the default of commands; outside a
    checkout they are "" and None. `source` identifies the service and the organisation.
    """

    def __init__(
        self,
        transport: Transport,
        organization: str,
        *,
        source: str = "",
        project: str = "",
        root: Path | None = None,
    ) -> None:
        self._transport = transport
        self._organization = organization
        self.source = source
        self.project = project
        self.root = root

    def query(self, what: str, parameters: Mapping[str, Any]) -> Answer:
        """`GET /graph/{what}`: nodes, traverse, violations, unmigrated, related or context."""
        return self._get(what, parameters)

    def node(self, name: str) -> Answer:
        """Get every node that an id matches, with bodies and edges."""
        return self._get(_node(name), {})

    def add(self, body: Mapping[str, Any]) -> Answer:
        """Store a new document."""
        return self._send("POST", "nodes", body)

    def change(self, name: str, body: Mapping[str, Any], *, version: int | None) -> Answer:
        """Change a document and return it; fails if its version is not `version`."""
        return self._send("PATCH", _node(name), body, version=version)

    def delete(self, name: str) -> None:
        """Delete a document with its links."""
        self._transport.request("DELETE", f"{_ROUTE}/{_node(name)}?{self._query({})}")

    def link(self, body: Mapping[str, Any]) -> Answer:
        """Create an explicit link, or change its weight and properties."""
        return self._send("POST", "links", body)

    def unlink(self, body: Mapping[str, Any]) -> None:
        """Remove an explicit link."""
        self._send("DELETE", "links", body)

    def snapshot(self, receive: Callable[[Iterator[bytes], int | None], None]) -> None:
        """Download the DuckDB file in pieces; a lost connection calls `receive` again."""
        path = f"{_ROUTE}/snapshot?{self._query({})}"
        self._transport.download(path, receive, wait_seconds=_BUILD_SECONDS)

    def calls(self, cursor: str) -> Answer:
        """Get a page of the organisation's call edges; the cursor "" is the first page."""
        parameters = {"cursor": cursor} if cursor else {}
        answer: Answer = self._transport.request("GET", f"{_CALLS}?{self._query(parameters)}")
        return answer

    def map(self, what: str, parameters: Mapping[str, Any]) -> Answer:
        """`GET /api/v1/{what}`: map, or map/most-called."""
        answer: Answer = self._transport.request("GET", f"/api/v1/{what}?{self._query(parameters)}")
        return answer

    def unused(self, cursor: str) -> Answer:
        """Get a page of the definitions that nothing visible calls; "" is the first page."""
        parameters = {"limit": UNUSED_LISTED, **({"cursor": cursor} if cursor else {})}
        answer: Answer = self._transport.request("GET", f"{_UNUSED}?{self._query(parameters)}")
        return answer

    def _get(self, route: str, parameters: Mapping[str, Any]) -> Answer:
        answer: Answer = self._transport.request(
            "GET", f"{_ROUTE}/{route}?{self._query(parameters)}"
        )
        return answer

    def _send(
        self, method: str, route: str, body: Mapping[str, Any], *, version: int | None = None
    ) -> Answer:
        content = json.dumps({"org_id": self._organization, **body}).encode()
        headers = {"Content-Type": "application/json"}
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        answer: Answer = self._transport.request(
            method, f"{_ROUTE}/{route}", content=content, headers=lambda: headers
        )
        return answer

    def _query(self, parameters: Mapping[str, Any]) -> str:
        return urlencode({"org_id": self._organization, **parameters}, doseq=True)


def _node(name: str) -> str:
    """The route of a node. HTTP clients resolve "." and "..", so dots are encoded too."""
    return f"nodes/{quote(name, safe='').replace('.', '%2E')}"
