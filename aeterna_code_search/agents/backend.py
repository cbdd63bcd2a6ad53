"""The backend of the tools, which serves requests of the API, and its errors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Backend(Protocol):
    """A service with one credential.

    Arguments are those of the API's routes. `org_id` is optional; the default is the credential's
    own organisation. Methods raise ToolError for rejected requests and expected failures.
    """

    async def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """`POST /api/v1/search`."""
        ...

    async def trace(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`GET /api/v1/trace/{what}`: callers, callees or graph, and of a FileBackend also what is
        at a position: definition or references.
        """
        ...

    async def status(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`GET /api/v1/index/status`."""
        ...


class FileBackend(Backend, Protocol):
    """A backend with the files of repositories. A sidecar has none."""

    async def list_files(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`GET /api/v1/files`."""
        ...

    async def read_file(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`GET /api/v1/files/content`."""
        ...

    async def history(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`GET /api/v1/files/history`."""
        ...


class ServiceBackend(FileBackend, Protocol):
    """A backend with files and the knowledge graph: all that the API offers to tools."""

    async def graph(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`GET /api/v1/graph/{what}`: traverse, violations, unmigrated, related or context."""
        ...

    async def map(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`/api/v1/{what}`: map, or what is below it."""
        ...

    async def graph_link(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """`POST /api/v1/graph/links`, the only write."""
        ...


INDEX_NOT_FOUND = "INDEX_NOT_FOUND"
# The API's:
INVALID = "invalid"
SYMBOL_NOT_FOUND = "symbol_not_found"
FILE_NOT_FOUND = "file_not_found"
REPOSITORY_NOT_FOUND = "repository_not_found"


class ToolError(Exception):
    """A rejected request or an expected failure.

    `message` is safe to show and says what to do, `code` is stable, `status` is the HTTP status.
    `near` lists names that are similar to the requested one.
    """

    def __init__(self, message: str, *, code: str, status: int, near: Sequence[str] = ()) -> None:
        super().__init__(f"{message} Similar names: {', '.join(near)}." if near else message)
        self.message = message
        self.code = code
        self.status = status
        self.near = tuple(near)


@dataclass(frozen=True, slots=True)
class ErrorHints:
    """Sentences for callers of this server; `build_index` says how to index a repository."""

    build_index: str


LOCAL_HINTS = ErrorHints("Build it with `codesearch init` in the repository.")
CENTRAL_HINTS = ErrorHints(
    "Build it with `codesearch init` in a clone of the repository, or run the index action there."
)
