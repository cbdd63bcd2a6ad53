"""The built wheel, installed into an environment of its own: one for all tests of this folder."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from scripts.distributions import UV, build
from scripts.local_service import ROOT, clean_environment, temporary_workspace

NAME = "aeterna-code-search"


@dataclass(frozen=True)
class Installation:
    """Programs of an environment that has the wheel, and what the wheel asks for."""

    workspace: Path
    wheel: Path
    sdist: Path

    @property
    def prefix(self) -> Path:
        """The environment of uv's tool."""
        return self.workspace / "tools" / NAME

    def settings(self) -> dict[str, str]:
        """What makes uv find the wheel, the versions of the lock, and this environment."""
        return {
            "UV_FIND_LINKS": str(self.wheel.parent),
            "UV_CONSTRAINT": str(ROOT / "requirements/dev.txt"),
            "UV_PYTHON": sys.executable,
            "UV_TOOL_DIR": str(self.workspace / "tools"),
            "UV_TOOL_BIN_DIR": str(self.workspace / "bin"),
        }

    def variables(self, home: Path, **further: str) -> dict[str, str]:
        """The environment of a user of it: no checkout, no settings, a home directory."""
        environment = clean_environment({"HOME": str(home), **further})
        for name in ("PYTHONPATH", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "VIRTUAL_ENV"):
            environment.pop(name, None)
        own = Path(sys.executable).parent  # has a `codesearch` too
        paths = [one for one in os.environ["PATH"].split(os.pathsep) if Path(one) != own]
        return {**environment, "PATH": os.pathsep.join([str(self.workspace / "bin"), *paths])}

    def run(
        self, *command: str | Path, home: Path, directory: Path
    ) -> "subprocess.CompletedProcess[str]":
        """Run one of its programs in `directory`."""
        return subprocess.run(
            [self.prefix / "bin" / command[0], *command[1:]],
            cwd=directory,
            env=self.variables(home),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The wheel and the sdist."""
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="session")
def installation(distributions: list[Path]) -> Iterator[Installation]:
    """The wheel and what it requires, as `uv tool install` makes it of an index that has it."""
    wheel, sdist = distributions
    with temporary_workspace("aeterna-installed-") as workspace:
        installed = Installation(workspace, wheel, sdist)
        install("tool", "install", NAME, environment=installed.settings())
        yield installed


def install(*command: str | Path, environment: Mapping[str, str]) -> None:
    """Install from uv's cache, which `make setup` has filled; what is not there is downloaded."""
    if uv(*command, "--offline", environment=environment, check=False).returncode:
        uv(*command, "--system-certs", environment=environment)


def uv(
    *arguments: str | Path, environment: Mapping[str, str] | None = None, check: bool = True
) -> "subprocess.CompletedProcess[str]":
    """Run it; its complaint is in the failure."""
    done = subprocess.run(
        [UV, *arguments],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not check or done.returncode == 0, done.stderr
    return done
