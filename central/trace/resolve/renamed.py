"""Dependencies that a package imports under another name: npm's aliases, Cargo's `package`.

A row's alias is the local name; for npm's see `indexer.ecosystems.local_names`.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from central.corpus.models import Dependency, Package
from central.db import fetch_rows, id_array, sql
from central.trace.resolve.ecosystems import is_standard
from central.trace.resolve.engine import BatchResolver, RuleGenerator
from central.trace.resolve.sql import FileContext, FirstNames, Requirement
from indexer.ecosystems import local_names
from indexer.records.manifests import Ecosystem

# OFFSET 0: by key for each package; few of the dependencies on it are renamed.
_RENAMED = sql(
    """SELECT DISTINCT q.n, u.repository_id, p.ecosystem, p.name, d.alias
    FROM unnest(%s::int[], %s::bigint[]) AS q (n, package)
    JOIN {package} p ON p.id = q.package AND p.name <> ''
    CROSS JOIN LATERAL (SELECT * FROM {dependency}
        WHERE name = p.name AND ecosystem = p.ecosystem AND alias <> '' OFFSET 0) AS d
    JOIN {package} u ON u.id = d.package_id
    WHERE u.repository_id = ANY(%s::bigint[])""",
    package=Package,
    dependency=Dependency,
)
# Bounds of the repository of `q`, which is any if it is 0: a condition for an index.
IN_REPOSITORY: Final = """q.repository
    AND CASE q.repository WHEN 0 THEN 9223372036854775807 ELSE q.repository END"""


class RealPath(NamedTuple):
    """An import path as the distribution that it begins with has it."""

    distribution: str
    path: str


def real_paths(
    paths: Sequence[tuple[FileContext, str]], declared: Sequence[Sequence[Requirement]]
) -> RuleGenerator[list[list[RealPath]]]:
    """Return for each path what it means if it begins with a renamed dependency; else nothing."""
    renamed = [
        rows if _may_be_renamed(context, path, rows) else ()
        for (context, path), rows in zip(paths, declared, strict=True)
    ]
    crates = [
        None if context.ecosystem == Ecosystem.NPM else _renamed_crate(path, rows)
        for (context, path), rows in zip(paths, renamed, strict=True)
    ]
    asked = [
        FirstNames(context.ecosystem, name)
        for (context, _), name in zip(paths, crates, strict=True)
        if name
    ]
    answers = iter((yield asked) if asked else ())
    return [
        _of_npm(path, rows)
        if context.ecosystem == Ecosystem.NPM
        else _of_crate(path, name, next(answers))
        if name
        else []
        for (context, path), rows, name in zip(paths, renamed, crates, strict=True)
    ]


def _may_be_renamed(context: FileContext, path: str, declared: Sequence[Requirement]) -> bool:
    """Whether the path need be compared with each dependency; it seldom need be."""
    if path.startswith("/") or not any(row.alias for row in declared):
        return False
    return not is_standard(context.ecosystem, path)


def _of_npm(path: str, declared: Sequence[Requirement]) -> list[RealPath]:
    found = local_names.inline_path(path) or local_names.real_path(
        path, ((row.name, row.alias) for row in declared)
    )
    return [RealPath(*found)] if found else []


def _of_crate(path: str, name: str, firsts: Sequence[tuple[str]]) -> list[RealPath]:
    _, dot, rest = path.partition(".")
    return [RealPath(name, f"{first}{dot}{rest}") for (first,) in firsts]


def _renamed_crate(path: str, declared: Sequence[Requirement]) -> str | None:
    """Return the dependency with which the path begins, the nearest one, if it is renamed."""
    first = path.partition(".")[0]
    found = next((row for row in declared if _crate(row.alias or row.name) == first), None)
    return found.name if found and found.alias else None


def _crate(name: str) -> str:
    return name.replace("-", "_")


def renamed_imports(
    resolver: BatchResolver, modules: Iterable[tuple[int, str]]
) -> list[tuple[int, str]]:
    """Return (repository, path) of imports by which renamed dependencies name the modules.

    `modules` are (package, path), where the path may go on with names.
    """
    asked = sorted({module for module in modules if module[0]})
    if not asked:
        return []
    packages = sorted({package for package, _ in asked})
    columns = [id_array(range(len(packages))), id_array(packages), resolver.repositories]
    rows = fetch_rows(_RENAMED, columns)
    return [
        (repository, local)
        for number, repository, ecosystem, name, alias in rows
        for package, path in asked
        if package == packages[number]
        and (local := _imported_as(ecosystem, path, Requirement(name, "", "", alias)))
    ]


def _imported_as(ecosystem: str, path: str, row: Requirement) -> str:
    """Return the path as a package imports it that renames the dependency; "" if it does not."""
    if path.startswith("/"):
        return ""
    if ecosystem != Ecosystem.NPM:
        _, dot, rest = path.partition(".")
        return f"{_crate(row.alias)}{dot}{rest}"
    local, meant = local_names.local_and_meant(row.name, row.alias)
    return local + path[len(meant) :] if local_names.begins(path, meant) else ""
