"""The index of a checkout at its service, for integrations; opened at its first use."""

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from aeterna_code_search.client.api import HttpSearchApi
from aeterna_code_search.client.target.target import IndexTarget, data_dir_of, named_at, open_target
from indexer.errors import CentralUnreachableError

_Answer = TypeVar("_Answer")


@dataclass(slots=True)
class _Opened:
    target: IndexTarget
    api: HttpSearchApi
    resources: ExitStack
    users: int = 0


class ServiceIndex:
    """The service of `directory`: a configured one, or the local one.

    `environ` names it, as for `codesearch` (README, "Settings"). Every method raises IndexerError;
    none prompts the user. Threads may share it.
    """

    def __init__(self, environ: Mapping[str, str], directory: Path) -> None:
        self._environ = environ
        self._directory = directory
        self._lock = threading.Lock()
        self._opened: _Opened | None = None

    def __enter__(self) -> "ServiceIndex":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @property
    def location(self) -> str:
        """URL of the service, or the data directory of a local one."""
        return named_at(self._environ, self._directory).url or str(data_dir_of(self._environ))

    def may_hold_something(self) -> bool:
        """False if there is no service: none is configured, and none ran on this machine."""
        return (
            bool(named_at(self._environ, self._directory).url)
            or (data_dir_of(self._environ) / "postgres").is_dir()
        )

    def project(self) -> str:
        """Return the project of the directory's checkout; "" outside of a checkout."""
        with self._used() as opened:
            return opened.target.project

    def root(self) -> Path | None:
        """Return the root of the directory's checkout; None outside of one."""
        with self._used() as opened:
            return opened.target.root

    def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """`POST /api/v1/search`, without `org_id`."""
        return self._request(lambda api: api.search(body))

    def status(self, project: str | None = None) -> dict[str, Any]:
        """`GET /api/v1/index/status`."""
        return self._request(lambda api: api.status(project))

    def close(self) -> None:
        """Close the service; the next request opens it again.

        Requests of other threads that are in progress are finished first.
        """
        with self._lock:
            opened, self._opened = self._opened, None
            if opened:
                self._close_unused(opened)

    def _request(self, request: Callable[[HttpSearchApi], _Answer]) -> _Answer:
        with self._used() as opened:
            try:
                return request(opened.api)
            except CentralUnreachableError:
                if not opened.target.is_local:
                    raise
                self._forget(opened)  # the local service has ended and is started again
        with self._used() as opened:
            return request(opened.api)

    @contextmanager
    def _used(self) -> Iterator[_Opened]:
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

    def _forget(self, opened: _Opened) -> None:
        """Make the next request reopen the service, unless another thread has done so."""
        with self._lock:
            if self._opened is opened:
                self._opened = None

    def _close_unused(self, opened: _Opened) -> None:
        if opened is not self._opened and not opened.users:
            opened.resources.close()

    def _open(self) -> _Opened:
        with ExitStack() as opening:
            target = opening.enter_context(
                open_target(self._environ, self._directory, may_ask=False)
            )
            transport = target.transport()
            opening.callback(transport.close)
            resources = opening.pop_all()
        weakref.finalize(self, resources.close)  # closes it at exit, and without a call of `close`
        return _Opened(target, HttpSearchApi(transport, target.organization), resources)
