"""What a resolution depends on: questions of statements, their answers, and what may change them.

A resolution is the same as long as the answers to the questions of statements are, which it asked
(`BatchResolver.taken_rows`). So a stored edge needs nothing else than these questions with a digest
of each answer. Questions and answers name files by the ids of their paths, which outlive contents.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from hashlib import md5
from typing import Any, Final, NamedTuple
from zlib import crc32

from central.corpus.models import Export, File, Module, Package, Symbol
from central.db import fetch_rows, id_array, sql_with
from central.trace.resolve import sql
from central.trace.resolve.engine import Answer, Question
from central.trace.resolve.references import columns_of
from central.trace.resolve.statements import SPLIT_CLASSES
from central.trace.stored.models import Path
from indexer.records.references import ANY_DIRECTORY

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


# A name takes as much room as all else that identifies a question.
_NUMBERS: Final = {kind: crc32(kind.__name__.encode()) & 0x7FFF for kind in sql.STATEMENTS}
_KINDS: Final = {number: kind for kind, number in _NUMBERS.items()}
_ORDERED: Final = {kind for kind, (text, _) in sql.STATEMENTS.items() if "ORDER BY" in text}


class Recorded(NamedTuple):
    """A question of a statement as it is stored; `id` is its digest in its organisation."""

    id: int
    kind: int
    fields: str
    digest: int  # of the answer
    watches: tuple[int, ...]
    repositories: frozenset[int]  # those that the answer is read from


def number(kind: str, text: str) -> int:
    """Return a digest of 64 bits that fits a bigint, as NUMBER does in PostgreSQL."""
    digest = md5(f"{kind}:{text}".encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


# The same of a column, in SQL.
NUMBER: Final = "('x' || left(md5('{kind}:' || {text}), 16))::bit(64)::bigint"


class WatchedKind(StrEnum):
    """What may change an answer: a question watches the keys of such."""

    PATH = "path"  # what the file at a path says
    MODULE = "module"  # which files have a module of this name, and what they say
    NAME = "name"  # which files define, or pass something to, what has this name
    SYMBOL = "symbol"  # which definitions an index says that have this symbol
    MANIFESTS = "manifests"  # the packages of a repository and their dependencies
    DISTRIBUTION = "distribution"  # its packages, their dependencies and public modules
    C = "c"  # which files of C and C++ a repository has

    def key(self, watched: object) -> int:
        """Return the key of a path, name or repository; a distribution is `ecosystem:name`."""
        return number(self, str(watched))

    def key_of_column(self, text: str) -> str:
        """Return the key of a column, in SQL."""
        return NUMBER.format(kind=self, text=text)


def recorded(
    organization: int, question: Question, answer: Answer, surroundings: Surroundings
) -> Recorded:
    """Return a question with its answer as it is stored."""
    kind = _NUMBERS[type(question)]
    fields = json.dumps(_by_path(question, surroundings.paths), ensure_ascii=True)
    watches = sorted(set(_watches(question, answer, surroundings)))
    return Recorded(
        number("question", f"{organization}:{kind}:{fields}"),
        kind,
        fields,
        digest_of(type(question), answer, surroundings.paths),
        tuple(watches),
        frozenset(_repositories(question, answer, surroundings)),
    )


def is_of_file_alone(question: Any, file: int, around: Surroundings) -> bool:
    """Whether a file's content and surroundings decide the answer: no other change does."""
    is_own = getattr(question, "file", 0) == file
    is_spread = file in around.scopes or file in around.of_c
    return is_own and not (is_spread and isinstance(question, _SPREAD))


def asked(kind: int, fields: str, files: Mapping[int, int]) -> Question:
    """Return a stored question, of the files that are at its paths now: 0 where none is."""
    made = _by_path_id(kind, fields)
    file = getattr(made, "file", 0)
    return made._replace(file=files.get(file, 0)) if file else made  # type: ignore[no-any-return]


def path_in(kind: int, fields: str) -> int:
    """Return the id of the path that a stored question is about, or 0."""
    return int(getattr(_by_path_id(kind, fields), "file", 0))


def _by_path_id(kind: int, fields: str) -> Any:
    """Return a stored question as it is stored: its file is the id of a path."""
    return _KINDS[kind](*json.loads(fields))


def digest_of(kind: type, answer: Answer, paths: Mapping[int, int]) -> int:
    """Return the digest of an answer, in its order if the statement gives one.

    Of an import's line nothing else counts.
    """
    is_import = kind in {sql.Imports, sql.Wildcards}
    rows = [
        json.dumps(_by_path(row._replace(line=0) if is_import else row, paths)) for row in answer
    ]
    if kind not in _ORDERED:
        rows.sort()
    return number("answer", "\n".join(rows))


def _by_path(row: Any, paths: Mapping[int, int]) -> Any:
    file = getattr(row, "file", 0)
    return row._replace(file=paths[file]) if file else row


def _watches(question: Any, answer: Iterable[Any], around: Surroundings) -> Iterable[int]:
    for row in answer:
        if file := getattr(row, "file", 0):
            yield WatchedKind.PATH.key(around.paths[file])
    if file := getattr(question, "file", 0):
        yield WatchedKind.PATH.key(around.paths[file])
        if isinstance(question, _SPREAD):
            yield from map(WatchedKind.MODULE.key, around.scopes.get(file, ()))
            if file in around.of_c:
                yield WatchedKind.C.key(around.of_c[file])
                yield WatchedKind.NAME.key(question.name.rpartition(".")[2])
                rivals = around.rivals.get((file, question.name), ())
                yield from (WatchedKind.PATH.key(around.paths[rival]) for rival in rivals)
    if watches := _WATCHES.get(type(question)):
        yield from watches(question, around)


def _repositories(question: Any, answer: Iterable[Any], around: Surroundings) -> Iterable[int]:
    for row in (question, *answer):
        yield around.repositories.get(getattr(row, "file", 0), 0)
        yield around.packages.get(getattr(row, "package", 0), 0)
        yield getattr(row, "repository", 0)
    if isinstance(question, _OF_DISTRIBUTION):
        yield from around.distributions.get((question.ecosystem, question.distribution), ())


def _of_package(question: Any, around: Surroundings) -> list[int]:
    repository = around.packages.get(question.package)
    return [WatchedKind.MANIFESTS.key(repository)] if repository else []


def _distribution(question: Any) -> int:
    return WatchedKind.DISTRIBUTION.key(f"{question.ecosystem}:{question.distribution}")


# What other files of the scope, or of C, may say.
_SPREAD: Final = (sql.SameScopeDefinitions, sql.NamedBases)
_OF_DISTRIBUTION: Final = (sql.Required, sql.FirstNames, sql.ScipProviders, sql.InPackage)
_WATCHES: Final[dict[type, Callable[[Any, Surroundings], Iterable[int]]]] = {
    sql.Modules: lambda asked, _: [WatchedKind.MODULE.key(asked.name)],
    sql.Definitions: lambda asked, _: [WatchedKind.MODULE.key(asked.module)],
    sql.Exported: lambda asked, _: [WatchedKind.MODULE.key(asked.module)],
    sql.DefaultExports: lambda asked, _: [WatchedKind.MODULE.key(asked.module)],
    sql.PathEnds: lambda asked, _: [WatchedKind.MODULE.key(f"{ANY_DIRECTORY}{asked.end}")],
    sql.PassedRows: lambda asked, _: [WatchedKind.NAME.key(asked.called)],
    sql.Extensions: lambda asked, _: [WatchedKind.NAME.key(asked.name)],
    sql.TopLevel: lambda asked, _: [WatchedKind.NAME.key(asked.name)],
    sql.ScipDefinitions: lambda asked, _: [WatchedKind.SYMBOL.key(asked.symbol)],
    sql.ScipProviders: lambda asked, _: [
        WatchedKind.SYMBOL.key(asked.symbol),
        _distribution(asked),
    ],
    sql.InPackage: lambda asked, _: [
        WatchedKind.NAME.key(asked.name.rpartition(".")[2]),
        _distribution(asked),
    ],
    sql.SharedMembers: lambda asked, _: [WatchedKind.NAME.key(asked.name)],
    sql.Declared: _of_package,
    sql.RequirementOf: _of_package,
    sql.Required: lambda asked, _: [_distribution(asked)],
    sql.FirstNames: lambda asked, _: [_distribution(asked)],
}
