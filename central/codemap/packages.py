"""Packages of the visible repositories, and how they ask for one another."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from central.codemap.answers import Versions
from central.corpus.models import Dependency, Package
from central.db import fetch_rows, id_array, sql_with
from central.trace.links import is_older
from central.trace.request_scope import TraceScope
from central.trace.stored.package_imports import PackagePlace

_sql = sql_with(package=Package, dependency=Dependency)
_PACKAGES: Final = _sql("""SELECT p.id, p.repository_id, p.ecosystem, p.name, p.version, p.root,
        p.manifest
    FROM {package} p WHERE p.repository_id = ANY(%s::bigint[])""")
# What one package asks another one for, by manifest and lock file. One of its own repository goes
# before others of the name.
_ASKED: Final = _sql("""SELECT DISTINCT u.repository_id, u.id, p.repository_id, p.id, d.required,
        d.pinned
    FROM {dependency} d JOIN {package} u ON u.id = d.package_id
    JOIN {package} p ON p.name = d.name AND p.ecosystem = d.ecosystem AND p.id <> u.id
    WHERE NOT d.locked AND p.name <> ''
        AND (u.repository_id <> p.repository_id OR u.repository_id = %s::bigint)
        AND u.repository_id = ANY(%s::bigint[]) AND p.repository_id = ANY(%s::bigint[])
        AND (p.repository_id = u.repository_id OR NOT EXISTS (SELECT FROM {package} own
            WHERE own.repository_id = u.repository_id AND own.name = d.name
                AND own.ecosystem = d.ecosystem))
    ORDER BY 1, 2, 3, 4, 5, 6""")


class NamedPackage(NamedTuple):
    """A package by its manifest; "" is what that does not say."""

    repository: int
    ecosystem: str
    name: str
    version: str
    root: str
    manifest: str


class Requirement(NamedTuple):
    """A package asks for another one."""

    user: PackagePlace
    provider: PackagePlace
    versions: Versions


class Packages:
    """The packages of the repositories of a scope."""

    def __init__(self, scope: TraceScope) -> None:
        rows = fetch_rows(_PACKAGES, [scope.resolver.repositories])
        self._scope = scope
        self._found = {key: NamedPackage(*rest) for key, *rest in rows}

    def of(self, place: PackagePlace) -> NamedPackage | None:
        """Return the package; None for a project, and for what no manifest is about."""
        return self._found.get(place.package)

    def named(self, repository: int, name: str) -> frozenset[int]:
        """Return those of a repository that have this name or id."""
        return frozenset(
            key
            for key, package in self._found.items()
            if package.repository == repository
            and name in {package.name, self.id_of(PackagePlace(repository, key))}
        )

    def names(self, repository: int) -> list[str]:
        """Return the names of the packages of a repository."""
        found = {
            package.name for package in self._found.values() if package.repository == repository
        }
        return sorted(found - {""})

    def id_of(self, place: PackagePlace) -> str:
        """Return `project`, or `project/root#ecosystem:name`."""
        project = self._scope.repositories[place.repository].name
        package = self.of(place)
        if package is None:
            return project
        return f"{project}/{package.root}".rstrip("/") + f"#{package.ecosystem}:{package.name}"

    def requirements(self, *, inside: int, of: int = 0) -> Iterator[Requirement]:
        """Yield what manifests say; `inside` and `of` as in `uses`."""
        seen = self._scope.resolver.repositories
        rows = fetch_rows(_ASKED, [inside, seen, id_array([of]) if of else seen])
        for user, asking, provider, asked, required, pinned in rows:
            package = self._found[asked]
            lags = is_older(package.ecosystem, pinned=pinned, indexed=package.version)
            version = package.version or None
            yield Requirement(
                PackagePlace(user, asking),
                PackagePlace(provider, asked),
                Versions(package.name, required or None, pinned or None, version, lags),
            )
