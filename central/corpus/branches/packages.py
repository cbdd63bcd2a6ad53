"""Packages on branches beside the default one, and the files whose package or modules differ.

A branch has rows of its own for each package that the default branch has otherwise, and a row with
its negative key for one that it lacks. A file whose package or modules differ is another file.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, NamedTuple
from uuid import UUID

from central.corpus.branches.rows import copy_files, points_of
from central.corpus.branches.scope import ChosenBranch, on_branches
from central.corpus.branches.tables import BRANCH_COLUMN, IN_OTHERS, OTHERS
from central.corpus.models import Dependency, File, Module, Package
from central.corpus.packages import (
    DELETE_DEPENDENCIES,
    DELETE_PACKAGES,
    DEPENDENCY_COPY,
    PACKAGE_COPY,
    FilePlace,
    PackageKey,
    dependency_rows,
    ids_of_new,
    ordered,
    package_key,
    package_row,
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
_OF_BRANCH: Final = {BRANCH_COLUMN: "bigint"}
_COPY: Final = copy_into(Package, "id", *columns_of(Package), schema=OTHERS, last=_OF_BRANCH)
_COPY_DEPENDENCIES: Final = copy_into(Dependency, schema=OTHERS, last=_OF_BRANCH)
_MODULES: Final = _sql("""SELECT file_id, package_id, ecosystem, name, public, scope FROM {module}
    WHERE file_id = ANY(%s::bigint[])""")
_SHARED: Final = _sql("""SELECT id, package_id, branches & %s::int FROM {file}
    WHERE repository_id = %s AND skipped = '' AND branches & %s::int <> 0""")
_OF_ONE_BRANCH: Final = _sql(
    "SELECT id FROM {others}{file} WHERE id = ANY(%s::bigint[]) AND branches = %s::int"
)
_PLACE: Final = _sql(
    "UPDATE {others}{file} file SET package_id = now.package_id"
    " FROM unnest(%s::bigint[], %s::bigint[]) AS now (id, package_id) WHERE file.id = now.id"
)
_DELETE_MODULES: Final = _sql("DELETE FROM {others}{module} WHERE file_id = ANY(%s::bigint[])")
_MODULE_COPY: Final = copy_into(Module, schema=OTHERS)
_OWN_PACKAGES: Final = _sql(
    "SELECT id, {of} FROM {others}{package} WHERE repository_id = %s AND branch_id = %s"
)
_OWN_DEPENDENCIES: Final = _sql(
    "SELECT package_id, {asks} FROM {others}{dependency} WHERE package_id IN ("
    "SELECT id FROM {others}{package} WHERE repository_id = %s) AND branch_id = %s"
)
_OF_FILE: Final = _sql("SELECT id, repository_id FROM {others}{file} WHERE id = ANY(%s::bigint[])")


class _Package(NamedTuple):
    """The columns of a package after the repository's id, and of its dependencies."""

    row: Row
    dependencies: tuple[Row, ...]


def _known_ids(repository_id: int) -> dict[PackageKey, int]:
    """Return the ids of packages that branches beside the default one have."""
    rows = fetch_rows(_KNOWN, [repository_id])
    return {PackageKey(*key): id_ for *key, id_ in rows}


def _stored(repository_id: int) -> dict[int, _Package]:
    """Read the packages of the default branch."""
    asked = [repository_id]
    return _packages(fetch_rows(_PACKAGES, asked), fetch_rows(_DEPENDENCIES, asked))


def _packages(rows: Iterable[Row], dependencies: Iterable[Row]) -> dict[int, _Package]:
    asked = _by_first(dependencies)
    return {id_: _Package(tuple(row), ordered(asked.get(id_, ()))) for id_, *row in rows}


def _by_first(rows: Iterable[Row]) -> dict[int, list[Row]]:
    """Return what follows the first columns, which are ids, by these."""
    found: dict[int, list[Row]] = {}
    for id_, *row in rows:
        found.setdefault(id_, []).append(tuple(row))
    return found


def _derived(package: PackageRoot) -> _Package:
    return _Package(package_row(package), ordered(dependency_rows(package)))


def _places(files: Mapping[int, int | None]) -> dict[int, FilePlace]:
    """Read where the files of a package each are."""
    modules = _by_first(fetch_rows(_MODULES, [id_array(files)]))
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
            _known_ids(key) | stored_ids(key),
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
    copy_rows(_COPY, packages)
    copy_rows(_COPY_DEPENDENCIES, dependencies)


def _put_places(moved: Mapping[int, FilePlace], bit: int) -> list[UUID]:
    """Put files of a branch where they belong: one that others share is copied first."""
    if not moved:
        return []
    own = {file for (file,) in fetch_rows(_OF_ONE_BRANCH, [id_array(moved), bit])}
    copies = copy_files([file for file in moved if file not in own], bit)
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


def delete_packages(repository_id: int, branch: int) -> None:
    """Delete what a branch has of its own, by the key of `Branch`."""
    execute(_DELETE_DEPENDENCIES, [repository_id, branch])
    execute(_DELETE, [repository_id, branch])


@contextmanager
def swap_packages(repository_id: int, branch: int) -> Iterator[None]:
    """Let the default branch and another exchange their packages.

    Inside, the packages of both are there: files of the other one become the default branch's.
    """
    with others_keep_packages(repository_id, 0, []):
        asked = [repository_id, branch]
        own = _packages(fetch_rows(_OWN_PACKAGES, asked), fetch_rows(_OWN_DEPENDENCIES, asked))
        lacked = {id_ for id_, *_ in fetch_rows(_OWN_PACKAGES, [repository_id, -branch])}
        delete_packages(repository_id, branch)
        execute(DELETE_DEPENDENCIES, [id_array(own.keys() | lacked)])
        execute(DELETE_PACKAGES, [id_array(own)])
        copy_rows(
            PACKAGE_COPY, ((id_, repository_id, *package.row) for id_, package in own.items())
        )
        copy_rows(
            DEPENDENCY_COPY,
            ((id_, *row) for id_, package in own.items() for row in package.dependencies),
        )
        yield
        execute(DELETE_PACKAGES, [id_array(lacked)])


@contextmanager
def others_keep_packages(
    repository_id: int, bits: int, unstored: list[UUID]
) -> Iterator[Mapping[PackageKey, int]]:
    """Inside, packages and places of the default branch may change: other branches keep theirs.

    `bits` are those of the branches. Yields the ids of packages that they have; `unstored` gains
    the points of files that are copied for them.
    """
    packages, places = _stored(repository_id), _shared_places(repository_id, bits)
    yield _known_ids(repository_id)
    _keep_packages(repository_id, packages)
    _keep_places(repository_id, bits, places, unstored)


def _keep_packages(repository_id: int, before: Mapping[int, _Package]) -> None:
    after = _stored(repository_id)
    own = {*fetch_rows(_OWN, [repository_id])}
    changed = {id_ for id_ in before.keys() | after.keys() if before.get(id_) != after.get(id_)}
    branches = Branch.objects.filter(repository=repository_id)
    for branch in branches.values_list("pk", flat=True):
        shared = {id_ for id_ in changed if (branch, id_) not in own}
        kept = {id_: before[id_] for id_ in shared & before.keys()}
        lacked = {id_: after[id_] for id_ in shared - before.keys()}
        _insert(repository_id, [(branch, kept), (-branch, lacked)])


def _keep_places(
    repository_id: int,
    bits: int,
    before: Mapping[int, tuple[FilePlace, int]],
    unstored: list[UUID],
) -> None:
    by_bits: dict[int, dict[int, FilePlace]] = {}
    for file, (place, shared) in _shared_places(repository_id, bits).items():
        if file in before and before[file][0] != place:
            by_bits.setdefault(shared, {})[file] = before[file][0]
    for own, moved in by_bits.items():
        copies = copy_files(list(moved), own)
        _write_places({copies[file]: place for file, place in moved.items()})
        unstored += points_of(copies.values())


def _shared_places(repository_id: int, bits: int) -> dict[int, tuple[FilePlace, int]]:
    """Return place and other branches of the files that the default branch shares."""
    rows = fetch_rows(_SHARED, [bits, repository_id, bits])
    places = _places({file: package_id for file, package_id, _ in rows})
    return {file: (places[file], shared) for file, _, shared in rows}
