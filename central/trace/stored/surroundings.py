"""Paths of files, and what else decides what the watches of questions are."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from central.corpus.models import Export, File, Module, Package, Symbol
from central.db import fetch_rows, id_array, sql_with
from central.trace.resolve import sql
from central.trace.resolve.references import columns_of
from central.trace.resolve.statements import SPLIT_CLASSES
from central.trace.stored.models import Path

_sql = sql_with(
    path=Path,
    file=File,
    module=Module,
    package=Package,
    export=Export,
    symbol=Symbol,
    split_classes=SPLIT_CLASSES,
)
_PUT_PATHS: Final = _sql("""INSERT INTO {path} (repository_id, path)
    SELECT %s::bigint, path FROM unnest(%s::text[]) AS path
    ON CONFLICT (repository_id, path) DO UPDATE SET path = EXCLUDED.path
    RETURNING path, id""")
_PATHS_OF: Final = _sql("""SELECT f.id, f.repository_id, f.path, p.id
    FROM {file} f LEFT JOIN {path} p ON p.repository_id = f.repository_id AND p.path = f.path
    WHERE f.id = ANY(%s::bigint[])""")
_FILES_AT: Final = _sql("""SELECT p.id, f.id
    FROM {path} p JOIN {file} f ON f.repository_id = p.repository_id AND f.path = p.path
    WHERE p.id = ANY(%s::bigint[])""")
_SCOPES: Final = _sql("""SELECT m.file_id, array_agg(m.name) FROM {module} m
    WHERE m.file_id = ANY(%s::bigint[]) AND m.scope AND m.ecosystem IN {split_classes}
    GROUP BY m.file_id""")
_OF_C: Final = _sql("""SELECT DISTINCT m.file_id, m.repository_id FROM {module} m
    WHERE m.file_id = ANY(%s::bigint[]) AND m.ecosystem = 'none' AND starts_with(m.name, '/')""")
# Files that define what a file of C declares: while several are equally far, none is the answer.
_RIVALS: Final = _sql("""SELECT q.file, q.name, array_agg(DISTINCT s.file_id)
    FROM unnest(%s::bigint[], %s::text[]) AS q (file, name)
    JOIN {export} e ON e.file_id = q.file AND e.name = q.name AND e.path = q.name AND e.is_local
    JOIN {module} header ON header.file_id = q.file AND header.ecosystem = 'none'
        AND starts_with(header.name, '/')
    JOIN {symbol} s ON s.name = split_part(q.name, '.', -1) AND s.qualified_name = q.name
        AND s.repository_id = header.repository_id AND s.exported AND s.file_id <> q.file
    GROUP BY q.file, q.name""")
_OF_PACKAGES: Final = _sql("SELECT id, repository_id FROM {package} WHERE id = ANY(%s::bigint[])")
_OF_DISTRIBUTIONS: Final = _sql("""SELECT p.ecosystem, p.name, array_agg(DISTINCT p.repository_id)
    FROM unnest(%s::text[], %s::text[]) AS q (ecosystem, name)
    JOIN {package} p ON p.name = q.name AND p.ecosystem = q.ecosystem
    GROUP BY p.ecosystem, p.name""")


class Surroundings(NamedTuple):
    """Of files: the ids of their paths, their repositories, the scopes over which their classes may
    be spread, and the repository of those of C and C++. Of what these declare, and no other file
    defines for certain: the files that define it. Of packages: their repository. Of distributions,
    given by ecosystem and name: the repositories of their packages.
    """

    paths: Mapping[int, int]
    repositories: Mapping[int, int]
    scopes: Mapping[int, Sequence[str]]
    of_c: Mapping[int, int]
    rivals: Mapping[tuple[int, str], Sequence[int]]
    packages: Mapping[int, int]
    distributions: Mapping[tuple[str, str], Sequence[int]]


def surroundings(
    taken: Iterable[tuple[Any, Sequence[Any]]], files: Iterable[int] = ()
) -> Surroundings:
    """Return the surroundings of questions with their answers, and of further files."""
    named = set(files)
    declared = set()
    packages: set[int] = set()
    distributions = set()
    for question, answer in taken:
        named.update(getattr(row, "file", 0) for row in (question, *answer))
        packages.update(getattr(row, "package", 0) for row in (question, *answer))
        if isinstance(question, sql.SameScopeDefinitions) and not any(
            row.file != question.file for row in answer
        ):
            declared.add(question)
        if distribution := getattr(question, "distribution", ""):
            distributions.add((question.ecosystem, distribution))
    found = fetch_rows(_RIVALS, columns_of(sorted(declared))) if declared else []
    rivals = {(file, name): several for file, name, several in found}
    named.update(*rivals.values())
    ids = id_array(sorted(named - {0}))
    paths, repositories = _paths_of(ids)
    asked = columns_of(sorted(distributions))
    of_distributions = fetch_rows(_OF_DISTRIBUTIONS, asked) if distributions else []
    return Surroundings(
        paths,
        repositories,
        dict(fetch_rows(_SCOPES, [ids])),
        dict(fetch_rows(_OF_C, [ids])),
        rivals,
        dict(fetch_rows(_OF_PACKAGES, [id_array(packages - {0})])),
        {(ecosystem, name): several for ecosystem, name, several in of_distributions},
    )


def _paths_of(ids: str) -> tuple[dict[int, int], dict[int, int]]:
    """Return the ids of the paths of files, and the files' repositories."""
    found: dict[int, int] = {}
    repositories: dict[int, int] = {}
    missing: dict[int, dict[str, int]] = defaultdict(dict)
    for file, repository, text, path in fetch_rows(_PATHS_OF, [ids]):
        repositories[file] = repository
        if path:
            found[file] = path
        else:
            missing[repository][text] = file
    for repository, texts in missing.items():
        found |= {texts[text]: path for text, path in paths_for(repository, texts).items()}
    return found, repositories


def paths_for(repository: int, texts: Iterable[str]) -> dict[str, int]:
    """Return the ids of paths of a repository, which are made where they are new."""
    return dict(fetch_rows(_PUT_PATHS, [repository, list(texts)]))


def files_at(paths: Iterable[int]) -> dict[int, int]:
    """Return the files that are at these paths now."""
    return dict(fetch_rows(_FILES_AT, [id_array(set(paths) - {0})]))
