"""What is said of a commit of a history beside its id, time and subject."""

from collections.abc import Mapping
from typing import Any, Final

from indexer.limits import HISTORY_PATHS
from indexer.output.terminal import pluralize

SHORT_COMMIT: Final = 10
Row = Mapping[str, Any]


def commit_marks(history: Row, commit: Row) -> list[str]:
    """Return what a commit did to the path of a `history`, and which others belong to it."""
    marks = ["merge"] if len(commit["parents"]) > 1 else []
    if changed := _changed(history["path"], commit):
        marks.append(changed)
    return [*marks, *_related(commit["commit"], commit)]


def result_marks(result: Row) -> list[str]:
    """Return who made the commit of a search's result, and which others belong to it."""
    change = result["change"]
    return [*filter(None, [change["author"]]), *_related(result["commit"], change)]


def _related(sha: str, commit: Row) -> list[str]:
    marks = []
    if commit["merge"] and commit["merge"] != sha:
        marks.append(f"in merge {_short(commit['merge'])}")
    marks += [f"reverts {_short(other)}" for other in commit["reverts"]]
    return [*marks, *(f"reverted by {_short(other)}" for other in commit["reverted_by"])]


def line_sign(line: Row) -> str:
    """Return `+` or `-` of a line that a commit added or removed; "" of any other."""
    return {"added": "+", "removed": "-"}.get(line.get("side") or "", "")


def _changed(path: str, commit: Row) -> str:
    """`modified`, `renamed from a.py` of the file itself; of a directory the path or their number.

    Of a repository it is how many paths the commit changes.
    """
    changes = commit["changes"]
    if not (path and changes):
        return pluralize(commit["changed"], "path") if commit["changed"] else ""
    if len(changes) > 1:
        at_least = "at least " if len(changes) == HISTORY_PATHS else ""
        return f"{at_least}{len(changes):,} of {pluralize(commit['changed'], 'path')}"
    change = changes[0]
    own = "" if change["path"] == path else f" {change['path']}"
    before = f" from {change['old_path']}" if change["old_path"] else ""
    return f"{change['status']}{own}{before}"


def _short(sha: str) -> str:
    return sha[:SHORT_COMMIT]
