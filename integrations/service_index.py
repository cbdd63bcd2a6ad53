"""Our own index as an integration asks it: of a checkout, opened when it is first asked."""

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from cli.api import HttpSearchApi
from cli.target.target import IndexTarget, data_dir_of, named_at, open_target
from indexer.errors import CentralUnreachableError

_Answer = TypeVar("_Answer")


@dataclass(slots=True)
class _Opened:
    target: IndexTarget
    api: HttpSearchApi
    held: ExitStack
    users: int = 0


class ServiceIndex:
    """The service that answers for `directory`: a configured one, or the one of this machine.

    `environ` says which, as for `codesearch` (README, "Settings"). Every method raises
    IndexerError; none asks a person, since a library has none at hand. Threads may share it.
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
        """Address of the service, or its data directory if it is on this machine."""
        return named_at(self._environ, self._directory).url or str(data_dir_of(self._environ))

    def may_hold_something(self) -> bool:
        """False if there is no service to ask: none is named and this machine never had one."""
        return (
            bool(named_at(self._environ, self._directory).url)
            or (data_dir_of(self._environ) / "postgres").is_dir()
        )

    def project(self) -> str:
        """What the service calls the checkout of the directory; "" outside of a checkout."""
        with self._used() as opened:
            return opened.target.project

    def root(self) -> Path | None:
        """The top of the checkout that holds the directory; None outside of one."""
        with self._used() as opened:
            return opened.target.root

    def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """`POST /api/v1/search`, without `org_id`."""
        return self._ask(lambda api: api.search(body))

    def status(self, project: str | None = None) -> dict[str, Any]:
        """`GET /api/v1/index/status`."""
        return self._ask(lambda api: api.status(project))

    def close(self) -> None:
        """Let go of the service; asked again, it is opened again.

        Questions of other threads that are under way are answered first.
        """
        with self._lock:
            opened, self._opened = self._opened, None
            if opened:
                self._close_unused(opened)

    def _ask(self, ask: Callable[[HttpSearchApi], _Answer]) -> _Answer:
        with self._used() as opened:
            try:
                return ask(opened.api)
            except CentralUnreachableError:
                if not opened.target.is_local:
                    raise
                self._forget(opened)  # the service of this machine has ended; another is started
        with self._used() as opened:
            return ask(opened.api)

    @contextmanager
    def _used(self) -> Iterator[_Opened]:
        """The opened service; it is not closed meanwhile."""
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
        """Open another one next time, unless another thread has done so."""
        with self._lock:
            if self._opened is opened:
                self._opened = None

    def _close_unused(self, opened: _Opened) -> None:
        if opened is not self._opened and not opened.users:
            opened.held.close()

    def _open(self) -> _Opened:
        with ExitStack() as opening:
            target = opening.enter_context(
                open_target(self._environ, self._directory, may_ask=False)
            )
            transport = target.transport()
            opening.callback(transport.close)
            held = opening.pop_all()
        weakref.finalize(self, held.close)  # for those who forget to close, and at exit
        return _Opened(target, HttpSearchApi(transport, target.organization), held)
