"""The service's side: every match as a stream, and pages of ten over a connection that is kept."""

import http.client
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from benchmarks.exact.corpus import Place
from scripts.local_service import Organization

PAGE = 10


@dataclass(frozen=True, slots=True)
class Found:
    """Every line that matches; `cut` are files with more matches than are listed.

    `is_complete`: the receipt says that everything was read.
    """

    lines: set[Place]
    cut: set[tuple[str, str]]
    is_complete: bool


class ExactClient:
    """Asks one organisation's service."""

    def __init__(self, organization: Organization) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(organization.service.url).netloc)
        self._headers = {
            "Authorization": f"Bearer {organization.token}",
            "Content-Type": "application/json",
        }
        self._organization = organization.slug

    def every_line(self, query: str, *, most: int) -> Found:
        """Return all lines that match. `most` is how many matches of a file the service lists."""
        content = self._ask("search/stream", query)
        self.disconnect()
        rows = [json.loads(row) for row in content.splitlines()]
        files, receipt = rows[:-1], rows[-1]["receipt"]
        return Found(
            {(one["project"], one["file"], line["line"]) for one in files for line in one["lines"]},
            {(one["project"], one["file"]) for one in files if one["matches"] >= most},
            receipt["complete"],
        )

    def disconnect(self) -> None:
        """Let the next request connect: while others are asked, the server ends what is idle."""
        self._connection.close()

    def page(self, query: str, *, mode: str = "hybrid") -> dict[str, Any]:
        """Return the first page."""
        answer: dict[str, Any] = json.loads(self.ask_page(query, mode=mode))
        return answer

    def ask_page(self, query: str, *, mode: str = "hybrid") -> bytes:
        """Return the first page as it comes."""
        return self._ask("search", query, mode=mode, limit=PAGE)

    def _ask(self, route: str, query: str, **options: Any) -> bytes:
        body = json.dumps({"org_id": self._organization, "query": query, **options})
        self._connection.request("POST", f"/api/v1/{route}", body, self._headers)
        response = self._connection.getresponse()
        content = response.read()
        if response.status != http.client.OK:
            raise RuntimeError(f"{query}: {response.status}: {content[:500]!r}")
        return content
