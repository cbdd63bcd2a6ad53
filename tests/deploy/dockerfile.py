"""The image's steps as deploy/Dockerfile says them, done without a container engine."""

import fnmatch
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scripts.local_service import ROOT

DOCKERFILE = ROOT / "deploy" / "Dockerfile"
PREFIX = "/opt/codesearch"
BOOTSTRAP = "-r requirements/bootstrap.txt"
_INSTALLED = (BOOTSTRAP, "apt-get ")  # .venv/bin and this machine have what they install
_PARTS = ("build", "service")  # the other stages change the system that they run on


@dataclass(frozen=True)
class Instruction:
    stage: str  # by its name; "" for what has none
    word: str
    rest: str


def instructions() -> Iterator[Instruction]:
    """Every instruction, with its continued lines as one."""
    text = DOCKERFILE.read_text().replace("\\\n", " ")
    stage = ""
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        if word == "FROM":
            stage = rest.partition(" AS ")[2].strip()
        yield Instruction(stage, word, " ".join(rest.split()))


def argument(name: str) -> str:
    """The default of a build argument."""
    (default,) = (
        each.rest.removeprefix(f"{name}=")
        for each in instructions()
        if each.word == "ARG" and each.rest.startswith(f"{name}=")
    )
    return default


def environment() -> dict[str, str]:
    """What the image's processes find in their environment."""
    words = [
        word
        for each in instructions()
        if (each.stage, each.word) == ("service", "ENV")
        for word in shlex.split(each.rest)
    ]
    return dict(word.split("=", 1) for word in words)


def build(directory: Path) -> Path:
    """Do what the stages do, in `directory`; returns what is the image's /opt/codesearch.

    What the image `backfill` has besides is in `directory / "backfill"`.
    """
    source, prefix = directory / "src", directory / "codesearch"
    source.mkdir(parents=True)
    for each in instructions():
        if each.stage not in _PARTS:
            continue
        if each.word == "COPY" and "--from=" not in each.rest:
            _copy(each.rest.split(), source, prefix)
        elif each.word == "RUN" and not any(part in each.rest for part in _INSTALLED):
            _run(each.rest.replace("/opt/", f"{directory}/"), source)
    return prefix


def _copy(words: list[str], source: Path, prefix: Path) -> None:
    *names, target = words
    for name in names:
        for path in _context(name):
            to = PurePosixPath(target)
            if target.endswith("/"):
                to /= PurePosixPath(name).name
            to = to / path.relative_to(ROOT / name)
            inside = str(to).removeprefix(PREFIX + "/")
            place = (source if inside == str(to) else prefix) / inside
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)


def _context(name: str) -> list[Path]:
    """The files below `name` that .dockerignore lets through."""
    start = ROOT / name
    files = [start] if start.is_file() else [path for path in start.rglob("*") if path.is_file()]
    found = [path for path in files if not is_ignored(path.relative_to(ROOT).as_posix())]
    assert found, f"COPY {name}: .dockerignore leaves nothing of it"
    return found


def is_ignored(path: str) -> bool:
    """Whether .dockerignore keeps `path` out: patterns begin at the root, the last one counts."""
    ignored = False
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        if line and not line.startswith("#"):
            pattern = line.removeprefix("!")
            if _fits(path.split("/"), pattern.split("/")):
                ignored = not line.startswith("!")
    return ignored


def _fits(path: list[str], pattern: list[str]) -> bool:
    """Whether the pattern names `path` or a directory above it."""
    if not pattern:
        return True
    if pattern[0] == "**":
        return any(_fits(path[at:], pattern[1:]) for at in range(len(path)))
    return bool(path) and fnmatch.fnmatch(path[0], pattern[0]) and _fits(path[1:], pattern[1:])


def _run(command: str, directory: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["sh", "-euc", command],
        cwd=directory,
        env={**os.environ, "PATH": path, "UV_LINK_MODE": "hardlink"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
