"""Real git repositories from plain directories, with a fixed author so that commits are stable."""

import os
import shutil
import subprocess
from pathlib import Path

IDENTITY = {
    "GIT_AUTHOR_NAME": "Example",
    "GIT_AUTHOR_EMAIL": "example@example.org",
    "GIT_COMMITTER_NAME": "Example",
    "GIT_COMMITTER_EMAIL": "example@example.org",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def git(directory: Path, *arguments: str) -> str:
    """Run git in `directory`, return its output."""
    return subprocess.run(
        ["git", "-C", str(directory), *arguments],
        env={**IDENTITY, "PATH": os.environ["PATH"], "HOME": str(directory)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def new_repository(directory: Path, source: Path | None = None) -> Path:
    """A repository with branch `main`, holding a first commit of the files in `source`."""
    if source:
        shutil.copytree(source, directory, dirs_exist_ok=True)
    directory.mkdir(parents=True, exist_ok=True)
    git(directory, "init", "--quiet", "--initial-branch", "main")
    if source:
        commit_all(directory, "First commit")
    return directory


def commit_all(directory: Path, message: str) -> str:
    """Commit everything as it is in the work tree; returns the commit."""
    git(directory, "add", "--all", "--force")
    git(directory, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(directory, "rev-parse", "HEAD")
