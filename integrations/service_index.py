"""Our own index as an integration asks it: of a checkout, opened when it is first asked."""

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from cli.api import Api
from cli.place import Place, data_dir_of, named_at, open_place
from indexer.errors import CentralUnreachableError

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class _Opened:
    place: Place
    api: Api


class ServiceIndex:
    """The service that answers for `directory`: a configured one, or the one of this machine.

    `environ` says which, as for `codesearch` (README, "Settings"). Every method raises
    IndexerError; none asks a person, since a library has none at hand.
    """

    def __init__(self, environ: Mapping[str, str], directory: Path) -> None:
        self._environ = environ
        self._directory = directory
        self._opening = threading.Lock()
        self._held = ExitStack()
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
        return self._open().place.project

    def root(self) -> Path | None:
        """The top of the checkout that holds the directory; None outside of one."""
        return self._open().place.root

    def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """`POST /api/v1/search`, without `org_id`."""
        return self._ask(lambda api: api.search(body))

    def status(self, project: str | None = None) -> dict[str, Any]:
        """`GET /api/v1/index/status`."""
        return self._ask(lambda api: api.status(project))

    def close(self) -> None:
        """Let go of the service; asked again, it is opened again."""
        with self._opening:
            self._opened = None
            self._held.close()

    def _ask(self, ask: Callable[[Api], _Answer]) -> _Answer:
        opened = self._open()
        try:
            return ask(opened.api)
        except CentralUnreachableError:
            if not opened.place.is_local:
                raise
            self.close()  # the service of this machine has ended; another one is started
            return ask(self._open().api)

    def _open(self) -> _Opened:
        with self._opening:
            if self._opened is None:
                place = self._held.enter_context(
                    open_place(self._environ, self._directory, may_ask=False)
                )
                self._opened = _Opened(place, Api(place.transport(), place.organization))
            return self._opened
