"""The plan of a run: its mode and reason, and the selected files of a commit.

Facts that need a process or the network are requested only if the result depends on them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final, Protocol

from indexer.config.project_file import PROJECT_FILE, parse_project_file
from indexer.git.attributes import ENCODING, GENERATED, LANGUAGE, attributes_at, listed_files
from indexer.git.parse import ACTION_FILES
from indexer.git.repository import Repository
from indexer.languages import named
from indexer.pipeline.select import SelectionRules, skip_reason_by_entry
from indexer.records.files import TreeEntry
from indexer.records.runs import Ancestry, Indexed, Mode, Plan, Reason, Requested

_DIRECTORY: Final = "dist"
_SUFFIXES: Final = frozenset({".js", ".cjs", ".mjs"})


class History(Protocol):
    """What the plan needs from a repository. Each method may raise GitError."""

    def is_shallow(self) -> bool:
        """Whether history was cut off."""
        ...

    def ancestry(self, base: str, head: str) -> Ancestry:
        """Return the relation of `base` to `head`; fetches missing history."""
        ...

    def branch_head(self, ref: str) -> str | None:
        """Return the commit of the ref at the remote."""
        ...

    def was_removed_from_branch(self, head: str, base: str, ref: str) -> bool:
        """Whether the ref at the remote contains `base` and is no longer at `head`.

        False if the remote does not answer.
        """
        ...

    def selection_changed(self, base: str, head: str) -> bool:
        """Whether the rules that select files differ between the commits."""
        ...


def decide(
    *, head: str, ref: str, indexed: Indexed | None, requested: Requested, history: History
) -> Plan:
    """Return the plan for indexing `head` of branch `ref`. Raises what `history` raises.

    An old job that runs again never rewinds the index, whatever mode it requests: a commit that the
    index has passed is skipped unless it is the head of the branch again.
    """
    demand = _demand(indexed, requested)
    if demand:
        return _on_demand(demand, head, ref, indexed, history)
    if indexed is None:
        return Plan(Mode.FULL, Reason.FIRST_INDEX)
    return _by_ancestry(head, ref, indexed.commit, history)


def _demand(indexed: Indexed | None, requested: Requested) -> Plan | None:
    """Return the full run that is due regardless of the commits, if any."""
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
    ancestry = history.ancestry(indexed.commit, head)
    if _is_superseded(ancestry, head, ref, indexed.commit, history):
        return Plan(Mode.NONE, Reason.SUPERSEDED)
    return demand


def _by_ancestry(head: str, ref: str, base: str, history: History) -> Plan:
    ancestry = history.ancestry(base, head)
    if ancestry is Ancestry.SAME:
        return Plan(Mode.NONE, Reason.UP_TO_DATE)
    if ancestry is Ancestry.MISSING:
        return Plan(Mode.FULL, Reason.BASE_MISSING)
    if _is_superseded(ancestry, head, ref, base, history):
        return Plan(Mode.NONE, Reason.SUPERSEDED)
    if ancestry is Ancestry.DIVERGED:
        return Plan(Mode.FULL, Reason.DIVERGED)
    if ancestry is Ancestry.DESCENDANT:
        return Plan(Mode.FULL, Reason.REWOUND)
    if history.selection_changed(base, head):
        return Plan(Mode.FULL, Reason.SELECTION_CHANGED)
    return Plan(Mode.INCREMENTAL, Reason.FAST_FORWARD, base)


def _is_superseded(ancestry: Ancestry, head: str, ref: str, base: str, history: History) -> bool:
    """Whether the branch moved on from `base` without `head`, so that an old job runs again."""
    if ancestry is Ancestry.DESCENDANT:
        return history.branch_head(ref) != head
    return ancestry is Ancestry.DIVERGED and history.was_removed_from_branch(head, base, ref)


def selected_entries(
    repository: Repository, commit: str, entries: Sequence[TreeEntry]
) -> list[TreeEntry]:
    """Return the entries of `commit` with skip reasons, and what other files declare of them."""
    rules = selection_rules(repository, commit)
    paths = [entry.path for entry in entries if not entry.skipped]
    attributes = attributes_at(repository, commit, paths)
    for path in bundles_at(repository, commit, paths):
        attributes[path] = {GENERATED: "set"} | attributes.get(path, {})
    return [
        entry if entry.skipped else _selected(entry, attributes.get(entry.path, {}), rules)
        for entry in entries
    ]


def _selected(entry: TreeEntry, attributes: Mapping[str, str], rules: SelectionRules) -> TreeEntry:
    language = named(attributes.get(LANGUAGE, ""))
    declared = replace(
        entry,
        declared_encoding=attributes.get(ENCODING, ""),
        declared_language=language.name if language else "",
    )
    return replace(
        declared, skipped=skip_reason_by_entry(declared, attributes=attributes, rules=rules)
    )


def selection_rules(repository: Repository, commit: str) -> SelectionRules:
    """Return the rules of the commit's own `.codesearch.toml`."""
    content = repository.read_path(commit, PROJECT_FILE)
    file = parse_project_file(content or b"")
    defaults = SelectionRules()
    return SelectionRules(
        include=file.include,
        exclude=file.exclude,
        max_file_bytes=file.max_file_bytes or defaults.max_file_bytes,
    )


def bundles_at(repository: Repository, commit: str, paths: Iterable[str]) -> set[str]:
    """Return those of the paths that are bundles of an action at the commit."""
    parents = {path: parent for path in paths if (parent := _action_directory(path)) is not None}
    wanted = {_joined(parent, name) for parent in parents.values() for name in ACTION_FILES}
    found = {entry.path.rpartition("/")[0] for entry in listed_files(repository, commit, wanted)}
    return {path for path, parent in parents.items() if parent in found}


def _action_directory(path: str) -> str | None:
    """Return the directory of the action whose bundle the file may be; "" is the top."""
    parts = path.split("/")
    if _DIRECTORY not in parts[:-1] or PurePosixPath(path).suffix not in _SUFFIXES:
        return None
    return "/".join(parts[: parts.index(_DIRECTORY)])


def _joined(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name
