"""Dependencies that a package imports under another name: npm's aliases, Cargo's `package`.

A row's alias is the local name. With npm one that ends in "/" begins paths, and what follows a
space is the part of the package that it means: `#db/ lib` for `"#db/*": "@acme/db/lib/*"`.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from central.corpus.models import Dependency, Package
from central.db import fetch_rows, id_array, sql
from central.trace.resolve.ecosystems import is_standard
from central.trace.resolve.engine import BatchResolver, RuleGenerator
from central.trace.resolve.sql import FileContext, FirstNames, Requirement
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
    found = [
        _renamed(context.ecosystem, path, rows)
        for (context, path), rows in zip(paths, declared, strict=True)
    ]
    asked = [
        FirstNames(context.ecosystem, one.name)
        for (context, _), one in zip(paths, found, strict=True)
        if one and context.ecosystem != Ecosystem.NPM
    ]
    answers = iter((yield asked) if asked else ())
    return [
        _real(context.ecosystem, path, one, answers) if one else []
        for (context, path), one in zip(paths, found, strict=True)
    ]


def _real(
    ecosystem: str, path: str, one: Requirement, answers: Iterator[Sequence[tuple[str]]]
) -> list[RealPath]:
    if ecosystem == Ecosystem.NPM:
        local, meant = _npm_names(one)
        return [RealPath(one.name, meant + path[len(local) :])]
    _, dot, rest = path.partition(".")
    return [RealPath(one.name, f"{first}{dot}{rest}") for (first,) in next(answers)]


def _renamed(ecosystem: str, path: str, declared: Sequence[Requirement]) -> Requirement | None:
    """Return the dependency with which the path begins, the nearest one, if it is renamed."""
    if path.startswith("/") or not any(row.alias for row in declared):
        return None
    if is_standard(ecosystem, path):
        return None
    if ecosystem == Ecosystem.NPM:
        named = [row for row in declared if _begins(path, _npm_names(row)[0])]
        first = max(named, key=lambda row: len(_npm_names(row)[0]), default=None)
    else:
        name = path.partition(".")[0]
        first = next((row for row in declared if _crate(row.alias or row.name) == name), None)
    return first if first and first.alias else None


def _npm_names(row: Requirement) -> tuple[str, str]:
    """Return the beginning of a path as it is imported, and as the package has it."""
    local, _, part = row.alias.partition(" ")
    meant = f"{row.name}/{part}" if part else row.name
    return local or row.name, f"{meant}/" if local.endswith("/") else meant


def _begins(path: str, local: str) -> bool:
    return path.startswith(local) and (local[-1:] == "/" or path[len(local) :][:1] in "/.")


def _crate(name: str) -> str:
    return name.replace("-", "_")


def renamed_imports(
    resolver: BatchResolver, modules: Iterable[tuple[int, str]]
) -> list[tuple[int, str]]:
    """Return (repository, path) of imports by which renamed dependencies name the modules.

    `modules` are (package, path), where the path may go on with names.
    """
    asked = sorted({one for one in modules if one[0]})
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
    local, meant = _npm_names(row)
    return local + path[len(meant) :] if _begins(path, meant) else ""
