"""Who answers: anything that takes and gives the API's shapes."""

from collections.abc import Mapping
from typing import Any, Protocol


class Backend(Protocol):
    """A service as one credential sees it.

    Arguments are those of the API's routes, with `org_id` optional: without it, the credential's
    own organisation. Every refusal and every failure that is expected is a RefusedError.
    """

    async def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """`POST /api/v1/search`."""
        ...

    async def trace(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`GET /api/v1/trace/{what}`: callers, callees or graph."""
        ...

    async def status(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`GET /api/v1/index/status`."""
        ...


class GraphBackend(Backend, Protocol):
    """The same with the knowledge graph, which only the service has: a sidecar has none."""

    async def graph(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`GET /api/v1/graph/{what}`: traverse, violations, unmigrated, related or context."""
        ...

    async def graph_link(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """`POST /api/v1/graph/links`, the only write."""
        ...
