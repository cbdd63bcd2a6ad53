"""Which files of a commit are indexed, as far as the tree tells: by the rules of that commit."""

from collections.abc import Sequence
from dataclasses import replace

from indexer.attributes import attributes_at
from indexer.git import Repository
from indexer.project_file import PROJECT_FILE, parse_project_file
from indexer.records import TreeEntry
from indexer.selection import SelectionRules, skip_reason_by_entry


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
