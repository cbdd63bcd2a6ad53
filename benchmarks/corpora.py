"""Real source code to measure on: the Python packages that this project installs anyway.

So the benchmark needs no network and is the same for everybody with the same lock file.
"""

import shutil
from importlib.machinery import PathFinder
from pathlib import Path

from scripts.local_git import commit_all, new_repository

# About 3.5 MB of Python together (celery 1.7, hypothesis 1.8).
REFERENCE = ("celery", "hypothesis")
# Ten times as much and more, in the order in which they are taken.
FURTHER = (
    *("django", "mypy", "numpy", "pygments", "rich", "kombu", "rest_framework", "pip", "httpx"),
    *("redis", "prompt_toolkit", "structlog", "jsonschema", "werkzeug", "graphql", "schemathesis"),
)


def package_directory(name: str) -> Path | None:
    """Where a package is installed; None where it is not."""
    spec = PathFinder.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def copy_sources(package: str, target: Path) -> int:
    """Copy a package's Python files; returns their size in bytes."""
    source = package_directory(package)
    copied = 0
    for file in sorted(source.rglob("*.py")) if source else []:
        destination = target / package / file.relative_to(source or file)
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, destination)
        copied += file.stat().st_size
    return copied


def python_repository(directory: Path, *, megabytes: float) -> Path:
    """A git repository with the reference packages and, up to `megabytes`, copies of others."""
    directory.mkdir(parents=True)
    size = sum(copy_sources(package, directory) for package in REFERENCE)
    lap = 0
    while size < megabytes * 1e6:
        for package in FURTHER:
            if size < megabytes * 1e6:
                size += copy_sources(package, directory / f"lap{lap}")
        lap += 1
    new_repository(directory)
    commit_all(directory, "The corpus")
    return directory
