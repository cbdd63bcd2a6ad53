"""Processes of the image, as containers would run them: its environment, its entry point."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from scripts.local_service import ServiceError, authorities
from tests.deploy import dockerfile

START_SECONDS = 180  # several start at once, and compile what they import


@dataclass
class Container:
    """One process of the image in `prefix`, with a directory of its own for all that it writes."""

    prefix: Path
    directory: Path
    variables: Mapping[str, str] = field(repr=False)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def log(self) -> Path:
        """Standard output and error."""
        return self.directory / "log"

    @property
    def url(self) -> str:
        """Where the web process listens."""
        return f"http://{self.variables['AETERNA_BIND']}"

    def environment(self) -> dict[str, str]:
        """The image's, the service's, and where this machine has things.

        Of programs there are only the image's own. Compiled modules go to one place for all, which
        saves each process from compiling them: the image has them compiled.
        """
        image = dockerfile.environment() | {
            "PATH": str(self.prefix / "bin"),
            "HOME": str(self.directory),
            "AETERNA_DATA_DIR": str(self.directory / "data"),
            "PYTHONPYCACHEPREFIX": str(self.directory.parent / "pycache"),
        }
        del image["PYTHONDONTWRITEBYTECODE"]
        return image | dict(self.variables)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the image to its end."""
        self.directory.mkdir(exist_ok=True)
        return subprocess.run(
            [self.prefix / "bin" / command[0], *command[1:]],
            cwd=self.directory,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )

    def start(self, *words: str) -> None:
        """Start what the words are for the entry point."""
        self.directory.mkdir()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.prefix / "bin" / "entrypoint.sh", *words],
                cwd=self.directory,
                env=self.environment(),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def is_ready(self) -> bool:
        """Whether the web process takes requests."""
        try:
            answer = httpx.get(f"{self.url}/readyz", timeout=5, verify=authorities())
            return answer.status_code == httpx.codes.OK
        except httpx.TransportError:
            return False

    def end(self) -> int:
        """SIGTERM to the process alone, as an engine sends it; answers the exit code."""
        assert self.process
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise


@contextmanager
def running(container: Container, *words: str) -> Iterator[Container]:
    """A started process, which must end well when it is told to."""
    container.start(*words)
    try:
        yield container
    finally:
        code = container.end()
    assert code == 0, f"{words}: {code}\n{container.log.read_text()[-3000:]}"


def wait_for(condition: Callable[[], bool], container: Container) -> None:
    """Wait until it is true. Raises ServiceError if the process ends instead."""
    deadline = time.monotonic() + START_SECONDS
    while not condition():
        assert container.process
        if container.process.poll() is not None or time.monotonic() > deadline:
            raise ServiceError(container.log.read_text()[-3000:])
        time.sleep(0.05)
