"""Packages, their dependencies and files' modules, derived at apply. Needs a transaction.

While the manifests stay as they are, a run costs what its files do: only they are given a package
and names. When one is added, changed or removed, all of the repository's are derived again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final, NamedTuple

from central.corpus import models
from central.db import Row, columns_of, copy_into, copy_rows, execute, id_array, new_ids, sql_with
from indexer.bundle.decode import read_manifest
from indexer.ecosystems import PackageRoot, Workspace, ecosystem_of
from indexer.records.files import NAME_CHARACTERS
from indexer.records.manifests import Manifest
from indexer.records.references import MODULE_PATH_BYTES

PACKAGE_COPY: Final = copy_into(models.Package, "id", *columns_of(models.Package))
DEPENDENCY_COPY: Final = copy_into(models.Dependency)
_MODULE_COPY: Final = copy_into(models.Module)
_sql = sql_with(
    package=models.Package, dependency=models.Dependency, file=models.File, module=models.Module
)
_RENEW_PACKAGES: Final = _sql("""
            UPDATE {package} SET version = now.version, manifest = now.manifest
            FROM unnest(%s::bigint[], %s::text[], %s::text[]) AS now (id, version, manifest)
            WHERE {package}.id = now.id
            """)
_PLACE_FILES: Final = _sql("""
            UPDATE {file} SET package_id = now.package_id
            FROM unnest(%s::bigint[], %s::bigint[]) AS now (id, package_id)
            WHERE {file}.id = now.id
            """)
_DELETE_MODULES: Final = _sql(
    "DELETE FROM {module} USING {file} AS file"
    " WHERE {module}.file_id = file.id AND file.repository_id = %s"
)
DELETE_DEPENDENCIES: Final = _sql("DELETE FROM {dependency} WHERE package_id = ANY(%s::bigint[])")
DELETE_PACKAGES: Final = _sql("DELETE FROM {package} WHERE id = ANY(%s::bigint[])")


class ModuleFile(NamedTuple):
    """A file that is not skipped: the fields that its package and module names depend on."""

    id: int
    path: str
    language: str
    namespace: str
    package_id: int | None = None


class PackageKey(NamedTuple):
    """The identity of a package in its repository."""

    ecosystem: str
    root: str
    name: str


PackageIds = dict[PackageKey, int]


def refresh_packages(
    *,
    repository_id: int,
    manifests_changed: bool,
    regular_changed: bool,
    inserted: Sequence[ModuleFile],
    others: AbstractContextManager[Mapping[PackageKey, int]] | None = None,
) -> None:
    """Bring packages, modules and `File.package` up to date after files were replaced.

    `inserted` are new files, without a package or modules so far. `regular_changed`: another
    directory has an `__init__.py`, or one no longer. `others`, if there are other branches, is
    entered before what they share changes, and gives the ids of packages that they have.
    """
    if not manifests_changed and not regular_changed and not inserted:
        return
    workspace = read_workspace(repository_id)
    ids = stored_ids(repository_id)
    derived = {package_key(package): package for package in workspace.packages}
    is_same = not manifests_changed and not (regular_changed and workspace.depends_on_files)
    if is_same and ids.keys() == derived.keys():
        _place(repository_id, inserted, workspace, ids)
        return
    with others or nullcontext[Mapping[PackageKey, int]]({}) as known:
        execute(_DELETE_MODULES, [repository_id])
        execute(DELETE_DEPENDENCIES, [id_array(ids.values())])
        kept = _replace_packages(repository_id, ids, derived, known)
        copy_rows(
            DEPENDENCY_COPY,
            [(kept[key], *row) for key, own in derived.items() for row in dependency_rows(own)],
        )
        _place(repository_id, stored_files(repository_id), workspace, kept)
        gone = id_array(id_ for key, id_ in ids.items() if key not in derived)
        execute(DELETE_PACKAGES, [gone])


def read_workspace(repository_id: int) -> Workspace:
    """Read the manifests, of which all packages are derived."""
    return Workspace(_manifests(repository_id), lambda: _regular(repository_id))


def _manifests(repository_id: int) -> Iterator[tuple[str, Manifest]]:
    rows = models.Manifest.objects.filter(repository_id=repository_id).order_by("file__path")
    for path, data in rows.values_list("file__path", "data"):
        yield path, read_manifest(data, where=path)


def regular_packages(paths: Iterable[str]) -> set[str]:
    """Return the directories of those paths that are an `__init__.py`."""
    return {path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] == "__init__.py"}


def _regular(repository_id: int) -> set[str]:
    rows = models.File.objects.filter(repository_id=repository_id, path__endswith="__init__.py")
    return regular_packages(rows.values_list("path", flat=True).iterator())


def stored_ids(repository_id: int) -> PackageIds:
    """Return the ids of the packages."""
    rows = models.Package.objects.filter(repository_id=repository_id)
    return {
        PackageKey(ecosystem, root, name): id_
        for id_, ecosystem, root, name in rows.values_list("id", "ecosystem", "root", "name")
    }


def stored_files(repository_id: int) -> list[ModuleFile]:
    """Return the files that are not skipped."""
    rows = models.File.objects.filter(repository_id=repository_id, skipped="")
    return [
        ModuleFile(*row)
        for row in rows.values_list("id", "path", "language", "namespace", "package_id").iterator()
    ]


def package_key(package: PackageRoot) -> PackageKey:
    """Return its identity."""
    return PackageKey(package.ecosystem, package.root, package_name(package.name))


def package_name(name: str) -> str:
    """Return the name, or "" if a composed one is longer than its column."""
    return name if len(name) <= NAME_CHARACTERS else ""


def ids_of_new(keys: Iterable[PackageKey], known: Mapping[PackageKey, int]) -> PackageIds:
    """Return ids for new packages: those that other branches have for them, or new ones."""
    ids = {key: known[key] for key in keys if key in known}
    fresh = [key for key in keys if key not in known]
    return ids | dict(zip(fresh, new_ids(models.Package, len(fresh)), strict=True))


def _replace_packages(
    repository_id: int,
    ids: PackageIds,
    derived: dict[PackageKey, PackageRoot],
    known: Mapping[PackageKey, int],
) -> PackageIds:
    """Insert new packages and update the others; returns the ids of all."""
    new = ids_of_new([key for key in derived if key not in ids], known)
    copy_rows(
        PACKAGE_COPY,
        [(id_, repository_id, *package_row(derived[key])) for key, id_ in new.items()],
    )
    stay = [key for key in derived if key in ids]
    execute(
        _RENEW_PACKAGES,
        [
            id_array(ids[key] for key in stay),
            [derived[key].version for key in stay],
            [derived[key].manifest for key in stay],
        ],
    )
    return {key: ids[key] for key in stay} | new


def package_row(package: PackageRoot) -> Row:
    """Return its columns after the repository's id."""
    name = package_name(package.name)
    return package.ecosystem, name, package.version, package.root, package.manifest


def dependency_rows(package: PackageRoot) -> Iterator[Row]:
    """Yield the columns of its dependencies after the package's id."""
    for name, required, pinned, is_locked, alias in package.dependencies:
        if package_name(name):
            yield (package.ecosystem, name, required, pinned, is_locked, alias)


def _place(
    repository_id: int, files: Iterable[ModuleFile], workspace: Workspace, ids: PackageIds
) -> None:
    """Give files their package and their modules."""
    moved: list[tuple[int, int | None]] = []
    modules: list[Row] = []
    for file in files:
        place = place_of(file, workspace, ids)
        if place.package_id != file.package_id:
            moved.append((file.id, place.package_id))
        modules += ((repository_id, file.id, *module) for module in place.modules)
    execute(_PLACE_FILES, [[id_ for id_, _ in moved], [package_id for _, package_id in moved]])
    copy_rows(_MODULE_COPY, modules)


def ordered(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Put rows into one order, whatever their values are."""
    return tuple(sorted(rows, key=repr))


class FilePlace(NamedTuple):
    """The package of a file and its modules, as the columns after the file's id, in one order."""

    package_id: int | None
    modules: tuple[Row, ...]


def place_of(file: ModuleFile, workspace: Workspace, ids: Mapping[PackageKey, int]) -> FilePlace:
    """Return where a workspace has a file."""
    package = workspace.package_of(path=file.path, language=file.language)
    package_id = ids[package_key(package)] if package else None
    ecosystem = ecosystem_of(file.language)
    if ecosystem is None:
        return FilePlace(package_id, ())
    provider = workspace.provider_of(path=file.path, language=file.language)
    provider_id = ids[package_key(provider)] if provider else None
    names = workspace.module_names(path=file.path, language=file.language, namespace=file.namespace)
    modules = (
        (provider_id, ecosystem.value, name, public, scope)
        for name, public, scope in names
        if len(name.encode()) <= MODULE_PATH_BYTES  # no import can name a longer one
    )
    return FilePlace(package_id, ordered(modules))
