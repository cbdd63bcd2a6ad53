"""The repositories that one trace may read, and the definitions that its symbol means.

Where nothing has the name, how many skipped files of source code may define it.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

from aeterna_code_search.contract.trace import FilePosition, ResolvedBy, SymbolSelector
from central.corpus.branches.of_project import other_branch
from central.corpus.branches.scope import ChosenBranch, on_branches
from central.corpus.models import File
from central.db import fetch_rows, id_array, one_moment, sql_with
from central.errors import InvalidError, NotFoundError
from central.observability.tracing import Span, span
from central.owners.reading import OwnersReader, owners_reader
from central.repositories.models import Repository
from central.repositories.status import resolved_by
from central.repositories.visibility import RepositorySnapshot, repository_snapshots
from central.sentences import Sentence
from central.tenancy.credentials import Credential
from central.trace.resolve.definitions import (
    MAX_DEFINITIONS,
    Definition,
    DefinitionFilter,
    definitions_named,
    similar_names,
)
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.rules import rules_of
from central.trace.stored.models import Source
from central.trace.stored.state import ALL_LIVE, live_files
from indexer.records.files import SkipReason
from indexer.records.languages import PARSED_SUFFIXES

_sql = sql_with(file=File, repository=Repository, source=Source)
_INDEXES_SHOWN: Final = 20
_CUT_DEFINITIONS: Final = (
    f"The name has more than {MAX_DEFINITIONS} definitions, of which the first were traced; "
    "give a qualified name, module:name, project or file."
)
_INDEXED = _sql("""SELECT r.name, r.scip, r.languages,
        (SELECT coalesce(sum(s.disagreements), 0)::bigint FROM {source} s
            WHERE s.repository_id = r.id AND s.disagreements > 0)
    FROM {repository} r
    WHERE r.id = ANY(%s::bigint[]) AND r.scip <> '{}' AND r.id <> %s::bigint
    ORDER BY r.name LIMIT %s""")
_HAS_FILE = _sql("""SELECT FROM {file} f
    WHERE f.repository_id = ANY(%s::bigint[]) AND f.path = %s::text LIMIT 1""")


@dataclass(frozen=True, slots=True)
class TraceScope:
    """The repositories visible to a credential, by id, with what one trace of them needs.

    `is_compared`: the stored edges follow what is indexed, but for some files. `edges_behind`: how
    many these are; None for who sees a part, as it would show what is done for hidden repositories.
    `resolved_by` has the
    repositories with a SCIP index. `started` is seconds of `time.perf_counter`. `on_branch`
    is the repository of which another branch than its default one is read, if that is so.
    """

    organization: str
    uses_models: bool
    repositories: dict[int, RepositorySnapshot]
    resolver: BatchResolver
    is_compared: bool
    edges_behind: int | None
    resolved_by: list[ResolvedBy]
    owners: OwnersReader
    span: Span
    started: float
    on_branch: int = 0

    def named(self, project: str) -> RepositorySnapshot:
        """Return the repository of this name. Raises NotFoundError if there is none."""
        for repository in self.repositories.values():
            if repository.name == project:
                return repository
        raise NotFoundError(
            "There is no such repository for this credential; check project.",
            code="repository_not_found",
        )

    def unknown(self, projects: Sequence[str]) -> list[str]:
        """Return those of `projects` that are not visible."""
        known = {repository.name for repository in self.repositories.values()}
        return sorted(set(projects) - known)


@contextmanager
def traced(
    credential: Credential, what: str, symbol: str = "", *, project: str = "", ref: str = ""
) -> Iterator[TraceScope]:
    """Open the span of a trace and one moment: all that it reads of a repository is of one commit.

    With `ref`, that branch of the project is read. Its references are bound by rules alone, and
    nothing that is stored of other files' edges counts: both are of default branches. The caller
    notes `resultCount` in the span. Raises InvalidError for a branch of no project, and
    NotFoundError for one that is not indexed.
    """
    started = time.perf_counter()
    asked = credential.organization
    with ExitStack() as stack:
        stack.enter_context(one_moment())
        branch = _branch(credential, project, ref)
        current = stack.enter_context(
            span("code.trace", organization=asked.slug, what=what, symbol=symbol)
        )
        if branch:
            stack.enter_context(on_branches([branch]))
        repositories = {
            repository_snapshot.id: repository_snapshot
            for repository_snapshot in repository_snapshots(credential=credential)
        }
        without_index = branch.repository_id if branch else 0
        resolver = BatchResolver(
            rules_of(asked, without_index=without_index),
            repositories=repositories,
            without_index=without_index,
        )
        live = ALL_LIVE if branch else live_files(asked, resolver.repositories)
        resolver.follow(live.files)
        behind = live.behind if credential.sees_all else None
        indexed = _resolved_by(resolver, is_counted=behind is not None)
        resolver.has_indexes = bool(indexed or branch)  # its own references may have symbols
        yield TraceScope(
            asked.slug,
            asked.uses_models,
            repositories,
            resolver,
            live.behind is not None,
            behind,
            indexed,
            owners_reader(credential),
            current,
            started,
            without_index,
        )


def of_selector(
    credential: Credential, what: str, selector: SymbolSelector
) -> AbstractContextManager[TraceScope]:
    """As `traced`, on the branch of the selector."""
    return traced(credential, what, selector.symbol, project=selector.project, ref=selector.ref)


def of_position(
    credential: Credential, what: str, position: FilePosition
) -> AbstractContextManager[TraceScope]:
    """As `traced`, on the branch of the position."""
    return traced(credential, what, project=position.project, ref=position.ref)


def _branch(credential: Credential, project: str, ref: str) -> ChosenBranch | None:
    """Return the branch that is to be read; None: the default one."""
    if ref and not project:
        message = "Give the project that ref is a branch of, or leave ref out."
        raise InvalidError(message, code="ref_needs_project", errors={"project": [message]})
    return other_branch(credential, project=project, ref=ref) if ref else None


def _resolved_by(resolver: BatchResolver, *, is_counted: bool) -> list[ResolvedBy]:
    """Return by what the first repositories with an index are resolved."""
    rows = fetch_rows(_INDEXED, [resolver.repositories, resolver.without_index, _INDEXES_SHOWN])
    return [
        ResolvedBy(name, resolved_by(scip, languages), disagreements if is_counted else None)
        for name, scip, languages, disagreements in rows
    ]


def selected_definitions(
    scope: TraceScope, selector: SymbolSelector
) -> tuple[list[Definition], list[str]]:
    """Return the selected definitions by project and position, and the limit that they met.

    Raises NotFoundError for an unknown project, file or symbol.
    """
    repository = scope.named(selector.project) if selector.project else None
    wanted = DefinitionFilter(
        selector.symbol, repository.id if repository else 0, selector.file, selector.line
    )
    found = definitions_named(scope.resolver, wanted)
    if not found:
        raise _not_found(scope, selector, repository)
    names = {snapshot.id: snapshot.name for snapshot in scope.repositories.values()}
    found.sort(
        key=lambda definition: (
            definition.generated,
            names[definition.repository],
            definition.path,
            definition.start_line,
        )
    )
    return found[:MAX_DEFINITIONS], [_CUT_DEFINITIONS] if len(found) > MAX_DEFINITIONS else []


def has_file(scope: TraceScope, path: str, repository: RepositorySnapshot | None) -> bool:
    """Whether the repository, or any visible one, has the file."""
    ids = id_array([repository.id]) if repository else scope.resolver.repositories
    return bool(fetch_rows(_HAS_FILE, [ids, path]))


def require_file(scope: TraceScope, path: str, repository: RepositorySnapshot | None) -> None:
    """Raise NotFoundError unless the repository, or any visible one, has the file."""
    if not has_file(scope, path, repository):
        raise file_not_found()


def file_not_found() -> NotFoundError:
    """Return the error for a path that is not in the index."""
    return NotFoundError(
        "There is no such file in the index; check file: it is the path from the repository's "
        "root.",
        code="file_not_found",
    )


def _not_found(
    scope: TraceScope, selector: SymbolSelector, repository: RepositorySnapshot | None
) -> NotFoundError:
    if selector.file:
        require_file(scope, selector.file, repository)
    near = similar_names(selector.symbol, repositories=scope.resolver.repositories)
    narrowed = selector.project or selector.file or selector.line
    advice = (
        Sentence.of(
            "narrowed",
            "Leave out project, file and line to look everywhere, or write module:name.",
        )
        if narrowed
        else Sentence.of("near_names", "Check its spelling; near lists names that are alike.")
        if near
        else Sentence.of(
            "search_for_it", "Search for it, or see /api/v1/index/status for what is indexed."
        )
    )
    code = "symbol_not_found"
    fact = Sentence.of(
        code, "No definition has this name in the repositories that this credential sees."
    )
    skipped = skipped_sentence(
        id_array([repository.id]) if repository else scope.resolver.repositories, selector.file
    )
    sentences = [fact, skipped, advice] if skipped else [fact, advice]
    return NotFoundError(Sentence.joined(sentences), code=code, near=near)


SKIPPED_FILES_COUNTED: Final = 10_000  # that may define a name which a trace does not find
# What is at these paths is no text of the repository.
_WITHOUT_TEXT: Final = (SkipReason.SUBMODULE, SkipReason.SYMLINK)
_COUNTS = _sql("""SELECT skipped, count(*) FROM (
        SELECT f.skipped FROM {file} f
        WHERE f.repository_id = ANY(%s::bigint[]) AND f.skipped <> ''
            AND NOT f.skipped = ANY(%s::text[])
            AND substring(lower(f.path) FROM '[.][^./]*$') = ANY(%s::text[])
        LIMIT %s) AS found
    GROUP BY skipped ORDER BY count(*) DESC, skipped""")

_OF_FILE = _sql("""SELECT f.skipped FROM {file} f
    WHERE f.repository_id = ANY(%s::bigint[]) AND f.path = %s::text AND f.skipped <> ''
    LIMIT 1""")


def skipped_sentence(repositories: str, path: str = "") -> Sentence | None:
    """Return that the file is skipped, or else how many files may define a name and are skipped.

    `repositories` are ids as of `id_array`; `path` is "" if no file was named.
    """
    rows = fetch_rows(_OF_FILE, [repositories, path]) if path else []
    if rows:
        reason = SkipReason(rows[0][0]).sentence
        template = "This file is skipped, so nothing in it is known. {reason}"
        return Sentence.of("skipped_file", template, reason=reason)
    return _count_sentence(repositories)


def _count_sentence(repositories: str) -> Sentence | None:
    """Return how many files may define a name and are skipped, by reason; None for none."""
    reasons = [str(reason) for reason in _WITHOUT_TEXT]
    counts = fetch_rows(
        _COUNTS, [repositories, reasons, sorted(PARSED_SUFFIXES), SKIPPED_FILES_COUNTED]
    )
    total = sum(count for _, count in counts)
    if not total:
        return None
    return Sentence.of(
        "skipped_files",
        "{least}{count} {noun} of source code {verb} skipped and may define it: {reasons}.",
        least="At least " if total == SKIPPED_FILES_COUNTED else "",
        count=f"{total:,}",
        noun="file" if total == 1 else "files",
        verb="is" if total == 1 else "are",
        reasons=", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts),
    )
