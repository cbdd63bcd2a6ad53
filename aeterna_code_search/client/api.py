"""Requests of the commands to the API of the service."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import quote, urlencode

from indexer.client.transport import Transport

Answer = dict[str, Any]
_Receive = Callable[[Iterator[bytes], int | None], None]

_IN_BODY: Final = {"map/consumers"}  # questions that may be too long for an address
_MATCH_SECONDS = 70.0  # between two results; a stream takes a minute at most
_PORTION_SECONDS = 120.0  # for a portion of an export, behind others
_BUILD_SECONDS = 300.0  # the service may have to build the file first


class SearchApi(Protocol):
    """An API that answers searches, traces and status requests. Raises CentralError."""

    def search(self, body: Mapping[str, Any]) -> Answer:
        """`POST /api/v1/search`, without `org_id`."""
        ...

    def trace(self, what: str, parameters: Mapping[str, Any]) -> Answer:
        """`GET /api/v1/trace/{what}`: callers, callees or graph; lists repeat their parameter."""
        ...

    def status(self, project: str | None = None) -> Answer:
        """`GET /api/v1/index/status`."""
        ...

    def read_file(self, parameters: Mapping[str, Any]) -> Answer:
        """`GET /api/v1/files/content`: lines of the index, without uncommitted work."""
        ...


class ServiceApi:
    """The API of one organisation of a service. Every method raises CentralError.

    `project` is the project of the checkout at `root`; outside of one they are "" and None.
    `source` identifies the service and the organisation.
    """

    def __init__(
        self,
        transport: Transport,
        organization: str,
        *,
        project: str = "",
        root: Path | None = None,
        source: str = "",
    ) -> None:
        self._transport = transport
        self._organization = organization
        self.project = project
        self.root = root
        self.source = source

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def search(self, body: Mapping[str, Any]) -> Answer:
        """Send a search."""
        return self._send("POST", "search", body)

    def matches(self, body: Mapping[str, Any], receive: _Receive) -> None:
        """Stream every match of an exact search; a lost connection calls `receive` again."""
        self._download("search/stream", body, receive, _MATCH_SECONDS)

    def list_files(self, parameters: Mapping[str, Any]) -> Answer:
        """`GET /api/v1/files`: a directory, or the paths that match a glob."""
        return self._get("files", parameters)

    def read_file(self, parameters: Mapping[str, Any]) -> Answer:
        """`GET /api/v1/files/content`: lines of a file."""
        return self._get("files/content", parameters)

    def history(self, parameters: Mapping[str, Any]) -> Answer:
        """`GET /api/v1/files/history`: commits that changed a path, or any of a repository."""
        return self._get("files/history", parameters)

    def blame(self, parameters: Mapping[str, Any]) -> Answer:
        """`GET /api/v1/files/blame`: the commits of a file's lines."""
        return self._get("files/blame", parameters)

    def trace(self, what: str, parameters: Mapping[str, Any]) -> Answer:
        """Send a trace, or ask for a page of all call edges: `calls`."""
        return self._get(f"trace/{what}", parameters)

    def map(self, what: str, parameters: Mapping[str, Any]) -> Answer:
        """`/api/v1/{what}`: map, or what is below it; of the index alone."""
        if what in _IN_BODY:
            return self._send("POST", what, parameters)
        return self._get(what, parameters)

    def scip(self, parameters: Mapping[str, Any], receive: _Receive) -> None:
        """Stream a project's index as SCIP; a lost connection calls `receive` again."""
        self._download("trace/scip", parameters, receive, _PORTION_SECONDS)

    def status(self, project: str | None = None) -> Answer:
        """Get the index status."""
        return self._get("index/status", {"project": project} if project else {})

    def graph(self, what: str, parameters: Mapping[str, Any]) -> Answer:
        """`GET /graph/{what}`: nodes, traverse, violations, unmigrated, related or context."""
        return self._get(f"graph/{what}", parameters)

    def node(self, name: str) -> Answer:
        """Get every node that an id matches, with bodies and edges."""
        return self._get(_node(name), {})

    def add_node(self, body: Mapping[str, Any]) -> Answer:
        """Store a new document."""
        return self._send("POST", "graph/nodes", body)

    def change_node(self, name: str, body: Mapping[str, Any], *, version: int | None) -> Answer:
        """Change a document and return it; fails if its version is not `version`."""
        return self._send("PATCH", _node(name), body, version=version)

    def delete_node(self, name: str) -> None:
        """Delete a document with its links."""
        self._transport.request("DELETE", self._address(_node(name), {}))

    def link(self, body: Mapping[str, Any]) -> Answer:
        """Create an explicit link, or change its weight and properties."""
        return self._send("POST", "graph/links", body)

    def unlink(self, body: Mapping[str, Any]) -> None:
        """Remove an explicit link."""
        self._send("DELETE", "graph/links", body)

    def snapshot(self, receive: _Receive) -> None:
        """Download the graph's DuckDB file; a lost connection calls `receive` again."""
        self._download("graph/snapshot", {}, receive, _BUILD_SECONDS)

    def _address(self, route: str, parameters: Mapping[str, Any]) -> str:
        query = urlencode({"org_id": self._organization, **parameters}, doseq=True)
        return f"/api/v1/{route}?{query}"

    def _get(self, route: str, parameters: Mapping[str, Any]) -> Answer:
        answer: Answer = self._transport.request("GET", self._address(route, parameters))
        return answer

    def _send(
        self, method: str, route: str, body: Mapping[str, Any], *, version: int | None = None
    ) -> Answer:
        content = json.dumps({"org_id": self._organization, **body}).encode()
        headers = {"Content-Type": "application/json"}
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        answer: Answer = self._transport.request(
            method, f"/api/v1/{route}", content=content, headers=lambda: headers
        )
        return answer

    def _download(
        self, route: str, parameters: Mapping[str, Any], receive: _Receive, wait_seconds: float
    ) -> None:
        self._transport.download(
            self._address(route, parameters), receive, wait_seconds=wait_seconds
        )


def _node(name: str) -> str:
    """The route of a node. HTTP clients resolve "." and "..", so dots are encoded too."""
    return f"graph/nodes/{quote(name, safe='').replace('.', '%2E')}"
