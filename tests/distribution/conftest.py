"""The built wheel, installed into an environment of its own: one for all tests of this folder."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scripts.distributions import UV, build
from scripts.local_service import ROOT, clean_environment, temporary_workspace


@dataclass(frozen=True)
class Installation:
    """Programs of an environment that has the wheel, and what the wheel asks for."""

    prefix: Path
    wheel: Path
    sdist: Path

    def variables(self, home: Path, **further: str) -> dict[str, str]:
        """The environment of a user of it: no checkout, no settings, a home directory."""
        environment = clean_environment({"HOME": str(home), **further})
        for name in ("PYTHONPATH", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "VIRTUAL_ENV"):
            environment.pop(name, None)
        own = Path(sys.executable).parent  # has a `codesearch` too
        paths = [one for one in os.environ["PATH"].split(os.pathsep) if Path(one) != own]
        return {**environment, "PATH": os.pathsep.join([str(self.prefix / "bin"), *paths])}

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
    """The wheel with the base's packages, in the versions of the locks."""
    wheel, sdist = distributions
    with temporary_workspace("aeterna-installed-") as workspace:
        prefix = workspace / "venv"
        uv("venv", "--python", sys.executable, prefix)
        install(prefix, wheel)
        yield Installation(prefix, wheel, sdist)


def install(prefix: Path, *requirements: str | Path) -> None:
    """Install from uv's cache, which `make setup` has filled; what is not there is downloaded."""
    locked = ("--constraint", ROOT / "requirements/dev.txt")
    command = ("pip", "install", "--python", prefix / "bin/python", *locked, *requirements)
    if uv(*command, "--offline", check=False).returncode:
        uv(*command, "--system-certs")


def uv(*arguments: str | Path, check: bool = True) -> "subprocess.CompletedProcess[str]":
    """Run it; its complaint is in the failure."""
    done = subprocess.run(
        [UV, "--quiet", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert not check or done.returncode == 0, done.stderr
    return done
