"""Clones: bare, with all commits and trees, the blobs of one commit, and of the newest changes.

The credential reaches git in its environment alone (GIT_CONFIG_*), for one server; no file, no
argument and no message has it, and no later process gets it. Nothing in a repository is run: there
is no work tree, and no hook, filter, submodule or alternate is used.
"""

import os
import re
import shlex
import tomllib
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

import structlog

from central.onboarding.addresses import CloneAddress
from central.onboarding.processes import (
    ChildError,
    Limits,
    QuotaError,
    inherited_environment,
    run_child,
    used_bytes,
)
from central.settings.backfill import BackfillSettings
from indexer.output.terminal import foreign_line
from indexer.records.history import COMMIT_PATHS, COMMITS_SENT

BACKFILL_HISTORY_BLOBS: Final = 20_000  # of the newest commits
BACKFILL_HISTORY_BYTES: Final = 256 * 1024**2  # of them, packed, and of what lists them
_PROJECT_FILE: Final = ".codesearch.toml"
_NO_CONTENT: Final = (b"000000", b"160000")  # modes of no file, and of a submodule
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
    lines_since: str | None = None,
) -> Clone:
    """Clone a branch, by default the default one.

    `lines_since`: the commit after which changed lines are wanted, "" for all of the newest; None:
    none are. What cannot be fetched of them is left out, with a warning.

    Raises ChildError, QuotaError, EmptyRepositoryError.
    """
    home, path = limits.directory, limits.directory / _CLONE
    environment = git_environment(address, access=access, settings=settings, home=home)
    git = Git(environment, limits, access.password)
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
    if lines_since is not None and _sends_lines(git):
        _fetch_history(git, lines_since)
    _end_promise(path, address.url, commit)
    workflows = git.run("ls-tree", "--name-only", "HEAD", "--", ".github/workflows/").splitlines()
    return Clone(path, ref, commit, has_workflow=not _WORKFLOWS.isdisjoint(workflows))


def _fetch_blobs(git: "Git") -> None:
    """Fetch all missing blobs of the commit by one request; git itself would by one for each."""
    directory = git.limits.directory
    with TemporaryFile(dir=directory) as listed, TemporaryFile(dir=directory) as missing:
        git.run(
            "rev-list", "--objects", "--no-object-names", "--missing=print", "HEAD^{tree}",
            output=listed,
        )  # fmt: skip
        listed.seek(0)
        missing.writelines(line[1:] for line in listed if line.startswith(b"?"))
        if missing.tell():
            git.fetch(missing)


def _sends_lines(git: "Git") -> bool:
    try:
        tables = tomllib.loads(git.run("cat-file", "blob", f"HEAD:{_PROJECT_FILE}"))
    except ChildError:  # there is none
        return True
    except (ValueError, RecursionError):  # which the indexer explains
        return False
    history = tables.get("history")
    return not isinstance(history, dict) or False not in history.values()


def _fetch_history(git: "Git", since: str) -> None:
    """Fetch the blobs of the newest commits' changes by one request, the newest commits first.

    Without them the indexer sends paths alone.
    """
    directory, most_bytes = git.limits.directory, git.limits.max_bytes
    room = min(most_bytes, used_bytes(directory) + BACKFILL_HISTORY_BYTES)
    git = replace(git, limits=replace(git.limits, max_bytes=room))
    try:
        with TemporaryFile(dir=directory) as missing:
            missing.writelines(blob + b"\n" for blob in _missing_blobs(git, since))
            if missing.tell():
                git.fetch(missing)
    except (ChildError, QuotaError) as exc:
        _log.warning("backfill_history_cut", error=str(exc))
        for part in (directory / _CLONE).glob("objects/pack/tmp_*"):
            part.unlink()


def _missing_blobs(git: "Git", since: str) -> list[bytes]:
    """Return the blobs that commits after `since` read, which the newest commit does not have."""
    directory = git.limits.directory
    offline = replace(git, environment={**git.environment, "GIT_ALLOW_PROTOCOL": "none"})
    newest = ("rev-list", "--date-order", f"--max-count={COMMITS_SENT}", "HEAD")
    with (
        TemporaryFile(dir=directory) as commits,
        TemporaryFile(dir=directory) as raw,
        TemporaryFile(dir=directory) as present,
    ):
        try:
            offline.run(*newest, *([f"^{since}"] if since else []), output=commits)
        except ChildError:  # history was rewritten
            offline.run(*newest, output=commits)
        commits.seek(0)
        offline.run(
            "diff-tree", "--stdin", "-r", "--root", "-c", "--raw", "--no-abbrev", "--no-renames",
            "--always", stdin=commits, output=raw,
        )  # fmt: skip
        offline.run("ls-tree", "-r", "--format=%(objectname)", "HEAD", output=present)
        raw.seek(0)
        present.seek(0)
        wanted: set[bytes] = set()
        for blobs in _blobs_of_commits(raw):
            if len(wanted) + len(blobs) > BACKFILL_HISTORY_BLOBS:
                break
            wanted |= blobs
        return sorted(wanted - {line.rstrip() for line in present})


def _blobs_of_commits(raw: IO[bytes]) -> Iterator[set[bytes]]:
    """Yield what the changes of each commit read, but of those of more than COMMIT_PATHS paths.

    The indexer reads no lines of so many. A line has a colon for each parent, modes, and ids.
    """
    blobs: set[bytes] = set()
    paths = 0
    for line in raw:
        fields = line.lstrip(b":").partition(b"\t")[0].split()
        versions = len(line) - len(line.lstrip(b":")) + 1
        if versions == 1:  # the id of the next commit
            yield blobs
            blobs, paths = set(), 0
            continue
        paths += 1
        pairs = zip(fields[:versions], fields[versions : 2 * versions], strict=True)
        blobs |= {blob for mode, blob in pairs if mode not in _NO_CONTENT}
        if paths > COMMIT_PATHS:
            blobs.clear()
    yield blobs


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
class Git:
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

    def fetch(self, objects: IO[bytes]) -> None:
        """Fetch objects whose ids a file has, a line each."""
        objects.seek(0)
        self.run(
            "fetch", "--quiet", "origin", "--no-tags", "--no-write-fetch-head",
            "--filter=blob:none", "--stdin", stdin=objects,
        )  # fmt: skip


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
