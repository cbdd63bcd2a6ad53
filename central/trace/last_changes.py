"""The newest stored commit that changed the lines of each caller."""

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from aeterna_code_search.contract.trace import LastChange
from central.corpus.commit_facts import time_text
from central.corpus.line_history import Unknown, touching
from central.corpus.line_records import StoredChanges, commit_graph, lines_of_diffs
from central.corpus.models import Commit, File
from central.db import fetch_rows, sql_with
from central.repositories.visibility import forge_commit_url
from central.trace.edges import Step
from central.trace.request_scope import TraceScope
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.questions import Key

LAST_CHANGES: Final = 500  # callers of an answer of which they are looked up
LAST_CHANGE_SECONDS: Final = 0.5  # for all of an answer
_FILES_AT_ONCE: Final = 50
_COMMITS: Final = sql_with(commit=Commit)("""SELECT sha, committed_at, subject FROM {commit}
    WHERE repository_id = %s::bigint AND sha = ANY(%s::text[])""")


class LastChanges(NamedTuple):
    """Last changes by definition, without those that are not known.

    `left_out`: how many were not looked up, because that would take too long.
    """

    found: dict[Key, LastChange]
    left_out: int


def caller_of(step: Step) -> Key:
    """Return the definition that a reference stands in."""
    return step.edge.site.file, step.edge.site.caller


def last_changes(scope: TraceScope, steps: Iterable[Step]) -> LastChanges:
    """Look up the last changes of the definitions that references stand in."""
    until = time.monotonic() + LAST_CHANGE_SECONDS
    callers = dict.fromkeys(map(caller_of, steps))
    keys = [key for key in callers if key[1]]  # else a file's top level
    by_repository: dict[int, list[Definition]] = defaultdict(list)
    for definition in definitions_at(scope.resolver, keys[:LAST_CHANGES]).values():
        by_repository[definition.repository].append(definition)
    found: dict[Key, LastChange] = {}
    left_out = len(keys[LAST_CHANGES:])
    by_repository.pop(scope.on_branch, None)  # the stored commits are not its branch's
    for repository, definitions in by_repository.items():
        commits, late = _newest_commits(scope, repository, definitions, until)
        left_out += late
        found |= _told(scope, repository, commits)
    return LastChanges(found, left_out)


def _newest_commits(
    scope: TraceScope, repository: int, definitions: Sequence[Definition], until: float
) -> tuple[dict[Key, str], int]:
    """Return the commits of definitions of a repository, and how many were not looked up."""
    found: dict[Key, str] = {}
    if time.monotonic() > until:
        return found, len(definitions)
    graph = commit_graph(repository, scope.repositories[repository].commit)
    if not graph.parents:
        return found, 0
    changes = StoredChanges(repository)
    changes.read_ahead({definition.path for definition in definitions})
    contents: dict[int, list[str]] = {}
    ordered = sorted(definitions, key=lambda definition: definition.file)
    for number, definition in enumerate(ordered):
        left = until - time.monotonic()
        if left <= 0:
            return found, len(ordered) - number
        if definition.file not in contents:
            files = dict.fromkeys(own.file for own in ordered[number:])
            contents = _lines(repository, list(files)[:_FILES_AT_ONCE])
        lines = contents[definition.file]
        touched = touching(
            graph,
            changes,
            path=definition.path,
            lines=lines,
            asked=(definition.start_line, min(definition.end_line, len(lines))),
            seconds=left,
            limit=1,
        )
        if touched.commits and {Unknown.NOT_STORED.value}.issuperset(touched.reasons):
            found[definition.key] = next(iter(touched.commits))
    return found, 0


def _lines(repository: int, files: Sequence[int]) -> dict[int, list[str]]:
    rows = File.objects.filter(repository_id=repository, pk__in=files)
    return {file.pk: lines_of_diffs(file) for file in rows}


def _told(scope: TraceScope, repository: int, commits: dict[Key, str]) -> dict[Key, LastChange]:
    rows = fetch_rows(_COMMITS, [repository, list(set(commits.values()))]) if commits else []
    web_url = scope.repositories[repository].web_url
    told = {
        sha: LastChange(
            commit=sha,
            committed_at=time_text(seconds),
            subject=subject,
            url=forge_commit_url(web_url, sha),
        )
        for sha, seconds, subject in rows
    }
    return {key: told[sha] for key, sha in commits.items()}
