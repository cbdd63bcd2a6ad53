"""Servers that are named only by a checkout's file and may receive this user's token.

Without this check an author of a repository could collect the tokens of users who clone it.
`servers` in the data directory lists the servers that the user has confirmed.
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from aeterna_code_search.client.console import confirm
from central.runtime.data_directory import private_directory
from indexer.config.project_file import PROJECT_FILE
from indexer.errors import ConfigurationError, UnconfirmedServerError
from indexer.urls import is_loopback

_PORTS: Final = {"http": 80, "https": 443}


def require_trusted(url: str, data_dir: Path, *, may_ask: bool) -> None:
    """Raise UnconfirmedServerError unless the token may go to the server.

    In a terminal the user is asked once, if `may_ask`.
    """
    server = _server(url)
    if is_loopback(url) or server in _confirmed(data_dir):
        return
    if may_ask and sys.stdin.isatty() and sys.stderr.isatty() and _agrees(server):
        trust_server(url, data_dir)
        return
    raise UnconfirmedServerError(
        f"your token was not sent: only this checkout's {PROJECT_FILE} names the server {server}. "
        "If you trust it, run `codesearch status` here in a terminal once and confirm; or set "
        "AETERNA_URL, which takes precedence over the file"
    )


def trust_server(url: str, data_dir: Path) -> None:
    """Store that the token may go to the server. Raises ConfigurationError."""
    servers = _confirmed(data_dir) | {_server(url)}
    try:
        private_directory(data_dir)
        with tempfile.NamedTemporaryFile(  # readable by its owner only
            "w", dir=data_dir, prefix="servers.", encoding="ascii", delete=False
        ) as file:
            file.writelines(f"{server}\n" for server in sorted(servers))
        os.replace(file.name, data_dir / "servers")  # noqa: PTH105 - a name, not a Path
    except OSError as exc:
        raise ConfigurationError(
            f"{data_dir}: cannot store the servers that you trust ({exc.strerror}): set "
            "AETERNA_DATA_DIR to another directory, or name the server with AETERNA_URL"
        ) from exc


def _confirmed(data_dir: Path) -> frozenset[str]:
    try:
        return frozenset((data_dir / "servers").read_text("ascii", errors="replace").splitlines())
    except OSError:
        return frozenset()


def _agrees(server: str) -> bool:
    return confirm(
        f"This checkout's {PROJECT_FILE} names the server {server}; send your token there?"
    )


def _server(url: str) -> str:
    """Return scheme, host and port in ASCII. Raises ConfigurationError for other characters.

    A name with other characters may be encoded differently for the confirmation and the connection.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not host.isascii():
        raise ConfigurationError(
            f"the server that {PROJECT_FILE} names must be written in ASCII letters: "
            "write its name as xn--…"
        )
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}:{parts.port or _PORTS[parts.scheme]}"
