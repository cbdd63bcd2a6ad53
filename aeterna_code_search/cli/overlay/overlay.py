"""The overlay over central: the paths of a project that the work tree has changed. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from aeterna_code_search.cli.overlay.line_map import Lines

Row = dict[str, Any]  # an object of the API

LOCAL_UNAVAILABLE: Final = "local_index_unavailable"
BASE_UNKNOWN: Final = "base_commit_not_in_clone"
EDITED_LINES: Final = "links_on_edited_lines"


@dataclass(frozen=True, slots=True)
class Overlay:
    """The differences between a project in central and in the work tree's last snapshot.

    `changed` lists the paths that differ; None: central's commit is not in the clone, so any path
    may differ. `lines` has the edited lines of these paths.
    """

    project: str
    local_project: str
    commit: str
    base_commit: str | None
    indexed_at: str | None
    changed: frozenset[str] | None
    lines: Lines

    @property
    def is_empty(self) -> bool:
        """Whether the work tree equals central's commit."""
        return self.changed is not None and not self.changed

    @property
    def gaps(self) -> list[str]:
        """Reasons why links to other projects may be missing: their lines are unknown."""
        return [BASE_UNKNOWN] if self.base_commit and self.changed is None else []

    def has(self, path: str) -> bool:
        """Whether answers for this path come from the local index."""
        return self.changed is None or path in self.changed

    def is_overridden(self, row: Mapping[str, Any]) -> bool:
        """Whether the local index replaces this row of central's answer; it has no commits."""
        is_commit = row.get("change") is not None
        return not is_commit and row["project"] == self.project and self.has(row["file"])

    def is_own(self, row: Mapping[str, Any]) -> bool:
        """Whether a row of a local answer belongs to the project."""
        return bool(row["project"] == self.local_project)

    def local_row(self, row: Mapping[str, Any]) -> Row:
        """Rename the project in a row to central's name, and clear its link.

        No forge has the snapshot's commit.
        """
        shown = {**row, "project": self.project, "local": True}
        if "url" in shown:
            shown["url"] = None
        return shown

    def summary(self) -> Row:
        """Summarise the overlay for an answer; `files` null: every file counts as changed."""
        return {
            "project": self.project,
            "commit": self.commit,
            "base_commit": self.base_commit,
            "files": None if self.changed is None else len(self.changed),
            "indexed_at": self.indexed_at,
        }

    def local_receipt(self, receipt: Mapping[str, Any]) -> Row:
        """Reduce the local answer's receipt to the project, under central's name."""
        rows = [{**row, "project": self.project} for row in receipt["projects"] if self.is_own(row)]
        return {**receipt, "projects": rows}

    def receipt(self, receipt: Mapping[str, Any], *reasons: str) -> Row:
        """Add `local` and `reasons` why results of the project may be missing to a receipt."""
        missing = [{"project": self.project, "reason": reason} for reason in reasons]
        return {
            **receipt,
            "complete": receipt["complete"] and not missing,
            "missing": [*receipt["missing"], *missing],
            "local": self.summary(),
        }


def without_overlay(answer: Row, project: str, error: str) -> Row:
    """Return central's answer, marked incomplete because the local index is unavailable."""
    receipt = answer["receipt"]
    missing = [*receipt["missing"], {"project": project, "reason": LOCAL_UNAVAILABLE}]
    return {
        **answer,
        "receipt": {**receipt, "complete": False, "missing": missing, "local_error": error},
    }
