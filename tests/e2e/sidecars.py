"""A real sidecar in a process of its own."""

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from scripts.local_service import ServiceError, authorities, clean_environment

_START_SECONDS = 30


@dataclass
class Sidecar:
    """`codesearch sidecar` at `bind`, with nothing in its environment but `environment`."""

    directory: Path
    bind: str
    environment: Mapping[str, str] = field(repr=False)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        """Its root; the tools are at /mcp."""
        return f"http://{self.bind}"

    @property
    def log(self) -> Path:
        """Standard output and error."""
        return self.directory / "sidecar.log"

    def start(self) -> "Sidecar":
        """Start it and wait until it answers."""
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "aeterna_code_search.cli", "sidecar", "--bind", self.bind],
                env=clean_environment(self.environment),
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + _START_SECONDS
        while not self.is_live():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise ServiceError(f"The sidecar did not start:\n{self.log.read_text()}")
            time.sleep(0.05)
        return self

    def is_live(self) -> bool:
        """Whether it takes requests."""
        try:
            return httpx.get(f"{self.url}/livez", verify=authorities()).is_success
        except httpx.TransportError:
            return False

    def end(self) -> int:
        """SIGTERM; answers the exit code."""
        assert self.process
        self.process.terminate()
        return self.process.wait(timeout=30)

    @contextmanager
    def stopped(self) -> Iterator[int]:
        """Ended meanwhile, with this exit code."""
        code = self.end()
        try:
            yield code
        finally:
            self.start()


@contextmanager
def running_sidecar(
    directory: Path, bind: str, environment: Mapping[str, str]
) -> Iterator[Sidecar]:
    """A started sidecar that is ended at the end, whatever happens."""
    sidecar = Sidecar(directory, bind, environment)
    try:
        yield sidecar.start()
    finally:
        sidecar.end()
