"""The real `chunkhound`, from an environment of its own, with no way out of this machine."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.embedding_servers import KEY, Server

_NOWHERE = "http://127.0.0.1:9"  # the proxy for every address but this machine's
_INSTALL_VSS = "from duckdb_extensions import import_extension; import_extension('vss')"


@dataclass(frozen=True)
class ChunkHound:
    """The program, with a home directory in which DuckDB finds its extension `vss`.

    Where that is absent, DuckDB would download it at each start.
    """

    program: Path
    home: Path

    def run(
        self, *arguments: str | Path, directory: Path, embeddings: Server | None = None
    ) -> "Said":
        """Run it to its end; `embeddings` stands where OpenAI's service does."""
        done = subprocess.run(
            [self.program, *map(str, arguments)],
            cwd=directory,
            env=self._environment(embeddings),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    def _environment(self, embeddings: Server | None) -> dict[str, str]:
        proxies = {
            name: _NOWHERE
            for proxy in ("http_proxy", "https_proxy", "all_proxy")
            for name in (proxy, proxy.upper())
        }
        provider = {
            "CHUNKHOUND_EMBEDDING__PROVIDER": "openai",
            "CHUNKHOUND_EMBEDDING__MODEL": "text-embedding-3-small",
            "CHUNKHOUND_EMBEDDING__API_KEY": KEY,
            "CHUNKHOUND_EMBEDDING__BASE_URL": embeddings.url if embeddings else "",
        }
        return {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
            **proxies,
            **(provider if embeddings else {}),
        }


@dataclass(frozen=True)
class Said:
    """How a run ended. `output` is with what it logs."""

    code: int
    stdout: str
    stderr: str = field(repr=False)

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


@contextmanager
def installed() -> Iterator[ChunkHound]:
    """The program on the PATH; its environment has `vss` in a wheel."""
    program = Path(str(shutil.which("chunkhound"))).resolve()
    with TemporaryDirectory(prefix="chunkhound-home-") as home:
        subprocess.run(
            [program.with_name("python"), "-c", _INSTALL_VSS],
            env={"HOME": home, "PATH": os.environ["PATH"]},
            check=True,
            timeout=120,
        )
        yield ChunkHound(program, Path(home))
