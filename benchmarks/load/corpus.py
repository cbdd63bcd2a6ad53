"""What the clients ask about: two organisations with repositories, kept between runs."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psycopg

from benchmarks import tracing
from benchmarks.resource_usage import opened_database
from scripts.browsing import create_person
from scripts.examples import example_repositories
from scripts.local_service import Organization, Service

LARGE, SMALL = "acme", "globex"
SYMBOLS = 400
POPULAR = 20
FILES = 200
EXAMPLES = 3
_KEPT = "load.json"  # written when everything is indexed

_TOTALS = """SELECT (SELECT count(*) FROM corpus_chunk), (SELECT count(*) FROM corpus_reference)"""
_FROM_FILES = """FROM corpus_file f
    JOIN repositories_repository r ON r.id = f.repository_id
    JOIN tenancy_organization o ON o.id = r.organization_id"""
_FROM_SYMBOLS = f"""{_FROM_FILES} JOIN corpus_symbol s ON s.file_id = f.id
    WHERE o.slug = %s AND s.kind IN ('function', 'method', 'class') AND s.name NOT LIKE '\\_%%'"""
_SYMBOLS = f"""SELECT r.name, s.name {_FROM_SYMBOLS} ORDER BY md5(f.path || s.name) LIMIT %s"""
_POPULAR = f"""SELECT s.name {_FROM_SYMBOLS}
    GROUP BY s.name ORDER BY count(*) DESC, s.name LIMIT %s"""
_FILES = f"""SELECT r.name, f.path {_FROM_FILES}
    WHERE o.slug = %s AND f.skipped = '' AND f.content <> '' ORDER BY md5(f.path) LIMIT %s"""


@dataclass(frozen=True)
class Size:
    """How many repositories are made; they are indexed until there are so many rows.

    Without `repositories`, the first EXAMPLES of examples/ are indexed.
    """

    chunks: int = 0
    references: int = 0
    repositories: int = 0
    service_bytes: int = 0  # of source in each repository of a service


@dataclass(frozen=True)
class Tenant:
    """One organisation with a member, and what its clients ask about."""

    slug: str
    token: str
    symbols: list[list[str]]  # project and name
    popular: list[str]  # names that most files define
    files: list[list[str]]  # project and path

    @property
    def member(self) -> str:
        """The name of a person who may sign in."""
        return member_of(self.slug)


class DataError(Exception):
    """A data directory cannot be used; the message says why."""


def check_data(data_dir: Path, size: Size) -> None:
    """Raise DataError unless it is new or empty, or has a whole index of this size."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        is_new = not any(data_dir.iterdir())
    except OSError as exc:
        raise DataError(f"{data_dir}: {exc.strerror}; name a directory that you can write") from exc
    if is_new:
        return
    try:
        kept = json.loads((data_dir / _KEPT).read_text(encoding="utf-8"))["size"]
    except (OSError, ValueError, TypeError, LookupError):
        message = f"{data_dir} has no complete index of this version"
        raise DataError(f"{message}; delete it or name another directory") from None
    if kept != asdict(size):
        raise DataError(f"{data_dir} has the index of another profile; name another directory")


def prepare(service: Service, size: Size) -> list[Tenant]:
    """Index both organisations, or read what an earlier run has kept in the data directory."""
    kept = service.data_dir / _KEPT
    if not kept.exists():
        tenants = [asdict(one) for one in _fill(service, size)]
        content = {"size": asdict(size), "tenants": tenants}
        kept.write_text(json.dumps(content), encoding="utf-8")
    content = json.loads(kept.read_text(encoding="utf-8"))
    return [Tenant(**one) for one in content["tenants"]]


def member_of(slug: str) -> str:
    """The user name of the member of an organisation."""
    return "ada" if slug == LARGE else f"ada-{slug}"


def totals(service: Service) -> tuple[int, int]:
    """Chunks and references of all organisations."""
    with opened_database(service) as database:
        row = database.execute(_TOTALS).fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)


def _fill(service: Service, size: Size) -> Iterator[Tenant]:
    small, *large = _repositories(service.data_dir / "repositories", size)
    organizations = [
        Organization(service, slug, service.create_organization(slug)) for slug in (LARGE, SMALL)
    ]
    organizations[1].index(small, small.name)
    _index_until(organizations[0], large, size)
    for one in organizations:
        create_person(service, member_of(one.slug), "--organization", one.slug)
    with opened_database(service) as database:
        database.execute("VACUUM ANALYZE")
        for one in organizations:
            yield _tenant(database, one)


def _repositories(directory: Path, size: Size) -> list[Path]:
    if not size.repositories:
        return list(example_repositories(directory).values())[:EXAMPLES]
    return tracing.build(directory, count=size.repositories, service_bytes=size.service_bytes)


def _index_until(acme: Organization, repositories: Sequence[Path], size: Size) -> None:
    """Services first, then the libraries that they use."""
    for repository in sorted(repositories, key=lambda path: "service-" not in path.name):
        acme.index(repository, repository.name)
        chunks, references = totals(acme.service)
        print(f"{repository.name}: {chunks:,} chunks, {references:,} references", flush=True)
        if size.chunks and chunks >= size.chunks and references >= size.references:
            return


def _tenant(database: "psycopg.Connection[Any]", one: Organization) -> Tenant:
    def rows(statement: str, limit: int) -> list[list[str]]:
        return [list(row) for row in database.execute(statement, [one.slug, limit]).fetchall()]

    return Tenant(
        slug=one.slug,
        token=one.token,
        symbols=rows(_SYMBOLS, SYMBOLS),
        popular=[name for (name,) in rows(_POPULAR, POPULAR)],
        files=rows(_FILES, FILES),
    )
