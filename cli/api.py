"""The API as the command line asks it: one method a route, JSON's objects in and out."""

import json
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import urlencode

from indexer.client.transport import Transport


class Asks(Protocol):
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


class Api:
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
