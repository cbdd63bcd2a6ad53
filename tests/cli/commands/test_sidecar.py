"""`codesearch sidecar` where it cannot begin; what it serves is tested in tests/e2e."""

import socket
import subprocess
import sys

import pytest

from indexer.exits import Exit
from scripts.local_service import clean_environment


def sidecar(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cli", "sidecar", *options],
        env=clean_environment({"AETERNA_URL": "http://127.0.0.1:1"} | environment),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_an_address_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        bind = f"127.0.0.1:{taken.getsockname()[1]}"
        done = sidecar("--bind", bind)
    assert done.returncode == Exit.USAGE
    assert bind in done.stderr
    assert "give another --bind" in done.stderr


@pytest.mark.parametrize("bind", ["8765", "127.0.0.1:", "127.0.0.1:65536", ":8765"])
def test_what_is_no_address_is_refused(bind: str) -> None:
    from cli.sidecar.server import listening
    from indexer.errors import ConfigurationError

    with pytest.raises(ConfigurationError, match="give host:port"), listening(bind):
        pass


def test_any_free_port_is_told_as_the_one_that_it_is() -> None:
    from cli.sidecar.server import listening

    with listening("127.0.0.1:0") as (listener, url):
        assert url == f"http://127.0.0.1:{listener.getsockname()[1]}"
