"""An engine, the image that it builds, and the containers of docker-compose.yml."""

import faulthandler
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from scripts.local_service import free_address
from tests.deploy.engine.docker_engine import Engine, running_engine
from tests.deploy.engine.stack import Stack, copy_checkout


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """One engine for all tests."""
    with running_engine() as running:
        yield running


@pytest.fixture(scope="session")
def checkout(engine: Engine) -> Iterator[Path]:
    """A clone of the project where the engine sees it."""
    work = engine.directory / "work"
    shutil.rmtree(work, ignore_errors=True)  # of a run that was killed
    work.mkdir()
    try:
        yield copy_checkout(Path(mkdtemp(dir=work)) / "code-search")
    finally:
        shutil.rmtree(work)


@pytest.fixture(scope="session")
def stack(engine: Engine, checkout: Path) -> Stack:
    """The containers after the documented first steps, with pgvector as the store."""
    address = free_address()
    stack = Stack(engine, checkout, f"http://{address}")
    (checkout / ".env").write_text(
        f"AETERNA_PUBLISH={address}\nCODESEARCH_STORE_BACKEND=postgres\nAETERNA_LOG_QUERIES=true\n"
    )
    stack.shell("deploy/make-secrets")
    stack.compose("up", "--detach", "--build", "--wait")
    return stack


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """To prepare and to build takes longer than what faulthandler finds suspicious."""
    faulthandler.cancel_dump_traceback_later()
