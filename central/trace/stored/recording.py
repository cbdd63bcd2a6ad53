"""What a resolution depends on: questions of statements, their answers, and what may change them.

A resolution is the same as long as the answers to the questions of statements are, which it asked
(`BatchResolver.taken_rows`). So a stored edge needs nothing else than these questions with a digest
of each answer. Questions and answers name files by the ids of their paths, which outlive contents.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from hashlib import md5
from typing import Any, Final, NamedTuple
from zlib import crc32

from central.trace.resolve import sql
from central.trace.resolve.engine import Answer, Question
from central.trace.stored.surroundings import Surroundings
from indexer.records.references import ANY_DIRECTORY

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
