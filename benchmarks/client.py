"""A client that costs as little as can be, so that what is measured is the service."""

import http.client
import json
import time
from urllib.parse import urlencode, urlsplit

from scripts.local_service import Organization


class Client:
    """One kept connection of one organisation's token."""

    def __init__(self, acme: Organization) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(acme.service.url).netloc)
        self.headers = {"Authorization": f"Bearer {acme.token}", "Content-Type": "application/json"}
        self.organization = acme.slug

    def search(self, query: str) -> float:
        """Milliseconds of one search; an answer other than 200 is an error."""
        body = json.dumps({"org_id": self.organization, "query": query})
        return self._timed("POST", "/api/v1/search", body)

    def trace(self, kind: str, **parameters: str | int) -> float:
        """Milliseconds of one `callers`, `callees` or `graph`."""
        query = urlencode({"org_id": self.organization, **parameters})
        return self._timed("GET", f"/api/v1/trace/{kind}?{query}", None)

    def _timed(self, method: str, path: str, body: str | None) -> float:
        started = time.perf_counter()
        self.connection.request(method, path, body, self.headers)
        response = self.connection.getresponse()
        content = response.read()
        if response.status != http.client.OK:
            raise RuntimeError(f"{path}: {response.status}: {content[:300]!r}")
        return 1000 * (time.perf_counter() - started)
