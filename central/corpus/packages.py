"""Packages, their dependencies and files' modules, derived at apply. Needs a transaction.

While the manifests stay as they are, a run costs what its files do: only they are given a package
and names. When one is added, changed or removed, all of the repository's are derived again.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from central.corpus import models
from central.db import Row, columns_of, copy_into, copy_rows, execute, id_array, new_ids, sql_with
from indexer.bundle.decode import read_manifest
from indexer.ecosystems import PackageRoot, Workspace, ecosystem_of
from indexer.records.files import NAME_CHARACTERS
from indexer.records.manifests import Manifest
from indexer.records.references import MODULE_PATH_BYTES

_PACKAGE_COPY: Final = copy_into(models.Package, "id", *columns_of(models.Package))
_DEPENDENCY_COPY: Final = copy_into(models.Dependency)
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
_DELETE_DEPENDENCIES: Final = _sql("DELETE FROM {dependency} WHERE package_id = ANY(%s::bigint[])")
_DELETE_PACKAGES: Final = _sql("DELETE FROM {package} WHERE id = ANY(%s::bigint[])")


class ModuleFile(NamedTuple):
    """A file that is not skipped: the fields that its package and module names depend on."""

    id: int
    path: str
    language: str
    namespace: str
    package_id: int | None = None


class _Key(NamedTuple):
    """The identity of a package in its repository."""

    ecosystem: str
    root: str
    name: str


_Ids = dict[_Key, int]


def refresh_packages(
    *,
    repository_id: int,
    manifests_changed: bool,
    regular_changed: bool,
    inserted: Sequence[ModuleFile],
) -> None:
    """Bring packages, modules and `File.package` up to date after files were replaced.

    `inserted` are new files, without a package or modules so far. `regular_changed`: another
    directory has an `__init__.py`, or one no longer.
    """
    if not manifests_changed and not regular_changed and not inserted:
        return
    workspace = Workspace(_manifests(repository_id), lambda: _regular(repository_id))
    ids = _stored_ids(repository_id)
    derived = {_key(package): package for package in workspace.packages}
    is_same = not manifests_changed and not (regular_changed and workspace.depends_on_files)
    if is_same and ids.keys() == derived.keys():
        _place(repository_id, inserted, workspace, ids)
        return
    execute(_DELETE_MODULES, [repository_id])
    execute(_DELETE_DEPENDENCIES, [id_array(ids.values())])
    kept = _replace_packages(repository_id, ids, derived)
    _insert_dependencies(kept, derived)
    _place(repository_id, _stored_files(repository_id), workspace, kept)
    gone = id_array(id_ for key, id_ in ids.items() if key not in derived)
    execute(_DELETE_PACKAGES, [gone])


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


def _stored_ids(repository_id: int) -> _Ids:
    rows = models.Package.objects.filter(repository_id=repository_id)
    return {
        _Key(ecosystem, root, name): id_
        for id_, ecosystem, root, name in rows.values_list("id", "ecosystem", "root", "name")
    }


def _stored_files(repository_id: int) -> list[ModuleFile]:
    rows = models.File.objects.filter(repository_id=repository_id, skipped="")
    return [
        ModuleFile(*row)
        for row in rows.values_list("id", "path", "language", "namespace", "package_id").iterator()
    ]


def _key(package: PackageRoot) -> _Key:
    return _Key(package.ecosystem, package.root, _name(package.name))


def _name(name: str) -> str:
    """Return the name, or "" if a composed one is longer than its column."""
    return name if len(name) <= NAME_CHARACTERS else ""


def _replace_packages(repository_id: int, ids: _Ids, derived: dict[_Key, PackageRoot]) -> _Ids:
    """Insert new packages and update the others; returns the ids of all."""
    fresh = [key for key in derived if key not in ids]
    new = dict(zip(fresh, new_ids(models.Package, len(fresh)), strict=True))
    copy_rows(
        _PACKAGE_COPY,
        [_package_row(repository_id, id_, derived[key]) for key, id_ in new.items()],
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


def _package_row(repository_id: int, id_: int, package: PackageRoot) -> Row:
    return (
        id_,
        repository_id,
        package.ecosystem,
        _name(package.name),
        package.version,
        package.root,
        package.manifest,
    )


def _insert_dependencies(ids: _Ids, derived: dict[_Key, PackageRoot]) -> None:
    copy_rows(
        _DEPENDENCY_COPY,
        [
            (ids[key], package.ecosystem, name, required, pinned, is_locked, alias)
            for key, package in derived.items()
            for name, required, pinned, is_locked, alias in package.dependencies
            if _name(name)
        ],
    )


def _place(
    repository_id: int, files: Iterable[ModuleFile], workspace: Workspace, ids: _Ids
) -> None:
    """Give files their package and their modules."""
    moved: list[tuple[int, int | None]] = []
    modules: list[Row] = []
    for file in files:
        package = workspace.package_of(path=file.path, language=file.language)
        package_id = ids[_key(package)] if package else None
        if package_id != file.package_id:
            moved.append((file.id, package_id))
        provider = workspace.provider_of(path=file.path, language=file.language)
        provider_id = ids[_key(provider)] if provider else None
        modules += _module_rows(repository_id, file, provider_id, workspace)
    execute(_PLACE_FILES, [[id_ for id_, _ in moved], [package_id for _, package_id in moved]])
    copy_rows(_MODULE_COPY, modules)


def _module_rows(
    repository_id: int, file: ModuleFile, package_id: int | None, workspace: Workspace
) -> Iterator[Row]:
    ecosystem = ecosystem_of(file.language)
    if ecosystem is None:
        return
    names = workspace.module_names(path=file.path, language=file.language, namespace=file.namespace)
    for name, public, scope in names:
        if len(name.encode()) <= MODULE_PATH_BYTES:  # no import can name a longer one
            yield (repository_id, file.id, package_id, ecosystem, name, public, scope)
