"""The heads of a repository's branches at its forge, and which of them are the newest."""

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Final

import structlog

from central.onboarding.addresses import CloneAddress
from central.onboarding.clones import Git, GitAccess, git_environment
from central.onboarding.processes import ChildError, Limits, QuotaError
from central.settings.backfill import BackfillSettings

BACKFILL_HEADS: Final = 100_000  # branches of a repository that are read
_HEAD: Final = re.compile(
    r"(?P<commit>[0-9a-f]{40}|[0-9a-f]{64})\t"
    r"(?P<ref>refs/heads/[^\x00-\x20\x7f\ud800-\udfff\ufffd~^:?*\[\\]{1,244})\n"
)

_log = structlog.get_logger(__name__)


class Heads:
    """The heads at one address, asked with one credential. Its methods raise ChildError."""

    def __init__(
        self,
        address: CloneAddress,
        *,
        access: GitAccess,
        settings: BackfillSettings,
        limits: Limits,
    ) -> None:
        home = limits.directory
        environment = git_environment(address, access=access, settings=settings, home=home)
        self._git = Git(environment, limits, access.password)
        self._url = address.url

    def all(self) -> dict[str, str]:
        """Return the commits of all branches by full name; those of unusable names are left out."""
        with TemporaryFile(mode="w+b", dir=self._git.limits.directory) as listed:
            self._git.run("ls-remote", "--heads", "--", self._url, output=listed)
            listed.seek(0)
            lines = (line.decode(errors="replace") for line in listed)
            found = (match for line in lines if (match := _HEAD.fullmatch(line)))
            heads = {head["ref"]: head["commit"] for head in islice(found, BACKFILL_HEADS + 1)}
        if len(heads) > BACKFILL_HEADS:
            raise ChildError(f"The repository has more than {BACKFILL_HEADS:,} branches.")
        return heads

    def newest_first(self, heads: Mapping[str, str]) -> Sequence[str]:
        """Order branches by the dates of their heads, whose commits alone are fetched.

        If they cannot be, by the numbers in their names.
        """
        try:
            with TemporaryDirectory(dir=self._git.limits.directory) as directory:
                return self._by_date(Path(directory), heads)
        except (ChildError, QuotaError) as exc:
            _log.warning("backfill_heads_undated", error=str(exc))
            return sorted(heads, key=_by_number, reverse=True)

    def _by_date(self, directory: Path, heads: Mapping[str, str]) -> Sequence[str]:
        git = Git(self._git.environment, self._git.limits, self._git.secret)
        git.run("init", "--quiet", "--bare", "--template=", str(directory))
        git.arguments = ("--git-dir", str(directory))
        git.run("remote", "add", "origin", self._url)
        git.run(
            "fetch", "--quiet", "--depth=1", "--filter=tree:0", "--no-tags",
            "--no-write-fetch-head", "origin", "+refs/heads/*:refs/heads/*",
        )  # fmt: skip
        with TemporaryFile(dir=self._git.limits.directory) as ordered:
            git.run(
                "for-each-ref", "--sort=-committerdate", "--format=%(refname)", "refs/heads/",
                output=ordered,
            )  # fmt: skip
            ordered.seek(0)
            refs = [line.decode(errors="replace").strip() for line in ordered]
        return [ref for ref in refs if ref in heads]


def _by_number(ref: str) -> list[tuple[int, str]]:
    parts = re.split(r"(\d{1,18})", ref)
    return [(int(part), "") if part.isdigit() else (0, part) for part in parts]
