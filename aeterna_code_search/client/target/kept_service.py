"""The service of a directory, opened at its first use and kept open."""

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from indexer.errors import CentralUnreachableError

if TYPE_CHECKING:
    from aeterna_code_search.client.api import SearchApi, ServiceApi
    from aeterna_code_search.client.target.target import IndexTarget

_Answer = TypeVar("_Answer")


@dataclass(slots=True)
class OpenService:
    """An open target with its API, and what answers searches in front of it."""

    target: "IndexTarget"
    api: "ServiceApi"
    search_api: "SearchApi"
    resources: ExitStack
    users: int = 0


def _itself(api: "ServiceApi", _: "IndexTarget") -> "SearchApi":
    return api


class KeptService:
    """The service of `directory`: a configured one, or the local one.

    `environ` names it, as for `codesearch` (README, "Settings"). `search_api_over` returns what
    answers searches in front of its API. Every method raises IndexerError; none prompts the user.
    Threads may share it. A local service that has ended is started again.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        directory: Path,
        search_api_over: "Callable[[ServiceApi, IndexTarget], SearchApi]" = _itself,
    ) -> None:
        self._environ = environ
        self._directory = directory
        self._search_api_over = search_api_over
        self._lock = threading.Lock()
        self._opened: OpenService | None = None

    @property
    def location(self) -> str:
        """URL of the service, or the data directory of a local one."""
        return self._named_url() or str(self._data_dir())

    def may_hold_something(self) -> bool:
        """False if there is no service: none is configured, and none ran on this machine."""
        return bool(self._named_url()) or (self._data_dir() / "postgres").is_dir()

    def request(self, request: Callable[[OpenService], _Answer]) -> _Answer:
        """Return the answer to a request; one that a local service did not answer is repeated."""
        with self.used() as opened:
            try:
                return request(opened)
            except CentralUnreachableError:
                self._forget(opened)
                if not opened.target.is_local:
                    raise
        with self.used() as opened:
            return request(opened)

    @contextmanager
    def used(self) -> Iterator[OpenService]:
        """Open the service, and keep it open meanwhile."""
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            opened = self._opened
            opened.users += 1
        try:
            yield opened
        finally:
            with self._lock:
                opened.users -= 1
                self._close_unused(opened)

    def close(self) -> None:
        """Close the service; the next request opens it again.

        Requests of other threads that are in progress are finished first.
        """
        with self._lock:
            opened, self._opened = self._opened, None
            if opened:
                self._close_unused(opened)

    def _named_url(self) -> str | None:
        from aeterna_code_search.client.target.target import named_at

        return named_at(self._environ, self._directory).url

    def _data_dir(self) -> Path:
        from aeterna_code_search.client.target.target import data_dir_of

        return data_dir_of(self._environ)

    def _forget(self, opened: OpenService) -> None:
        """Make the next request reopen the service, unless another thread has done so."""
        with self._lock:
            if self._opened is opened:
                self._opened = None

    def _close_unused(self, opened: OpenService) -> None:
        if opened is not self._opened and not opened.users:
            opened.resources.close()

    def _open(self) -> OpenService:
        # Imported here, so that an MCP server lists its tools without them.
        from aeterna_code_search.client.target.target import open_target

        with ExitStack() as opening:
            target = opening.enter_context(
                open_target(self._environ, self._directory, may_ask=False)
            )
            api = target.api()
            opening.callback(api.close)
            search_api = self._search_api_over(api, target)
            resources = opening.pop_all()
        weakref.finalize(self, resources.close)  # closes it at exit, and without a call of `close`
        return OpenService(target, api, search_api, resources)
