"""The embedded service of a command: the running one, or a new one.

The service is a separate process. Only modules of central that do not need Django are imported.
"""

import fcntl
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from aeterna_code_search.client.api import ServiceApi
from aeterna_code_search.client.target.identity import service_identity
from aeterna_code_search.client.target.local_token import LocalToken
from aeterna_code_search.client.target.shutdown import replace_service
from central.runtime.data_directory import (
    ServerRecord,
    disk_space_error,
    is_in_use,
    private_opener,
    running_server,
)
from central.runtime.idle_shutdown import keep_alive
from indexer.client.transport import Transport
from indexer.errors import CentralUnreachableError, ConfigurationError
from indexer.output.terminal import pluralize
from indexer.process_group import read_end

_START_SECONDS: Final = 120.0
_POLL_SECONDS: Final = 0.05
_LOG_MAX_BYTES: Final = 4_000_000
_LOG_LINES: Final = 15
_LOG_END_BYTES: Final = 16_384
_IDLE_MINUTES: Final = "10"
_MINUTES: Final = re.compile(r"[0-9]{1,6}")

Notify = Callable[[str], object]


def api_of(server: ServerRecord, data_dir: Path, organization: str) -> ServiceApi:
    """Return the API of the service that runs on `data_dir`; its source is the URL."""
    credentials = LocalToken(data_dir, organization)
    transport = Transport(url=server["url"], credentials=credentials, retry_seconds=0.0)
    return ServiceApi(transport, organization, source=server["url"])


@contextmanager
def shared_service(
    data_dir: Path, *, environ: Mapping[str, str], notify: Notify
) -> Iterator[ServerRecord]:
    """Use the service of `data_dir`; it keeps running for the duration of the context.

    If none runs, one is started, and `notify` is called; it ends AETERNA_IDLE_MINUTES after its
    last client. One of older code or other settings is replaced if it is unused. Raises
    ConfigurationError if it is not installed or cannot write, and CentralUnreachableError if it
    does not start.
    """
    identity = service_identity(environ)
    with ExitStack() as stack:
        try:
            if replaced := replace_service(data_dir, identity):
                notify(
                    f"The service on this machine (pid {replaced['pid']}) had other code or "
                    "settings and has ended."
                )
            stack.enter_context(keep_alive(data_dir, tell=notify))
        except OSError as exc:
            raise ConfigurationError(
                f"{data_dir} cannot be used as a data directory ({exc.strerror}): set "
                "AETERNA_DATA_DIR to another directory, or name a service with AETERNA_URL"
            ) from exc
        yield running_server(data_dir) or _started(data_dir, environ, identity, notify)


def _started(
    data_dir: Path, environ: Mapping[str, str], identity: str, notify: Notify
) -> ServerRecord:
    require_service()
    minutes = idle_minutes(environ)
    options = ("--idle-minutes", str(minutes), "--identity", identity, "--of", "codesearch")
    if problem := disk_space_error(data_dir):  # the service could not write its log either
        raise ConfigurationError(problem)
    notify(
        f"Starting the service on this machine (data in {data_dir}). "
        f"{'' if (data_dir / 'postgres').is_dir() else 'The first start takes some seconds. '}"
        f"{_lifetime(minutes)}"
    )
    # Concurrent commands start one service together.
    with open(data_dir / "start.lock", "w", opener=private_opener) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return running_server(data_dir) or _start(data_dir, environ, options)


def idle_minutes(environ: Mapping[str, str]) -> int:
    """Return for how long a service stays after its last command. Raises ConfigurationError."""
    text = environ.get("AETERNA_IDLE_MINUTES") or _IDLE_MINUTES
    if not _MINUTES.fullmatch(text):
        raise ConfigurationError(
            f"AETERNA_IDLE_MINUTES must be a number of minutes, such as {_IDLE_MINUTES}, or 0 for "
            f"a service that ends with its last command; it is {text!r}"
        )
    return int(text)


def _lifetime(minutes: int) -> str:
    if not minutes:
        return "`codesearch serve` in another terminal keeps one running."
    return (
        f"It stays until {pluralize(minutes, 'minute')} pass without a command; `codesearch stop` "
        "ends it."
    )


def _start(data_dir: Path, environ: Mapping[str, str], options: Sequence[str]) -> ServerRecord:
    deadline = time.monotonic() + _START_SECONDS
    server = _Server(data_dir, environ, options)
    while not (record := running_server(data_dir)):
        if server.has_ended() and not is_in_use(data_dir):
            server = _Server(
                data_dir, environ, options
            )  # the process that locked the directory has ended
        if time.monotonic() > deadline:
            raise server.failure(f"has not started in {_START_SECONDS:.0f} s")
        time.sleep(_POLL_SECONDS)
    return record


def require_service() -> None:
    """Raise ConfigurationError if only the command line is installed."""
    if find_spec("django") is None:
        raise ConfigurationError(
            "only the command line is installed: name a service with AETERNA_URL, "
            "AETERNA_ORGANIZATION and AETERNA_TOKEN, or install the whole package "
            "(pip install aeterna-code-search)"
        )


def server_command(*options: str) -> list[str]:
    """Return the command of the server; -P keeps it from importing from its working directory."""
    return [sys.executable, "-P", "-m", "central.serve", *options]


class _Server:
    """A server process that outlives this one."""

    def __init__(self, data_dir: Path, environ: Mapping[str, str], options: Sequence[str]) -> None:
        self._log = data_dir / "server.log"
        if self._log.is_file() and self._log.stat().st_size > _LOG_MAX_BYTES:
            self._log.replace(data_dir / "server.log.1")
        with open(self._log, "ab", opener=private_opener) as log:
            self._began_at = log.tell()
            self._process = subprocess.Popen(  # noqa: S603
                server_command(*options),
                cwd=data_dir,
                env=_own_environment(environ, data_dir),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the command
            )
        _CHILDREN.append(self._process)

    def has_ended(self) -> bool:
        """Whether it ended without an error. Raises CentralUnreachableError if it failed."""
        status = self._process.poll()
        if status:
            raise self.failure(f"ended with {status}")
        return status is not None

    def failure(self, what: str) -> CentralUnreachableError:
        """Return an error with the end of the server's log."""
        with self._log.open("rb") as log:
            end = read_end(log, _LOG_END_BYTES, self._began_at)
        lines = end.decode(errors="replace").splitlines()[-_LOG_LINES:]
        return CentralUnreachableError(
            "\n".join(
                (
                    f"the service on this machine {what}. The end of {self._log}:",
                    *(f"  {line}" for line in lines),
                    "Fix the reported problem, set AETERNA_DATA_DIR to another directory, or name "
                    "a service with AETERNA_URL.",
                )
            )
        )


# References that keep Python from warning about processes that are still running.
_CHILDREN: Final[list["subprocess.Popen[bytes]"]] = []
# Variables that may belong to another program, and variables of the command line only.
# `codesearch serve` reads the former.
_NOT_INHERITED: Final = frozenset(
    {"DATABASE_URL", "VECTOR_STORE_URL", "CELERY_BROKER_URL", "SECRET_KEY"}
    | {"AETERNA_TOKEN", "AETERNA_TOKEN_FILE", "GITHUB_TOKEN", "DJANGO_SETTINGS_MODULE"}
)


def _own_environment(environ: Mapping[str, str], data_dir: Path) -> dict[str, str]:
    inherited = {
        name: value
        for name, value in environ.items()
        if name.removesuffix("_FILE") not in _NOT_INHERITED
    }
    return inherited | {"AETERNA_DATA_DIR": str(data_dir), "AETERNA_BIND": "127.0.0.1:0"}
