"""Clones: bare, with all commits and trees and the blobs of one commit, or of the newest ones.

The credential reaches git in its environment alone (GIT_CONFIG_*), for one server; no file, no
argument and no message has it, and no later process gets it. Nothing in a repository is run: there
is no work tree, and no hook, filter, submodule or alternate is used.
"""

import os
import re
import shlex
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

import structlog

from central.onboarding.addresses import CloneAddress
from central.onboarding.processes import (
    ChildError,
    Limits,
    inherited_environment,
    run_child,
)
from central.settings.backfill import BackfillSettings
from indexer.output.terminal import foreign_line
from indexer.records.history import COMMITS_SENT

HISTORY_BLOBS: Final = 20_000  # of the past, that one request brings
# No commit can bring a `.git`: the indexer opens what is in one, wherever the data directory is.
_CLONE: Final = Path(".git/clone.git")
_COMMIT: Final = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_BRANCH: Final = re.compile(r"refs/heads/[^\x00-\x20\x7f\ud800-\udfff~^:?*\[\\]{1,244}\Z")
_ALWAYS: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "false",
    "GCM_INTERACTIVE": "never",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}
_SETTINGS: Final = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "fetch.recurseSubmodules": "false",
    "submodule.recurse": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "fetch.negotiationAlgorithm": "noop",
    "http.followRedirects": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
    "pack.threads": "1",
    "protocol.allow": "never",
}
_WORKFLOWS: Final = frozenset(
    f".github/workflows/code-index.{suffix}" for suffix in ("yml", "yaml")
)
_SSH_PORT: Final = 22
_SHA1_DIGITS: Final = 40
_PROBLEMS: Final = ("fatal:", "error:", "remote:", "ssh:", "Host key verification failed")
_DENIED: Final = ": Permission denied ("
_EMPTY: Final = re.compile(r"unknown revision|ambiguous argument|Needed a single revision")
_NO_BRANCH: Final = re.compile(r"Remote branch .+ not found in upstream")

_log = structlog.get_logger(__name__)


class EmptyRepositoryError(Exception):
    """The repository has no commit."""


@dataclass(frozen=True, slots=True)
class GitAccess:
    """Basic authentication for one server; empty: none."""

    user: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Clone:
    """A bare clone, the full name of its branch, and the branch's commit."""

    path: Path
    ref: str
    commit_sha: str
    has_workflow: bool


def clone(
    address: CloneAddress,
    *,
    access: GitAccess,
    settings: BackfillSettings,
    limits: Limits,
    branch: str = "",
    has_history: bool = False,
) -> Clone:
    """Clone a branch, by default the default one.

    With `has_history`, the blobs that tell the changed lines of the newest commits come with one
    further request, up to HISTORY_BLOBS of them. If the server refuses it, they are absent.

    Raises ChildError, QuotaError, EmptyRepositoryError.
    """
    home, path = limits.directory, limits.directory / _CLONE
    environment = git_environment(address, access=access, settings=settings, home=home)
    git = _Git(environment, limits, access.password)
    try:
        git.run(
            "clone", "--quiet", "--bare", "--single-branch", "--no-tags", "--template=",
            "--filter=blob:none", *([f"--branch={branch}"] if branch else []),
            "--", address.url, str(path),
        )  # fmt: skip
    except ChildError as exc:
        if _NO_BRANCH.search(str(exc)) and not git.run("ls-remote", "--heads", "--", address.url):
            raise EmptyRepositoryError from exc
        raise
    git.arguments = ("--git-dir", str(path))
    try:
        commit = git.run("rev-parse", "--verify", "HEAD^{commit}")
    except ChildError as exc:
        if _EMPTY.search(str(exc)):
            raise EmptyRepositoryError from exc
        raise
    head = os.fsdecode((path / "HEAD").read_bytes())
    ref = head.removeprefix("ref:").strip()
    if not _COMMIT.match(commit) or not _BRANCH.match(ref):
        raise ChildError("The repository's default branch has an unusable name.")
    _fetch_blobs(git)
    if has_history:
        _fetch_history(git)
    _end_promise(path, address.url, commit)
    workflows = git.run("ls-tree", "--name-only", "HEAD", "--", ".github/workflows/").splitlines()
    return Clone(path, ref, commit, has_workflow=not _WORKFLOWS.isdisjoint(workflows))


def _fetch_blobs(git: "_Git") -> None:
    """Fetch all missing blobs of the commit by one request; git itself would by one for each."""
    with TemporaryFile(dir=git.limits.directory) as listed:
        git.run(
            "rev-list", "--objects", "--no-object-names", "--missing=print", "HEAD^{tree}",
            output=listed,
        )  # fmt: skip
        listed.seek(0)
        _fetch(git, [line[1:].strip() for line in listed if line.startswith(b"?")])


def _fetch_history(git: "_Git") -> None:
    """Fetch the blobs that the newest commits changed, before and after: those of the newest first.

    Trees tell them: no blob is read. Of a merge it is those that differ from all its parents.
    """
    wanted: dict[bytes, None] = {}
    with TemporaryFile(dir=git.limits.directory) as listed:
        git.run("ls-tree", "-r", "--object-only", "HEAD", output=listed)
        listed.seek(0)
        present = {line.strip() for line in listed}
    with TemporaryFile(dir=git.limits.directory) as listed:
        git.run(
            "log", f"--max-count={COMMITS_SENT}", "--format=", "-c", "--raw", "--no-abbrev",
            "--no-renames", "HEAD",
            output=listed,
        )  # fmt: skip
        listed.seek(0)
        for line in listed:
            wanted |= dict.fromkeys(blob for blob in _blobs_of(line) if blob not in present)
            if len(wanted) >= HISTORY_BLOBS:
                break
    try:
        _fetch(git, list(wanted)[:HISTORY_BLOBS])
    except ChildError as exc:
        _log.warning("history_not_fetched", error=str(exc))


def _blobs_of(line: bytes) -> list[bytes]:
    """Return the blobs of a line of `--raw`: a mode and an id for each parent and the commit."""
    fields = line.partition(b"\t")[0].lstrip(b":").split()
    count = len(fields) // 2
    return [
        blob
        for mode, blob in zip(fields[:count], fields[count:], strict=False)
        if mode.startswith((b"100", b"120"))
    ]


def _fetch(git: "_Git", blobs: Sequence[bytes]) -> None:
    if not blobs:
        return
    with TemporaryFile(dir=git.limits.directory) as missing:
        missing.writelines(blob + b"\n" for blob in blobs)
        missing.seek(0)
        git.run(
            "fetch", "--quiet", "origin", "--no-tags", "--no-write-fetch-head",
            "--filter=blob:none", "--stdin", stdin=missing,
        )  # fmt: skip


def _end_promise(path: Path, url: str, commit: str) -> None:
    """Make the clone an ordinary one, so that no later process contacts the server for a blob."""
    is_sha256 = len(commit) > _SHA1_DIGITS
    lines = [
        "[core]",
        f"repositoryformatversion = {int(is_sha256)}",
        "bare = true",
        *(["[extensions]", "objectformat = sha256"] if is_sha256 else []),
        '[remote "origin"]',
        f'url = "{url}"',  # a checked address has neither quotes nor backslashes
    ]
    (path / "config").write_text("\n".join(lines) + "\n")


@dataclass(slots=True)
class _Git:
    """Git commands with one environment; errors without the secret."""

    environment: dict[str, str] = field(repr=False)
    limits: Limits
    secret: str = field(repr=False)
    arguments: tuple[str, ...] = ()

    def run(
        self, *arguments: str, stdin: IO[bytes] | None = None, output: IO[bytes] | None = None
    ) -> str:
        try:
            out, _ = run_child(
                ["git", *self.arguments, *arguments],
                environment=self.environment,
                cwd=self.limits.directory,
                limits=self.limits,
                stdin=stdin,
                output=output,
            )
        except ChildError as exc:
            message = _explain(without_secret(str(exc), self.secret))
            raise ChildError(message, exit_code=exc.exit_code) from None
        return out.decode(errors="replace").strip()


def git_environment(
    address: CloneAddress, *, access: GitAccess, settings: BackfillSettings, home: Path
) -> dict[str, str]:
    """Return the environment of git commands that contact `address`."""
    configured = {**_SETTINGS, f"protocol.{address.scheme}.allow": "always"}
    if access.password:
        basic = b64encode(f"{access.user}:{access.password}".encode()).decode()
        configured[f"http.{address.server}/.extraHeader"] = f"Authorization: Basic {basic}"
    if address.ips and address.scheme in {"http", "https"}:
        ips = ",".join(f"[{ip}]" if ":" in ip else ip for ip in address.ips)
        configured["http.curloptResolve"] = f"{address.host}:{address.port}:{ips}"
    if address.scheme == "ssh":
        configured["core.sshCommand"] = _ssh_command(address, settings)
    variables = {"GIT_CONFIG_COUNT": str(len(configured))}
    for number, (key, value) in enumerate(configured.items()):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return {**inherited_environment(home), **_ALWAYS, **variables}


def _ssh_command(address: CloneAddress, settings: BackfillSettings) -> str:
    """Return ssh with the operator's key alone, connecting to a checked address."""
    options = {
        "BatchMode": "yes",
        "IdentitiesOnly": "yes",
        "StrictHostKeyChecking": "yes",
        "UserKnownHostsFile": settings.known_hosts_path or "/dev/null",
        "GlobalKnownHostsFile": "/dev/null",
        "HostKeyAlias": address.host_key if address.port == _SSH_PORT
        else f"[{address.host}]:{address.port}",
        "ProxyCommand": "none",
        "IdentityAgent": "none",
        # Without a key of the operator: none. By default ssh would offer those of the account.
        "IdentityFile": settings.ssh_key_path or "none",
        "ForwardAgent": "no",
        "ClearAllForwardings": "yes",
        "ConnectTimeout": "10",
        **({"HostName": address.ips[0]} if address.ips else {}),
    }  # fmt: skip
    words = ["ssh", "-F", "/dev/null", *(f"-o{name}={value}" for name, value in options.items())]
    return shlex.join(words)


def without_secret(text: str, secret: str) -> str:
    """Return a message without a credential, in each form in which git may print it."""
    for form in (secret, b64encode(secret.encode()).decode()) if secret else ():
        text = text.replace(form, "***")
    return text


def _explain(output: str) -> str:
    """Return the lines of the output of git and ssh that name a problem."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    problems = [line for line in lines if line.startswith(_PROBLEMS) or _DENIED in line]
    return foreign_line(" ".join(problems or lines[-1:])) or "git ended without a message"
