"""The watched checkout: its watcher, its index and its changes."""

from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from aeterna_code_search.cli.overlay.line_map import EditedLines, Lines
from aeterna_code_search.cli.overlay.overlay import Overlay
from aeterna_code_search.client.api import ServiceApi
from aeterna_code_search.client.target.target import IndexTarget
from central.runtime.data_directory import running_server
from indexer.errors import CentralUnreachableError

if TYPE_CHECKING:
    from aeterna_code_search.cli.watch.lock import WatchRecord


class _BaseMissingError(Exception):
    """Central's commit is not in the clone; it may be fetched later."""


class WorkTree:
    """The checkout of a target whose service is central."""

    def __init__(self, target: IndexTarget, root: Path) -> None:
        self.project = target.project
        self._target = target
        self._root = root
        self._api: ServiceApi | None = None

    def watched(self) -> "WatchRecord | None":
        """Return what the watcher indexed last; None if none runs."""
        from aeterna_code_search.cli.watch.lock import watched

        return watched(self._target.data_dir, self._root)

    def api(self) -> ServiceApi:
        """Return the API of the watcher's embedded service. Raises CentralUnreachableError."""
        from aeterna_code_search.client.target.embedded import api_of

        data_dir = self._target.data_dir
        server = running_server(data_dir)
        if server is None:
            raise CentralUnreachableError("The embedded service is not running.")
        if self._api is None or self._api.source != server["url"]:
            self._api = api_of(server, data_dir, self._target.organization)
        return self._api

    def overlay(self, watched: "WatchRecord", base: str | None, local: object = None) -> Overlay:
        """Compare `base`, central's commit, with the snapshot of the answer `local`.

        Without an answer the last snapshot is used. Raises GitError.
        """
        commit, indexed_at = _snapshot(watched, local)
        changed: frozenset[str] | None = None
        lines = Lines()
        with suppress(_BaseMissingError):
            changed, lines = _difference(self._root, watched.directory, base, commit)
        return Overlay(
            project=self.project,
            local_project=watched.project,
            commit=commit,
            base_commit=base,
            indexed_at=indexed_at,
            changed=changed,
            lines=lines,
        )


def _snapshot(watched: "WatchRecord", local: object) -> tuple[str, str | None]:
    """Return (commit, time) of the answer: the watcher may have indexed a newer snapshot."""
    if isinstance(local, dict):
        for row in local["receipt"]["projects"]:
            if row["project"] == watched.project:
                return row["commit"], row["indexed_at"]
    return watched.commit, watched.indexed_at


@lru_cache(maxsize=8)
def _difference(
    root: Path, directory: Path, base: str | None, commit: str
) -> tuple[frozenset[str], Lines]:
    """Return (changed paths, edited lines) between two commits, cached.

    Raises _BaseMissingError, which is not cached.
    """
    from aeterna_code_search.cli.watch.snapshot import Snapshots

    if base is None:
        raise _BaseMissingError
    snapshots = Snapshots(root, directory)
    with closing(snapshots.repository):
        changed = snapshots.changed_paths(base, commit)
    if changed is None:
        raise _BaseMissingError
    return changed, EditedLines(root, directory / "objects", base, commit)
