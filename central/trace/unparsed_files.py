"""Files that a grammar understands only in part: whether an answer may lack what is in them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from aeterna_code_search.contract.trace import PartlyParsed, PartlyParsedFile
from central.corpus.models import File
from central.db import fetch_rows, fetch_rows_planned_each_time, id_array, sql_with
from central.repositories.models import Repository
from central.trace.edges import class_of
from central.trace.request_scope import TraceScope
from central.trace.resolve.definitions import Definition
from central.trace.resolve.questions import last_name
from indexer.ecosystems import ecosystem_of
from indexer.records.files import OTHER_NAMES
from indexer.records.languages import LANGUAGES

SAMPLE: Final = 20
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


def with_names(scope: TraceScope, definitions: Sequence[Definition]) -> PartlyParsed:
    """Return the partly parsed files; relevant are those that may use one of the definitions.

    Such a file has the name of one, or of a constructor's class, in what its grammar does not
    understand, or more names there than are stored.
    """
    classes = {last_name(key[1]) for definition in definitions if (key := class_of(definition))}
    names = sorted({definition.name for definition in definitions} | classes | {OTHER_NAMES})
    ecosystems = {ecosystem_of(definition.language) for definition in definitions}
    languages = sorted(language for language in LANGUAGES if ecosystem_of(language) in ecosystems)
    return _partly_parsed(scope, _WITH_NAMES, [names, scope.resolver.repositories, languages])


def inside(scope: TraceScope, definitions: Sequence[Definition]) -> PartlyParsed:
    """Return the partly parsed files; relevant are those with such lines in a definition."""
    files = id_array(definition.file for definition in definitions)
    spans = [
        [definition.start_line for definition in definitions],
        [definition.end_line for definition in definitions],
    ]
    return _partly_parsed(scope, _IN_DEFINITIONS, [files, *spans])


def both(file: PartlyParsed, other: PartlyParsed) -> PartlyParsed:
    """Return the files that are relevant to one of two questions."""
    relevant = list(dict.fromkeys([*file.relevant, *other.relevant]))[:SAMPLE]
    return PartlyParsed(file.count, file.sample, relevant)


def _partly_parsed(scope: TraceScope, relevant: str, parameters: Sequence[object]) -> PartlyParsed:
    counts = dict(fetch_rows(_COUNTS, [scope.resolver.repositories]))
    if not counts:
        return PartlyParsed()
    first = id_array(_with_sample(counts))
    return PartlyParsed(
        sum(counts.values()),
        _files(scope, fetch_rows(_FIRST, [first, SAMPLE])),
        _files(scope, fetch_rows_planned_each_time(relevant, [*parameters, SAMPLE])),
    )


def _with_sample(counts: Mapping[int, int]) -> Iterator[int]:
    """Yield the first repositories that have enough files together."""
    rest = SAMPLE
    for repository in sorted(counts):
        if rest <= 0:
            return
        rest -= counts[repository]
        yield repository


def _files(scope: TraceScope, rows: Iterable[tuple[int, str]]) -> list[PartlyParsedFile]:
    return [
        PartlyParsedFile(scope.repositories[repository].name, path) for repository, path in rows
    ]
