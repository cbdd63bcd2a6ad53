"""Packages, dependencies and modules follow the files and manifests of their repository."""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection, transaction

from central.corpus.models import Dependency, File, Module, Package
from central.corpus.replace import Replacement
from central.corpus.rows import RunContext, encode_files
from central.repositories.models import Repository
from indexer.records.extractors import Extractor
from indexer.records.files import FileRecord, SkipReason
from indexer.records.manifests import OWN_FILE, Ecosystem, Manifest, Pin
from indexer.records.manifests import Dependency as Asked
from tests.central.factories import RepositoryFactory
from tests.central.protocol import file_record, skipped_record

pytestmark = pytest.mark.django_db

AUTH = Manifest(
    Ecosystem.PYPI, name="acme-auth", version="2.1.0", dependencies=(Asked("acme-common", ">=1"),)
)


def code(path: str) -> FileRecord:
    """A Python file with a reference, an import and an export."""
    return file_record(path, f"call()  # {path}\n")


def manifest(path: str, said: Manifest) -> FileRecord:
    return replace(file_record(path, f"{said}\n"), language="toml", manifest=said)


def lock_file(*pins: Pin) -> FileRecord:
    said = Manifest(Ecosystem.PYPI, pins=pins)
    return replace(skipped_record("uv.lock", SkipReason.LOCK_FILE), manifest=said)


def apply(
    repository: Repository, *records: FileRecord, removed: tuple[str, ...] = ()
) -> Replacement:
    """What an applied run does to the corpus."""
    replaced = Replacement(repository.pk)
    with transaction.atomic():
        replaced.remove_files([*(record.path for record in records), *removed])
        context = RunContext(repository.pk, uuid.uuid4(), Extractor("extractor-1"))
        replaced.insert_files([encode_files(context, records)], {})
        replaced.finish()
    return replaced


def rows_of(repository: Repository) -> Mapping[str, list[str]]:
    """Every row of the corpus that is the repository's, with the place where it is kept."""
    conditions = {
        "corpus_dependency": "package_id IN (SELECT id FROM corpus_package WHERE repository_id=%s)",
        "corpus_trigramposting": "segment_id IN "
        "(SELECT id FROM corpus_trigramsegment WHERE repository_id=%s)",
    }
    rows: dict[str, list[str]] = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table.startswith("corpus_"):
                condition = conditions.get(table, "repository_id = %s")
                cursor.execute(
                    f"SELECT t.ctid::text || t.xmin::text || t::text FROM {table} t"  # noqa: S608
                    f" WHERE {condition} ORDER BY 1",
                    [repository.pk],
                )
                rows[table] = [row[0] for row in cursor.fetchall()]
    return rows


def modules_of(repository: Repository) -> dict[str, set[tuple[str, bool]]]:
    found: dict[str, set[tuple[str, bool]]] = {}
    for module in Module.objects.filter(repository=repository).select_related("file"):
        found.setdefault(module.file.path, set()).add((module.name, module.public))
    return found


def packages_by_path(repository: Repository) -> dict[str, str | None]:
    rows = File.objects.filter(repository=repository)
    return dict(rows.values_list("path", "package__name"))


def derived(repository: Repository) -> dict[str, Any]:
    """All that is derived, without ids."""
    return {
        "packages": sorted(
            Package.objects.filter(repository=repository).values_list(
                "ecosystem", "name", "version", "root", "manifest"
            )
        ),
        "dependencies": sorted(
            Dependency.objects.filter(package__repository=repository).values_list(
                "package__name", "name", "required", "pinned", "locked"
            )
        ),
        "modules": modules_of(repository),
        "files": packages_by_path(repository),
    }


@pytest.fixture
def repository() -> Repository:
    return RepositoryFactory.create()


def test_a_manifest_makes_a_package_with_its_dependencies(repository: Repository) -> None:
    apply(repository, manifest("pyproject.toml", AUTH), code("src/acme_auth/api.py"))
    package = Package.objects.get()
    assert (package.name, package.version, package.root) == ("acme-auth", "2.1.0", "")
    assert Dependency.objects.get().required == ">=1"
    assert packages_by_path(repository)["src/acme_auth/api.py"] == "acme-auth"
    assert ("acme_auth.api", True) in modules_of(repository)["src/acme_auth/api.py"]


def test_without_a_manifest_files_have_modules_of_their_own_repository(
    repository: Repository,
) -> None:
    apply(repository, code("acme_auth/api.py"))
    assert packages_by_path(repository) == {"acme_auth/api.py": None}
    names = modules_of(repository)["acme_auth/api.py"]
    assert ("/acme_auth.api", False) in names
    assert not any(public for _, public in names)


def test_a_manifest_that_comes_later_places_the_files_that_were_there(
    repository: Repository,
) -> None:
    apply(repository, code("acme_auth/api.py"))
    apply(repository, manifest("pyproject.toml", AUTH))
    assert packages_by_path(repository)["acme_auth/api.py"] == "acme-auth"
    assert ("acme_auth.api", True) in modules_of(repository)["acme_auth/api.py"]


def test_a_manifest_that_goes_takes_package_and_public_names_along(repository: Repository) -> None:
    apply(repository, manifest("pyproject.toml", AUTH), code("acme_auth/api.py"))
    apply(repository, removed=("pyproject.toml",))
    assert not Package.objects.exists()
    assert not Dependency.objects.exists()
    assert packages_by_path(repository) == {"acme_auth/api.py": None}
    assert not Module.objects.filter(public=True).exists()


def test_a_renamed_package_keeps_nothing_of_its_old_name(repository: Repository) -> None:
    apply(repository, manifest("pyproject.toml", AUTH), code("acme_auth/api.py"))
    apply(repository, manifest("pyproject.toml", replace(AUTH, name="acme-identity")))
    assert Package.objects.get().name == "acme-identity"
    assert packages_by_path(repository)["acme_auth/api.py"] == "acme-identity"


def test_a_nested_package_takes_the_files_below_it(repository: Repository) -> None:
    kit = replace(AUTH, name="acme-kit", dependencies=())
    apply(
        repository,
        manifest("pyproject.toml", AUTH),
        manifest("kit/pyproject.toml", kit),
        code("acme_auth/api.py"),
        code("kit/acme_kit/api.py"),
    )
    packages = packages_by_path(repository)
    assert packages["acme_auth/api.py"] == "acme-auth"
    assert packages["kit/acme_kit/api.py"] == "acme-kit"


def test_a_lock_file_pins_what_the_package_asks_for(repository: Repository) -> None:
    apply(repository, manifest("pyproject.toml", AUTH), lock_file(Pin("acme-common", "1.4.2")))
    assert Dependency.objects.get().pinned == "1.4.2"
    apply(repository, lock_file(Pin("acme-common", "1.5.0")))
    assert Dependency.objects.get().pinned == "1.5.0"
    apply(repository, removed=("uv.lock",))
    assert Dependency.objects.get().pinned == ""


def test_a_lock_file_s_other_packages_are_locked(repository: Repository) -> None:
    pins = (Pin("acme-common", "1.4.2"), Pin("acme-base", "3.0"))
    apply(repository, manifest("pyproject.toml", AUTH), lock_file(*pins))
    rows = Dependency.objects.values_list("name", "required", "pinned", "locked")
    assert sorted(rows) == [("acme-base", "", "3.0", True), ("acme-common", ">=1", "1.4.2", False)]


def test_a_package_that_stays_keeps_its_row(repository: Repository) -> None:
    apply(repository, manifest("pyproject.toml", AUTH), code("acme_auth/api.py"))
    before = Package.objects.get().pk
    apply(repository, manifest("pyproject.toml", replace(AUTH, version="3.0.0")))
    after = Package.objects.get()
    assert (after.pk, after.version) == (before, "3.0.0")


def test_steps_end_where_one_run_does(repository: Repository) -> None:
    kit = manifest("kit/pyproject.toml", replace(AUTH, name="acme-kit"))
    last = [manifest("pyproject.toml", AUTH), kit, code("acme_auth/api.py"), code("kit/k.py")]
    apply(repository, code("acme_auth/api.py"), manifest("pyproject.toml", kit.manifest or AUTH))
    apply(repository, code("kit/k.py"), code("gone.py"))
    apply(repository, kit)
    apply(repository, code("acme_auth/api.py"), removed=("gone.py",))
    apply(repository, manifest("pyproject.toml", AUTH))
    afresh = RepositoryFactory.create()
    apply(afresh, *last)
    assert derived(repository) == derived(afresh)


def test_without_a_manifest_in_the_run_only_its_files_are_touched(repository: Repository) -> None:
    apply(repository, manifest("pyproject.toml", AUTH), code("acme_auth/a.py"), code("b.py"))
    before = rows_of(repository)
    del before["corpus_termstat"]  # which count the terms of all files
    apply(repository, code("c.py"))
    after = rows_of(repository)
    assert all(set(before[table]) <= set(after[table]) for table in before)
    assert len(after["corpus_module"]) > len(before["corpus_module"])


def test_re_indexing_touches_no_row_of_another_repository(repository: Repository) -> None:
    other = RepositoryFactory.create(organization=repository.organization)
    for one in (other, repository):
        apply(one, manifest("pyproject.toml", AUTH), lock_file(), code("acme_auth/api.py"))
    before = rows_of(other)
    assert all(before[f"corpus_{name}"] for name in _TRACED)
    apply(repository, code("acme_auth/api.py"), code("acme_auth/new.py"))
    apply(repository, manifest("pyproject.toml", replace(AUTH, name="renamed")))
    apply(repository, removed=("pyproject.toml", "acme_auth/api.py", "uv.lock"))
    assert rows_of(other) == before


_TRACED = (
    "file", "chunk", "symbol", "import", "export", "reference", "manifest", "package",
    "dependency", "module",
)  # fmt: skip


def test_counters_and_rows_go_with_their_file(repository: Repository) -> None:
    assert apply(repository, code("a.py"), code("b.py")).references == 2
    assert apply(repository, removed=("a.py",)).references == -1
    rows = rows_of(repository)
    for table in ("corpus_import", "corpus_export", "corpus_reference"):
        assert len(rows[table]) == 1
    assert modules_of(repository).keys() == {"b.py"}


def test_a_skipped_file_has_no_module(repository: Repository) -> None:
    apply(repository, skipped_record("acme_auth/gen_pb2.py", SkipReason.GENERATED))
    assert not Module.objects.exists()


def test_a_deleted_repository_leaves_no_row_and_takes_none_of_another(
    repository: Repository,
) -> None:
    other = RepositoryFactory.create()
    for one in (other, repository):
        apply(one, manifest("pyproject.toml", AUTH), lock_file(), code("acme_auth/api.py"))
    gone, before = repository.pk, rows_of(other)
    repository.delete()
    assert rows_of(other) == before
    repository.pk = gone
    assert not any(rows_of(repository).values())


def test_packages_that_the_manifests_no_longer_give_are_derived_anew(
    repository: Repository,
) -> None:
    """As after an upgrade of central, when no manifest has changed."""
    apply(repository, manifest("pyproject.toml", AUTH), code("acme_auth/api.py"))
    Package.objects.update(name="acme-as-it-was-derived-once")
    apply(repository, code("other.py"))
    assert set(packages_by_path(repository).values()) == {"acme-auth", None}
    assert Package.objects.get().name == "acme-auth"


def test_a_script_that_asks_for_packages_is_one_of_its_own(repository: Repository) -> None:
    said = Manifest(Ecosystem.PYPI, settings=(OWN_FILE,))
    script = replace(code("acme_auth/tool.py"), manifest=said)
    apply(repository, manifest("pyproject.toml", AUTH), code("acme_auth/a.py"))
    apply(repository, script)
    assert packages_by_path(repository)["acme_auth/tool.py"] == ""
    provided = Module.objects.filter(file__path="acme_auth/tool.py", public=True)
    assert list(provided.values_list("name", "package__name")) == [("acme_auth.tool", "acme-auth")]
    apply(repository, code("acme_auth/tool.py"))
    assert packages_by_path(repository)["acme_auth/tool.py"] == "acme-auth"


def test_a_directory_that_becomes_a_package_gives_its_files_public_names(
    repository: Repository,
) -> None:
    found = replace(AUTH, settings=(("backend", "setuptools"), ("package", "find")))
    regular = replace(found, settings=(*found.settings, ("package", "regular")))
    apply(repository, manifest("pyproject.toml", regular), code("acme_auth/a.py"))
    assert ("acme_auth.a", True) not in modules_of(repository)["acme_auth/a.py"]
    apply(repository, code("acme_auth/__init__.py"))
    assert ("acme_auth.a", True) in modules_of(repository)["acme_auth/a.py"]
    before = rows_of(repository)["corpus_module"]
    apply(repository, code("acme_auth/__init__.py"))
    assert len(set(before) & set(rows_of(repository)["corpus_module"])) > 0
    apply(repository, removed=("acme_auth/__init__.py",))
    assert ("acme_auth.a", True) not in modules_of(repository)["acme_auth/a.py"]
