"""What the tools ask: a backend that serves requests of the API, and its errors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Backend(Protocol):
    """A service as one credential sees it.

    Arguments are those of the API's routes, with `org_id` optional: without it, the credential's
    own organisation. Every refusal and every failure that is expected is a ToolError.
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


INDEX_NOT_FOUND = "INDEX_NOT_FOUND"
# The API's:
INVALID = "invalid"
SYMBOL_NOT_FOUND = "symbol_not_found"


class ToolError(Exception):
    """A refusal or an expected failure.

    `message` is safe to show and says what to do, `code` is stable, `status` is HTTP's. `near`:
    names in repositories that are like the one that was asked for.
    """

    def __init__(self, message: str, *, code: str, status: int, near: Sequence[str] = ()) -> None:
        super().__init__(f"{message} Alike: {', '.join(near)}." if near else message)
        self.message = message
        self.code = code
        self.status = status
        self.near = tuple(near)


@dataclass(frozen=True, slots=True)
class ErrorHints:
    """What a caller of this server does to have something indexed: whole sentences."""

    build_index: str


LOCAL_HINTS = ErrorHints("Build it with `codesearch init` in the repository.")
CENTRAL_HINTS = ErrorHints(
    "Build it with `codesearch init` in a clone of the repository, or run the index action there."
)
