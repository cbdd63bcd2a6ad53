"""A client that costs as little as can be, so that what is measured is the service."""

import http.client
import json
import time
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

from scripts.local_service import Organization


class Client:
    """One kept connection of one organisation's token."""

    def __init__(self, acme: Organization) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(acme.service.url).netloc)
        self.headers = {"Authorization": f"Bearer {acme.token}", "Content-Type": "application/json"}
        self.organization = acme.slug
        self.received = 0  # bytes of the last answer

    def search(self, query: str) -> float:
        """Milliseconds of one search."""
        return self._timed("POST", "/api/v1/search", {"org_id": self.organization, "query": query})

    def trace(self, kind: str, **parameters: str | int) -> float:
        """Milliseconds of one `callers`, `callees` or `graph`."""
        return self._timed("GET", self._path(f"/api/v1/trace/{kind}", parameters))

    def get(self, path: str, **parameters: str | int) -> float:
        """Milliseconds of one GET."""
        return self._timed("GET", self._path(path, parameters))

    def finds(self, path: str, parameters: Mapping[str, str | int]) -> bool:
        """Whether there is such a thing."""
        return self._answer("GET", self._path(path, parameters))[0] == http.client.OK

    def _path(self, path: str, parameters: Mapping[str, str | int]) -> str:
        return f"{path}?{urlencode({'org_id': self.organization, **parameters})}"

    def _timed(self, method: str, path: str, body: Mapping[str, str] | None = None) -> float:
        started = time.perf_counter()
        status, content = self._answer(method, path, body)
        if status != http.client.OK:
            raise RuntimeError(f"{path}: {status}: {content[:300]!r}")
        return 1000 * (time.perf_counter() - started)

    def _answer(
        self, method: str, path: str, body: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        text = None if body is None else json.dumps(body)
        self.connection.request(method, path, text, self.headers)
        response = self.connection.getresponse()
        content = response.read()
        self.received = len(content)
        return response.status, content
