"""Receipts and hints: which commits answered, what is missing, and why nothing was found.

Files that a grammar understands only in part may hide something, and so may unread manifests.
"""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from aeterna_code_search.contract.projects import MissingProject
from aeterna_code_search.contract.trace import (
    Confidence,
    Elsewhere,
    PartlyParsed,
    PartlyParsedFile,
    TraceReceipt,
    UnreadManifest,
    Unresolved,
    UnresolvedSite,
)
from central.corpus.models import File
from central.db import fetch_rows, fetch_rows_planned_each_time, id_array, sql_with
from central.repositories.extractors import older_extractor
from central.repositories.models import Repository
from central.repositories.visibility import answering_projects, listed_missing
from central.sentences import Sentence
from central.trace import unread_manifests
from central.trace.callers import CallerTraversal
from central.trace.edges import MAX_UNRESOLVED, SAMPLE, Tally, class_of
from central.trace.request_scope import TraceScope
from central.trace.resolve.definitions import Definition
from central.trace.resolve.engine import limits_met
from central.trace.resolve.questions import last_name
from indexer.ecosystems import ecosystem_of
from indexer.records.files import OTHER_NAMES
from indexer.records.languages import LANGUAGES
from indexer.records.refs import short_name

_INSIDE: Final = "{count} {noun} in it {verb} of something unknown."
_BY_NAME: Final = (
    "{count} {noun} by that name {verb} of something unknown; min_confidence=low lists them."
)
_TYPES: Final = "Uses as a type are left out: kind=type lists those that an index of SCIP knows."
_UNREAD: Final = (
    "A manifest that could not be read whole may hide some: see receipt.unread_manifests."
)
_OLDER: Final = (
    "{count} {noun} in scope {verb} read by an older extractor, which may find less: see "
    "receipt.older_extractor."
)
_NO_MODELS: Final = (
    "Models of libraries are off in this organisation: what calls of a library give is unknown."
)
_ON_BRANCH: Final = (
    "{project} was read by its branch {branch}, all other projects by their default branches. What "
    "SCIP and stored commits know is of default branches: on {branch}, references are bound by "
    "rules alone, and last changes are left out."
)
LAST_PAGE: Final = "There are no more results; the page before was the last."


def missing_projects(
    scope: TraceScope, *, unknown: Iterable[str] = (), only: Collection[str] = ()
) -> list[MissingProject]:
    """Return the projects in scope whose part of the answer may be incomplete.

    `only`: the names of those that the answer is restricted to, if it is: without an index, no
    other one can be among it.
    """
    missing = [
        repository.missing(repository.incomplete_reason)
        for repository in scope.repositories.values()
        if repository.incomplete_reason
        and (repository.generation or (repository.name in only if only else repository.is_expected))
    ]
    missing += [MissingProject(name, "unknown_project") for name in unknown]
    return missing


def callers_receipt(
    scope: TraceScope,
    asked: Sequence[Definition],
    found: CallerTraversal,
    *,
    cut: Iterable[str] = (),
    caller_projects: Sequence[str] = (),
) -> TraceReceipt:
    """Build the receipt of the callers of what was asked."""
    return trace_receipt(
        scope,
        tally=found.first.tally,
        cut=[*cut, *sorted(found.cut)],
        partly_parsed=partly_parsed_with_names(scope, list(found.definitions.values())),
        unread=unread_manifests.of_callers(scope, asked, found.first.untargeted),
        unknown=scope.unknown(caller_projects),
        only=caller_projects,
    )


def trace_receipt(
    scope: TraceScope,
    *,
    tally: Tally,
    cut: Iterable[str] = (),
    partly_parsed: PartlyParsed | None = None,
    unread: Sequence[UnreadManifest] = (),
    unknown: Iterable[str] = (),
    only: Collection[str] = (),
) -> TraceReceipt:
    """Build the receipt; limits that resolution has met stand behind those that are given.

    It is complete if nothing is missing, no limit was met, and no partly parsed file and no unread
    manifest is relevant.
    """
    limits = [*cut, *limits_met(scope.resolver)]
    parsed = partly_parsed or PartlyParsed()
    missing = missing_projects(scope, unknown=unknown, only=only)
    listed, more = listed_missing(missing)
    sample = [
        UnresolvedSite(scope.repositories[s.repository].name, s.path, s.line, s.name)
        for s in tally.unresolved_sample[:SAMPLE]
    ]
    return TraceReceipt(
        complete=not (missing or limits or parsed.relevant or unread),
        took_ms=round((time.perf_counter() - scope.started) * 1000, 1),
        projects=answering_projects(scope.repositories.values()),
        missing=listed,
        missing_more=more,
        unresolved=Unresolved(
            min(tally.unresolved, MAX_UNRESOLVED), tally.unresolved > MAX_UNRESOLVED, sample
        ),
        elsewhere=Elsewhere(tally.elsewhere, tally.is_more_elsewhere),
        cut=limits,
        partly_parsed=parsed,
        unread_manifests=list(unread),
        older_extractor=older_extractor(
            repository
            for repository in scope.repositories.values()
            if not only or repository.name in only
        ),
        edges_behind=scope.edges_behind,
        resolved_by=scope.resolved_by,
        branches=_branches(scope),
    )


def _branches(scope: TraceScope) -> str:
    """Return which branch was read of which project, and what is not known of it; "" for none."""
    if not scope.on_branch:
        return ""
    repository = scope.repositories[scope.on_branch]
    return _ON_BRANCH.format(project=repository.name, branch=short_name(repository.ref))


def hint_for(
    scope: TraceScope,
    what: str,
    receipt: TraceReceipt,
    *,
    min_confidence: Confidence,
    has_projects: bool = False,
    has_kinds: bool = False,
) -> str:
    """Explain an empty answer; `what` is "callers", "callees" or "callers and callees".

    Unresolved references have the symbol's name; for callees they stand in its definitions.
    """
    reasons = []
    if receipt.unresolved.count and min_confidence > Confidence.LOW:
        reasons.append(_unresolved(what, receipt.unresolved.count))
    if min_confidence is Confidence.HIGH:
        template = "Only links of high confidence were requested; try min_confidence=medium."
        reasons.append(Sentence.of("only_surest", template))
    if has_kinds:
        reasons.append(Sentence.of("kinds_left_out", "kind leaves the other uses out."))
    elif receipt.resolved_by and what != "callees":
        reasons.append(Sentence.of("types_left_out", _TYPES))
    if has_projects:
        template = "caller_projects leaves the other projects out."
        reasons.append(Sentence.of("projects_left_out", template))
    reasons += _lacking(scope, receipt)
    template = "Nothing in what this credential sees is among its {what}."
    return Sentence.joined(reasons) or Sentence.of("none_visible", template, what=what)


def _unresolved(what: str, count: int) -> Sentence:
    noun, verb = ("reference", "is") if count == 1 else ("references", "are")
    kind = ("unresolved_inside", _INSIDE) if what == "callees" else ("unresolved", _BY_NAME)
    return Sentence.of(*kind, count=count, noun=noun, verb=verb)


def _lacking(scope: TraceScope, receipt: TraceReceipt) -> Iterator[Sentence]:
    """Yield what the organisation's index or settings do not have."""
    if missing := len(receipt.missing) + receipt.missing_more:
        noun = "project" if missing == 1 else "projects"
        template = "{count} {noun} in scope may lack something: see receipt.missing."
        yield Sentence.of("may_lack", template, count=missing, noun=noun)
    if receipt.unread_manifests:
        yield Sentence.of("unread_manifests", _UNREAD)
    if older := receipt.older_extractor.count:
        noun, verb = ("project", "was") if older == 1 else ("projects", "were")
        yield Sentence.of("older_extractor", _OLDER, count=older, noun=noun, verb=verb)
    if not scope.uses_models:
        yield Sentence.of("models_off", _NO_MODELS)


PARTLY_PARSED_SHOWN: Final = 20
_ECOSYSTEMS: Final = {language: ecosystem_of(language) for language in LANGUAGES}
_sql = sql_with(file=File, repository=Repository)
_COUNTS = _sql("""SELECT id, partly_parsed FROM {repository}
    WHERE id = ANY(%s::bigint[]) AND partly_parsed > 0""")
_FIRST = _sql("""SELECT f.repository_id, f.path FROM {file} f
    WHERE f.repository_id = ANY(%s::bigint[]) AND f.unparsed IS NOT NULL
    ORDER BY f.repository_id, f.path LIMIT %s""")
_WITH_NAMES = _sql("""SELECT f.repository_id, f.path FROM {file} f
    WHERE f.unparsed_names && %s::text[] AND f.unparsed_names IS NOT NULL
        AND f.repository_id = ANY(%s::bigint[]) AND f.language = ANY(%s::text[])
    ORDER BY f.repository_id, f.path LIMIT %s""")
_IN_DEFINITIONS = _sql("""SELECT DISTINCT f.repository_id, f.path
    FROM unnest(%s::bigint[], %s::int[], %s::int[]) AS one(file, first, last)
    JOIN {file} f ON f.id = one.file
    CROSS JOIN LATERAL jsonb_array_elements(f.unparsed) AS part
    WHERE f.unparsed IS NOT NULL
        AND (part->>0)::int <= one.last AND (part->>1)::int >= one.first
    ORDER BY f.repository_id, f.path LIMIT %s""")


def partly_parsed_with_names(scope: TraceScope, definitions: Sequence[Definition]) -> PartlyParsed:
    """Return the partly parsed files; relevant are those that may use one of the definitions.

    Such a file has the name of one, or of a constructor's class, in what its grammar does not
    understand, or more names there than are stored.
    """
    classes = {last_name(key[1]) for definition in definitions if (key := class_of(definition))}
    names = sorted({definition.name for definition in definitions} | classes | {OTHER_NAMES})
    ecosystems = {_ECOSYSTEMS.get(definition.language) for definition in definitions}
    languages = sorted(
        language for language, ecosystem in _ECOSYSTEMS.items() if ecosystem in ecosystems
    )
    return _partly_parsed(scope, _WITH_NAMES, [names, scope.resolver.repositories, languages])


def partly_parsed_inside(scope: TraceScope, definitions: Sequence[Definition]) -> PartlyParsed:
    """Return the partly parsed files; relevant are those with such lines in a definition."""
    files = id_array(definition.file for definition in definitions)
    spans = [
        [definition.start_line for definition in definitions],
        [definition.end_line for definition in definitions],
    ]
    return _partly_parsed(scope, _IN_DEFINITIONS, [files, *spans])


def both_partly_parsed(file: PartlyParsed, other: PartlyParsed) -> PartlyParsed:
    """Return the files that are relevant to one of two questions."""
    relevant = list(dict.fromkeys([*file.relevant, *other.relevant]))[:PARTLY_PARSED_SHOWN]
    return PartlyParsed(file.count, file.sample, relevant)


def _partly_parsed(scope: TraceScope, relevant: str, parameters: Sequence[object]) -> PartlyParsed:
    counts = dict(fetch_rows(_COUNTS, [scope.resolver.repositories]))
    if not counts:
        return PartlyParsed()
    first = id_array(_with_sample(counts))
    return PartlyParsed(
        sum(counts.values()),
        _files(scope, fetch_rows(_FIRST, [first, PARTLY_PARSED_SHOWN])),
        _files(scope, fetch_rows_planned_each_time(relevant, [*parameters, PARTLY_PARSED_SHOWN])),
    )


def _with_sample(counts: Mapping[int, int]) -> Iterator[int]:
    """Yield the first repositories that have enough files together."""
    rest = PARTLY_PARSED_SHOWN
    for repository in sorted(counts):
        if rest <= 0:
            return
        rest -= counts[repository]
        yield repository


def _files(scope: TraceScope, rows: Iterable[tuple[int, str]]) -> list[PartlyParsedFile]:
    return [
        PartlyParsedFile(scope.repositories[repository].name, path) for repository, path in rows
    ]
