"""What stands in front of central: the paths of a project that the work tree has changed. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from cli.overlay.line_map import Lines

Row = dict[str, Any]  # an object of the API

LOCAL_AWAY: Final = "local_index_unavailable"
BASE_UNKNOWN: Final = "base_commit_not_in_clone"
EDITED_LINES: Final = "links_on_edited_lines"


@dataclass(frozen=True, slots=True)
class Overlay:
    """A project as central has it, and as the work tree's last snapshot has it.

    `changed` are the paths that differ; None: central's commit is not in the clone, so that every
    path may. `lines` tells what was edited in them.
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
        """Whether the work tree is as central has it."""
        return self.changed is not None and not self.changed

    @property
    def gaps(self) -> list[str]:
        """Why links to other projects may be missing: the lines of them are unknown."""
        return [BASE_UNKNOWN] if self.base_commit and self.changed is None else []

    def has(self, path: str) -> bool:
        """Whether the local index answers for this path."""
        return self.changed is None or path in self.changed

    def is_overridden(self, row: Mapping[str, Any]) -> bool:
        """Whether the row of an answer of central's stands in such a path."""
        return row["project"] == self.project and self.has(row["file"])

    def is_own(self, row: Mapping[str, Any]) -> bool:
        """Whether the row of a local answer is of the project."""
        return bool(row["project"] == self.local_project)

    def local_row(self, row: Mapping[str, Any]) -> Row:
        """A row of the local answer as it is shown: under central's name, with no link to a forge.

        No forge has the snapshot's commit.
        """
        shown = {**row, "project": self.project, "local": True}
        if "url" in shown:
            shown["url"] = None
        return shown

    def summary(self) -> Row:
        """What an answer says of it; `files` null: every file of the project counts as changed."""
        return {
            "project": self.project,
            "commit": self.commit,
            "base_commit": self.base_commit,
            "files": None if self.changed is None else len(self.changed),
            "indexed_at": self.indexed_at,
        }

    def local_receipt(self, receipt: Mapping[str, Any]) -> Row:
        """The local answer's receipt, of the project alone and under central's name."""
        rows = [{**row, "project": self.project} for row in receipt["projects"] if self.is_own(row)]
        return {**receipt, "projects": rows}

    def receipt(self, receipt: Mapping[str, Any], *reasons: str) -> Row:
        """A receipt with `local`, and `reasons` why the project may lack something."""
        missing = [{"project": self.project, "reason": reason} for reason in reasons]
        return {
            **receipt,
            "complete": receipt["complete"] and not missing,
            "missing": [*receipt["missing"], *missing],
            "local": self.summary(),
        }


def without_overlay(answer: Row, project: str, error: str) -> Row:
    """Central's answer where the local index cannot be asked: nothing is in front of it."""
    receipt = answer["receipt"]
    missing = [*receipt["missing"], {"project": project, "reason": LOCAL_AWAY}]
    return {
        **answer,
        "receipt": {**receipt, "complete": False, "missing": missing, "local_error": error},
    }
