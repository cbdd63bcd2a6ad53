"""An engine, the image that it builds, and the containers of docker-compose.yml."""

import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from scripts.local_service import free_address
from tests.deploy.engine.docker_engine import Engine, running_engine
from tests.deploy.engine.stack import IMAGE, Stack, copy_checkout

FIGURES = pytest.StashKey[list[str]]()


@pytest.fixture(scope="session")
def figures(request: pytest.FixtureRequest) -> list[str]:
    """What was measured by the way, for the end of the report. No test depends on it."""
    return request.config.stash.setdefault(FIGURES, [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for figure in terminalreporter.config.stash.get(FIGURES, []):
        terminalreporter.write_line(figure)


@pytest.fixture(scope="session")
def engine(figures: list[str]) -> Iterator[Engine]:
    """One engine for all tests."""
    # So that SIGTERM ends all fixtures too: those of the database would stay.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.monotonic()
    with running_engine() as running:
        figures.append(f"Engine: {time.monotonic() - started:.0f} s")
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
def stack(engine: Engine, checkout: Path, figures: list[str]) -> Stack:
    """The containers after the documented first steps, with pgvector as the store."""
    address = free_address()
    stack = Stack(engine, checkout, f"http://{address}")
    (checkout / ".env").write_text(
        f"AETERNA_PUBLISH={address}\nCODESEARCH_STORE_BACKEND=postgres\nAETERNA_LOG_QUERIES=true\n"
        "AETERNA_GIT_DIRECTORIES=/mirrors\n"
    )
    stack.shell("deploy/make-secrets")
    started = time.monotonic()
    stack.compose("build")
    built = time.monotonic()
    stack.compose("up", "--detach", "--wait")
    up = time.monotonic()
    figures.append(f"Image: {stack.size(IMAGE) / 1e6:.0f} MB, built in {built - started:.0f} s")
    figures.append(f"`docker compose up --wait`: {up - built:.0f} s")
    return stack
