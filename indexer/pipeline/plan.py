"""The plan of a run: its mode and why, and which files of a commit are indexed.

Facts that cost a process or the network are asked for only where the answer depends on them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from indexer.config.project_file import PROJECT_FILE, parse_project_file
from indexer.git.attributes import attributes_at
from indexer.git.repository import Repository
from indexer.pipeline.select import SelectionRules, skip_reason_by_entry
from indexer.records.files import TreeEntry
from indexer.records.runs import Ancestry, Indexed, Mode, Plan, Reason, Requested


class History(Protocol):
    """What the table asks of a repository. Each may raise GitError."""

    def is_shallow(self) -> bool:
        """Whether history was cut off."""
        ...

    def ancestry(self, base: str, head: str) -> Ancestry:
        """How `base` lies to `head`; fetches history that is missing."""
        ...

    def branch_head(self, ref: str) -> str | None:
        """The commit that the ref names at the remote."""
        ...

    def was_removed_from_branch(self, head: str, base: str, ref: str) -> bool:
        """Whether the ref at the remote holds `base` and no longer is at `head`.

        False also where the remote does not answer.
        """
        ...

    def selection_changed(self, base: str, head: str) -> bool:
        """Whether the rules that select files differ between the commits."""
        ...


def decide(
    *, head: str, ref: str, indexed: Indexed | None, requested: Requested, history: History
) -> Plan:
    """The plan for indexing `head` of branch `ref`. Raises what `history` raises.

    An old job that is run again never rewinds the index, whatever it asks for: a commit that the
    index has passed is left alone unless the branch's tip is there again.
    """
    demand = _demand(indexed, requested)
    if demand:
        return _on_demand(demand, head, ref, indexed, history)
    if indexed is None:
        return Plan(Mode.FULL, Reason.FIRST_INDEX)
    return _by_ancestry(head, ref, indexed.commit, history)


def _demand(indexed: Indexed | None, requested: Requested) -> Plan | None:
    """The full run that is due whatever the commits are."""
    if requested is Requested.FORCE:
        return Plan(Mode.FORCE, Reason.REQUESTED)
    if requested is Requested.FULL:
        return Plan(Mode.FULL, Reason.REQUESTED)
    if indexed is None:
        return None
    if not indexed.same_extractor:
        return Plan(Mode.FULL, Reason.EXTRACTOR_CHANGED)
    return None if indexed.same_embedder else Plan(Mode.FULL, Reason.EMBEDDER_CHANGED)


def _on_demand(
    demand: Plan, head: str, ref: str, indexed: Indexed | None, history: History
) -> Plan:
    if indexed is None or indexed.commit == head:
        return demand
    if history.is_shallow() and history.branch_head(ref) == head:  # no need to fetch the history
        return demand
    relation = history.ancestry(indexed.commit, head)
    if _is_superseded(relation, head, ref, indexed.commit, history):
        return Plan(Mode.NONE, Reason.SUPERSEDED)
    return demand


def _by_ancestry(head: str, ref: str, base: str, history: History) -> Plan:
    relation = history.ancestry(base, head)
    if relation is Ancestry.SAME:
        return Plan(Mode.NONE, Reason.UP_TO_DATE)
    if relation is Ancestry.MISSING:
        return Plan(Mode.FULL, Reason.BASE_MISSING)
    if _is_superseded(relation, head, ref, base, history):
        return Plan(Mode.NONE, Reason.SUPERSEDED)
    if relation is Ancestry.DIVERGED:
        return Plan(Mode.FULL, Reason.DIVERGED)
    if relation is Ancestry.DESCENDANT:
        return Plan(Mode.FULL, Reason.REWOUND)
    if history.selection_changed(base, head):
        return Plan(Mode.FULL, Reason.SELECTION_CHANGED)
    return Plan(Mode.INCREMENTAL, Reason.FAST_FORWARD, base)


def _is_superseded(relation: Ancestry, head: str, ref: str, base: str, history: History) -> bool:
    """Whether the branch went on from `base` and left `head` behind: an old job is run again."""
    if relation is Ancestry.DESCENDANT:
        return history.branch_head(ref) != head
    return relation is Ancestry.DIVERGED and history.was_removed_from_branch(head, base, ref)


def selected_entries(
    repository: Repository, commit: str, entries: Sequence[TreeEntry]
) -> list[TreeEntry]:
    """The entries of `commit`, those that are left out by their entry with the reason."""
    rules = selection_rules(repository, commit)
    paths = [entry.path for entry in entries if not entry.skipped]
    attributes = attributes_at(repository, commit, paths)
    return [
        entry
        if entry.skipped
        else replace(
            entry,
            skipped=skip_reason_by_entry(
                path=entry.path,
                mode=entry.mode,
                size=entry.size,
                attributes=attributes.get(entry.path, {}),
                rules=rules,
            ),
        )
        for entry in entries
    ]


def selection_rules(repository: Repository, commit: str) -> SelectionRules:
    """The rules that the commit's own `.codesearch.toml` gives."""
    content = repository.read_path(commit, PROJECT_FILE)
    file = parse_project_file(content or b"")
    defaults = SelectionRules()
    return SelectionRules(
        include=file.include,
        exclude=file.exclude,
        max_file_bytes=file.max_file_bytes or defaults.max_file_bytes,
    )
