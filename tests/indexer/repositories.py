"""Real git repositories for tests, made with git's own command line and no configuration."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

_IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}


class Sandbox:
    """A repository to write to. Each commit's date is the same: give each a message of its own."""

    def __init__(self, path: Path, *arguments: str) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main", *arguments)

    def try_git(self, *arguments: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *arguments],
            cwd=self.path,
            env=os.environ | _IDENTITY,
            input=stdin,
            capture_output=True,
            check=False,
        )

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        done = self.try_git(*arguments, stdin=stdin)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode(errors="surrogateescape").strip()

    def write(self, files: dict[str, str | bytes | None]) -> None:
        """Write files; None deletes one."""
        for name, content in files.items():
            path = self.path / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str, files: dict[str, str | bytes | None] | None = None) -> str:
        """Write files, commit everything and answer the commit."""
        self.write(files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def clone_to(self, path: Path, *arguments: str) -> "Sandbox":
        """A clone over the file transport, so that depth and filters are obeyed."""
        self.git("config", "uploadpack.allowFilter", "true")
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")
        self.git("clone", "--quiet", *arguments, f"file://{self.path}", str(path))
        clone = object.__new__(Sandbox)
        clone.path = path
        return clone


def put_stand_in(directory: Path, monkeypatch: pytest.MonkeyPatch, command: str, does: str) -> None:
    """Put a `git` on the PATH whose `command` is a harmless shell script; the rest is git."""
    real = shutil.which("git")
    stand_in = directory / "stand-in" / "git"
    stand_in.parent.mkdir(parents=True)
    stand_in.write_text(
        f'#!/bin/sh\nfor word in "$@"; do\nif [ "$word" = {command} ]; then\n{does}\nexit\nfi\n'
        f'done\nexec {real} "$@"\n'
    )
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stand_in.parent}:{os.environ['PATH']}")
