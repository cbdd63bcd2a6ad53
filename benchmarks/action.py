"""How long the action takes until the indexer runs: with nothing kept, and with what it keeps.

What is kept comes from an archive, as actions/cache makes it (with zstd), but from this disk: how
fast GitHub's network is cannot be measured here.
"""

import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.tables import Figure
from scripts.local_service import ROOT, clean_environment

WARM_RUNS = 5


def measure(workspace: Path) -> Iterator[Figure]:
    """Seconds of the steps that come before the indexer; needs the package index once."""
    runner = _Runner(workspace)
    began = time.monotonic()
    runner.prepare()
    runner.install()
    yield Figure("action installed, nothing kept", time.monotonic() - began, "s", 30)

    runner.keep()
    yield Figure("kept environment, packed", runner.archive.stat().st_size / 2**20, "MiB")
    yield Figure(
        "action installed, environment kept",
        statistics.median(runner.warm_seconds() for _ in range(WARM_RUNS)),
        "s",
        5,
    )


class _Runner:
    """The steps of the composite, without a job around them."""

    def __init__(self, workspace: Path) -> None:
        self._temp = workspace / "temp"
        self._temp.mkdir()
        self._outputs = workspace / "outputs"
        self.archive = workspace / "cache.tar"
        self._environment = clean_environment(
            {
                "GITHUB_ACTION_PATH": str(ROOT / "action"),
                "GITHUB_OUTPUT": str(self._outputs),
                "RUNNER_TEMP": str(self._temp),
                "RUNNER_OS": "Linux",
                "RUNNER_ARCH": "X64",
                "PIP_CACHE_DIR": str(workspace / "pip"),
                "UV_CACHE_DIR": str(workspace / "uv"),
                **dict.fromkeys(("TOKEN", "OPENAI_API_KEY", "QDRANT_API_KEY", "FETCH_TOKEN"), ""),
            }
        )

    def prepare(self) -> None:
        self._step("prepare.sh", {})

    def install(self) -> None:
        given = dict(line.split("=", 1) for line in self._outputs.read_text().splitlines())
        self._step("install.sh", {"PYTHON": given["python"], "VENV": given["venv"]})

    def _step(self, script: str, variables: dict[str, str]) -> None:
        environment = {**self._environment, **variables}
        subprocess.run(["bash", str(ROOT / "action" / script)], env=environment, check=True)

    def keep(self) -> None:
        """Pack what is installed."""
        self._tar("-cf", "zstdmt", "aeterna-code-search")

    def warm_seconds(self) -> float:
        """A job on a new machine whose cache has the archive."""
        shutil.rmtree(self._temp)
        self._temp.mkdir()
        began = time.monotonic()
        self.prepare()
        self._tar("-xf", "unzstd")
        self.install()
        return time.monotonic() - began

    def _tar(self, action: str, program: str, *names: str) -> None:
        packed = ("--use-compress-program", program) if shutil.which(program) else ()
        subprocess.run(
            ["tar", "--posix", *packed, action, str(self.archive), "-C", str(self._temp), *names],
            check=True,
        )
