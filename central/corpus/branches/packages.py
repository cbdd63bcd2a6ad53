"""Packages on branches beside the default one, and the files whose package or modules differ.

A branch has rows of its own for each package that the default branch has otherwise, and a row with
its negative key for one that it lacks. A file whose package or modules differ is another file.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final, NamedTuple, Self
from uuid import UUID

from central.corpus.branches.rows import copy_files, points_of
from central.corpus.branches.scope import ChosenBranch, on_branches
from central.corpus.branches.tables import IN_OTHERS, OTHERS
from central.corpus.models import Dependency, File, Module, Package
from central.corpus.packages import (
    FilePlace,
    PackageKey,
    dependency_rows,
    ids_of_new,
    ordered,
    package_key,
    package_name,
    place_of,
    read_workspace,
    stored_files,
    stored_ids,
)
from central.db import (
    Row,
    columns_of,
    copy_into,
    copy_rows,
    execute,
    fetch_rows,
    id_array,
    sql_with,
)
from central.repositories.models import Branch
from indexer.ecosystems import PackageRoot

_sql = sql_with(
    file=File,
    module=Module,
    package=Package,
    dependency=Dependency,
    branch=Branch,
    others=IN_OTHERS,
    of=", ".join(f'"{name}"' for name in columns_of(Package, without="repository_id")),
    asks=", ".join(f'"{name}"' for name in columns_of(Dependency, without="package_id")),
)
_PACKAGES: Final = _sql("SELECT id, {of} FROM {package} WHERE repository_id = %s")
_DEPENDENCIES: Final = _sql("""SELECT package_id, {asks} FROM {dependency}
    WHERE package_id IN (SELECT id FROM {package} WHERE repository_id = %s)""")
_KNOWN: Final = _sql(
    "SELECT ecosystem, root, name, id FROM {others}{package}"
    " WHERE repository_id = %s AND branch_id > 0"
)
_OWN: Final = _sql(
    "SELECT DISTINCT abs(branch_id), id FROM {others}{package} WHERE repository_id = %s"
)
_DELETE_DEPENDENCIES: Final = _sql(
    "DELETE FROM {others}{dependency} WHERE package_id IN ("
    "SELECT id FROM {others}{package} WHERE repository_id = %s) AND branch_id = %s"
)
_DELETE: Final = _sql(
    "DELETE FROM {others}{package} WHERE repository_id = %s AND abs(branch_id) = %s"
)
_COPY: Final = _sql(
    "INSERT INTO {others}{package} (id, repository_id, {of}, branch_id)"
    " SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::text[],"
    " %s::text[], %s::text[], %s::bigint[])"
)
_COPY_DEPENDENCIES: Final = _sql(
    "INSERT INTO {others}{dependency} (package_id, {asks}, branch_id)"
    " SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[],"
    " %s::bool[], %s::text[], %s::bigint[])"
)
_MODULES: Final = _sql("""SELECT file_id, package_id, ecosystem, name, public, scope FROM {module}
    WHERE file_id = ANY(%s::bigint[])""")
_SHARED: Final = _sql("""SELECT id, package_id, branches & %s::int FROM {file}
    WHERE repository_id = %s AND skipped = '' AND branches & %s::int <> 0""")
_BITS_OF_DEFAULT: Final = _sql("SELECT id, -1 FROM {file} WHERE id = ANY(%s::bigint[])")
_BITS_OF_OTHERS: Final = _sql(
    "SELECT id, branches FROM {others}{file} WHERE id = ANY(%s::bigint[])"
)
_PLACE: Final = _sql(
    "UPDATE {others}{file} file SET package_id = now.package_id"
    " FROM unnest(%s::bigint[], %s::bigint[]) AS now (id, package_id) WHERE file.id = now.id"
)
_DELETE_MODULES: Final = _sql("DELETE FROM {others}{module} WHERE file_id = ANY(%s::bigint[])")
_MODULE_COPY: Final = copy_into(Module, schema=OTHERS)
_OWN_PACKAGES: Final = _sql(
    "SELECT id, branch_id, {of} FROM {others}{package}"
    " WHERE repository_id = %s AND abs(branch_id) = %s"
)
_OWN_DEPENDENCIES: Final = _sql(
    "SELECT package_id, {asks} FROM {others}{dependency} WHERE package_id IN ("
    "SELECT id FROM {others}{package} WHERE repository_id = %s) AND branch_id = %s"
)
_PUT_DEFAULT: Final = _sql(
    "INSERT INTO {package} (id, repository_id, {of}) SELECT * FROM unnest(%s::bigint[],"
    " %s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[])"
    " ON CONFLICT (id) DO UPDATE SET version = EXCLUDED.version, manifest = EXCLUDED.manifest"
)
_DELETE_DEFAULT_DEPENDENCIES: Final = _sql(
    "DELETE FROM {dependency} WHERE package_id = ANY(%s::bigint[])"
)
_DELETE_DEFAULT: Final = _sql("DELETE FROM {package} WHERE id = ANY(%s::bigint[])")
_DEPENDENCY_COPY: Final = copy_into(Dependency)
_BRANCHES: Final = _sql("SELECT id FROM {branch} WHERE repository_id = %s")


class _Package(NamedTuple):
    """The columns of a package after the repository's id, and of its dependencies."""

    row: Row
    dependencies: tuple[Row, ...]


def known_ids(repository_id: int) -> dict[PackageKey, int]:
    """Return the ids of packages that branches beside the default one have."""
    rows = fetch_rows(_KNOWN, [repository_id])
    return {PackageKey(*key): id_ for *key, id_ in rows}


def _stored(repository_id: int) -> dict[int, _Package]:
    """Read the packages of the branch that is chosen."""
    dependencies: dict[int, list[Row]] = {}
    for package_id, *row in fetch_rows(_DEPENDENCIES, [repository_id]):
        dependencies.setdefault(package_id, []).append(tuple(row))
    return {
        id_: _Package(tuple(row), ordered(dependencies.get(id_, ())))
        for id_, *row in fetch_rows(_PACKAGES, [repository_id])
    }


def _derived(package: PackageRoot) -> _Package:
    name = package_name(package.name)
    row = (package.ecosystem, name, package.version, package.root, package.manifest)
    return _Package(row, ordered(dependency_rows(package)))


def _places(files: Mapping[int, int | None]) -> dict[int, FilePlace]:
    """Read where the files of a package each are."""
    modules: dict[int, list[Row]] = {}
    for file, *row in fetch_rows(_MODULES, [id_array(files)]):
        modules.setdefault(file, []).append(tuple(row))
    return {
        file: FilePlace(package_id, ordered(modules.get(file, ())))
        for file, package_id in files.items()
    }


def refresh_packages_of_branch(
    chosen: ChosenBranch, *, is_same: bool, placed: Collection[int]
) -> list[UUID]:
    """Bring packages, modules and `File.package` of a branch up to date.

    Returns points that are not in the store. `is_same`: no manifest of it has changed, and only the
    files `placed` may be in another place.
    """
    key = chosen.repository_id
    with on_branches([chosen]):
        workspace = read_workspace(key)
        ids = stored_ids(key)
        derived = {package_key(package): package for package in workspace.packages}
        is_same = is_same and ids.keys() == derived.keys()
        files = [file for file in stored_files(key) if not is_same or file.id in placed]
        places = _places({file.id: file.package_id for file in files})
    if not is_same:
        ids |= ids_of_new(
            [package for package in derived if package not in ids],
            known_ids(key) | stored_ids(key),
        )
        wanted = {ids[package]: _derived(root) for package, root in derived.items()}
        _put_packages(chosen, wanted, _stored(key))
    now = {file.id: place_of(file, workspace, ids) for file in files}
    return _put_places(
        {file: place for file, place in now.items() if place != places[file]}, chosen.bits
    )


def _put_packages(
    chosen: ChosenBranch, wanted: Mapping[int, _Package], default: Mapping[int, _Package]
) -> None:
    """Store the packages that differ from those of the default branch, and no others."""
    delete_packages(chosen.repository_id, chosen.key)
    own = {id_: package for id_, package in wanted.items() if default.get(id_) != package}
    lacked = {id_: package for id_, package in default.items() if id_ not in wanted}
    _insert(chosen.repository_id, [(chosen.key, own), (-chosen.key, lacked)])


def _insert(repository_id: int, rows: Iterable[tuple[int, Mapping[int, _Package]]]) -> None:
    """Insert packages by the key of their branch; of those that it lacks, without dependencies."""
    packages: list[Row] = []
    dependencies: list[Row] = []
    for branch, own in rows:
        for id_, package in own.items():
            packages.append((id_, repository_id, *package.row, branch))
            if branch > 0:
                dependencies += ((id_, *row, branch) for row in package.dependencies)
    if packages:
        execute(_COPY, _columns(packages))
    if dependencies:
        execute(_COPY_DEPENDENCIES, _columns(dependencies))


def _columns(rows: list[Row]) -> list[Any]:
    return [list(column) for column in zip(*rows, strict=True)]


def _put_places(moved: Mapping[int, FilePlace], bit: int) -> list[UUID]:
    """Put files of a branch where they belong: one that others share is copied first."""
    if not moved:
        return []
    asked = [id_array(moved)]
    has = dict(fetch_rows(_BITS_OF_DEFAULT, asked) + fetch_rows(_BITS_OF_OTHERS, asked))
    copies = copy_files([file for file in moved if has[file] != bit], bit)
    _write_places({copies.get(file, file): place for file, place in moved.items()})
    return points_of(copies.values())


def _write_places(places: Mapping[int, FilePlace]) -> None:
    """Write the places of files that the default branch lacks."""
    execute(_PLACE, [list(places), [place.package_id for place in places.values()]])
    execute(_DELETE_MODULES, [id_array(places)])
    rows = fetch_rows(_OF_FILE, [id_array(places)])
    copy_rows(
        _MODULE_COPY,
        ((repository, file, *row) for file, repository in rows for row in places[file].modules),
    )


_OF_FILE: Final = _sql("SELECT id, repository_id FROM {others}{file} WHERE id = ANY(%s::bigint[])")


def delete_packages(repository_id: int, branch: int) -> None:
    """Delete what a branch has of its own, by the key of `Branch`."""
    execute(_DELETE_DEPENDENCIES, [repository_id, branch])
    execute(_DELETE, [repository_id, branch])


@contextmanager
def swap_packages(repository_id: int, branch: int) -> Iterator[None]:
    """Let the default branch and another exchange their packages.

    Inside, the packages of both are there: files of the other one become the default branch's.
    """
    with OtherPackages(repository_id, 0, []):
        before = _stored(repository_id)
        own, lacked = _own_packages(repository_id, branch)
        delete_packages(repository_id, branch)
        execute(_DELETE_DEFAULT_DEPENDENCIES, [id_array(own.keys() | lacked)])
        new = [(id_, repository_id, *package.row) for id_, package in own.items()]
        if new:
            execute(_PUT_DEFAULT, _columns(new))
        copy_rows(
            _DEPENDENCY_COPY,
            ((id_, *row) for id_, package in own.items() for row in package.dependencies),
        )
        yield
        execute(_DELETE_DEFAULT, [id_array(lacked & before.keys())])


def _own_packages(repository_id: int, branch: int) -> tuple[dict[int, _Package], set[int]]:
    """Read the packages that a branch has otherwise, and those of the default one it lacks."""
    dependencies: dict[int, list[Row]] = {}
    for package_id, *row in fetch_rows(_OWN_DEPENDENCIES, [repository_id, branch]):
        dependencies.setdefault(package_id, []).append(tuple(row))
    own: dict[int, _Package] = {}
    lacked: set[int] = set()
    for id_, of, *row in fetch_rows(_OWN_PACKAGES, [repository_id, branch]):
        if of < 0:
            lacked.add(id_)
        else:
            own[id_] = _Package(tuple(row), ordered(dependencies.get(id_, ())))
    return own, lacked


class OtherPackages:
    """Around what changes packages and places of the default branch: other branches keep theirs.

    `unstored` gains the points of files that are copied for them.
    """

    def __init__(self, repository_id: int, bits: int, unstored: list[UUID]) -> None:
        self._repository_id, self._bits, self._unstored = repository_id, bits, unstored

    @property
    def known(self) -> Mapping[PackageKey, int]:
        """The ids of packages that other branches have."""
        return known_ids(self._repository_id)

    def __enter__(self) -> Self:
        self._packages = _stored(self._repository_id)
        self._files = _shared(self._repository_id, self._bits)
        self._places = _places({file: place for file, (place, _) in self._files.items()})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._keep_packages()
            self._keep_places()

    def _keep_packages(self) -> None:
        before, after = self._packages, _stored(self._repository_id)
        own = {*fetch_rows(_OWN, [self._repository_id])}
        changed = {id_ for id_ in before.keys() | after.keys() if before.get(id_) != after.get(id_)}
        for (branch,) in fetch_rows(_BRANCHES, [self._repository_id]):
            shared = {id_ for id_ in changed if (branch, id_) not in own}
            kept = {id_: before[id_] for id_ in shared & before.keys()}
            lacked = {id_: after[id_] for id_ in shared - before.keys()}
            _insert(self._repository_id, [(branch, kept), (-branch, lacked)])

    def _keep_places(self) -> None:
        files = _shared(self._repository_id, self._bits)
        now = _places({file: place for file, (place, _) in files.items()})
        by_bits: dict[int, dict[int, FilePlace]] = {}
        for file, place in self._places.items():
            if file in now and now[file] != place:
                by_bits.setdefault(files[file][1], {})[file] = place
        for bits, moved in by_bits.items():
            copies = copy_files(list(moved), bits)
            _write_places({copies[file]: place for file, place in moved.items()})
            self._unstored += points_of(copies.values())


def _shared(repository_id: int, bits: int) -> dict[int, tuple[int | None, int]]:
    """Return package and other branches of the files that the default branch shares."""
    rows = fetch_rows(_SHARED, [bits, repository_id, bits])
    return {file: (package_id, shared) for file, package_id, shared in rows}
