"""Requests of the commands to the API of the service."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, urlencode

from indexer.client.transport import Transport


class SearchApi(Protocol):
    """Who answers searches, traces and questions for the status. Raises CentralError."""

    def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """`POST /api/v1/search`, without `org_id`."""
        ...

    def trace(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`GET /api/v1/trace/{what}`: callers, callees or graph; lists are given as lists."""
        ...

    def status(self, project: str | None = None) -> dict[str, Any]:
        """`GET /api/v1/index/status`."""
        ...


class HttpSearchApi:
    """One organisation of a service."""

    def __init__(self, transport: Transport, organization: str) -> None:
        self._transport = transport
        self._organization = organization

    def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Search."""
        content = json.dumps({"org_id": self._organization, **body}).encode()
        answer: dict[str, Any] = self._transport.request("POST", "/api/v1/search", content=content)
        return answer

    def trace(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Trace."""
        return self._get(f"/api/v1/trace/{what}", parameters)

    def status(self, project: str | None = None) -> dict[str, Any]:
        """What is indexed."""
        return self._get("/api/v1/index/status", {"project": project} if project else {})

    def _get(self, path: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        query = urlencode({"org_id": self._organization, **parameters}, doseq=True)
        answer: dict[str, Any] = self._transport.request("GET", f"{path}?{query}")
        return answer


Answer = dict[str, Any]
_ROUTE = "/api/v1/graph"
_CALLS = "/api/v1/trace/calls"
_BUILD_SECONDS = 300.0  # the service may have to build the file first


class GraphApi:
    """The graph of one organisation. Every method raises CentralError.

    `project` is that of the checkout at `root`, which is asked about where none is named; "" and
    None outside of one. `source` is the same as long as the service and the organisation are.
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

    def ask(self, what: str, parameters: Mapping[str, Any]) -> Answer:
        """`GET /graph/{what}`: nodes, traverse, violations, unmigrated, related or context."""
        return self._get(what, parameters)

    def node(self, name: str) -> Answer:
        """All that an id means, with bodies and edges."""
        return self._get(_node(name), {})

    def add(self, body: Mapping[str, Any]) -> Answer:
        """A new document."""
        return self._send("POST", "nodes", body)

    def change(self, name: str, body: Mapping[str, Any], *, version: int | None) -> Answer:
        """A document as it is after the change; refused if it is no more of that version."""
        return self._send("PATCH", _node(name), body, version=version)

    def delete(self, name: str) -> None:
        """A document with its links."""
        self._transport.request("DELETE", f"{_ROUTE}/{_node(name)}?{self._query({})}")

    def link(self, body: Mapping[str, Any]) -> Answer:
        """An explicit link; the same again changes its weight and properties."""
        return self._send("POST", "links", body)

    def unlink(self, body: Mapping[str, Any]) -> None:
        """Take an explicit link back."""
        self._send("DELETE", "links", body)

    def snapshot(self, receive: Callable[[Iterator[bytes], int | None], None]) -> None:
        """The DuckDB file, in pieces; `receive` is called again after a lost connection."""
        path = f"{_ROUTE}/snapshot?{self._query({})}"
        self._transport.download(path, receive, wait_seconds=_BUILD_SECONDS)

    def calls(self, cursor: str) -> Answer:
        """A page of the organisation's call edges; "" is the first."""
        given = {"cursor": cursor} if cursor else {}
        answer: Answer = self._transport.request("GET", f"{_CALLS}?{self._query(given)}")
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
    """The route of a node. HTTP clients resolve "." and "..", so that dots are encoded, too."""
    return f"nodes/{quote(name, safe='').replace('.', '%2E')}"
