"""How `codesearch sidecar` begins and ends; what it serves is tested in tests/e2e."""

import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from indexer.exits import Exit
from scripts.local_service import clean_environment, free_address
from tests.central.mcp.standins import response
from tests.e2e.sidecars import running_sidecar


def sidecar(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "aeterna_code_search.cli", "sidecar", *options],
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
    assert "choose another --bind" in done.stderr


def search(url: str) -> str:
    """What a search of the sidecar's answers, as it is on the wire."""
    call = {"name": "codesearch_search", "arguments": {"query": "retry"}}
    return httpx.post(
        f"{url}/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        headers={
            "Authorization": "Bearer aet_x",
            "Accept": "application/json, text/event-stream",
        },
        timeout=30,
    ).text


def test_a_call_that_is_under_way_is_finished_before_the_sidecar_ends(tmp_path: Path) -> None:
    """The service answers only when the sidecar, told to end, takes no more calls."""
    with socket.create_server(("127.0.0.1", 0)) as service, ThreadPoolExecutor() as threads:
        url = f"http://127.0.0.1:{service.getsockname()[1]}"
        settings = {"AETERNA_URL": url, "AETERNA_ORGANIZATION": "acme"}
        with running_sidecar(tmp_path, free_address(), settings) as sidecar:
            call = threads.submit(search, sidecar.url)
            connection, _ = service.accept()
            with connection:
                connection.recv(65_536)
                ending = threads.submit(sidecar.end)
                while sidecar.is_live():
                    time.sleep(0.01)
                with pytest.raises(TimeoutError):  # streams look every half second for the end
                    call.result(timeout=0.7)
                problem = b'{"code": "not_found", "detail": "Finished."}'
                connection.sendall(response(404, problem, "application/problem+json"))
            assert "Finished." in call.result(timeout=30)
            assert ending.result(timeout=30) == 0


def test_what_is_no_address_is_refused_with_the_option_that_says_it() -> None:
    done = sidecar("--bind", "8765")
    assert done.returncode == Exit.USAGE
    assert "'8765' is no address" in done.stderr
    assert "choose another --bind" in done.stderr
