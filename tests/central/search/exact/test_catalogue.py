"""Files in memory: those of the newest index, in the order of the answer."""

import numpy as np
import pytest
from pytest_django import DjangoAssertNumQueries

from central.corpus.models import File
from central.repositories.models import Repository
from central.search.exact import catalogue as module
from central.search.exact.catalogue import Catalogue, IndexedState
from central.tenancy.models import Organization
from tests.central.search.conftest import AUTH, PAYMENTS

PATHS = ["src/auth/middleware.py", "src/auth/tokens.py", "src/authors.py", "tests/test_tokens.py"]


def ids_of(repository: Repository, *paths: str) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    found = File.objects.filter(repository=repository, path__in=paths)
    return np.array(sorted(found.values_list("pk", flat=True)), np.int64)


def state_of(repository: Repository, later: int = 0) -> IndexedState:
    return IndexedState(repository.generation + later, repository.last_indexed_commit)


@pytest.fixture
def auth(acme: Organization) -> Repository:
    return Repository.objects.get(organization=acme, name="auth-service")


@pytest.fixture(params=[50_000, 0], ids=["kept", "read each time"])
def catalogue(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Catalogue:
    monkeypatch.setattr(module, "CATALOGUE_REPOSITORY_FILES", request.param)
    return Catalogue()


def test_files_are_found_by_their_ids_in_the_order_of_the_answer(
    auth: Repository, catalogue: Catalogue
) -> None:
    wanted = np.append(ids_of(auth, *AUTH), 10**9)
    for _ in range(2):
        files = catalogue.files({auth.pk: state_of(auth)}, {auth.pk: wanted})
        assert [file.path for file in files] == PATHS
    assert files[0].size == len(AUTH[PATHS[0]])
    some = catalogue.files({auth.pk: state_of(auth)}, {auth.pk: ids_of(auth, PATHS[2])})
    assert [file.path for file in some] == PATHS[2:3]


def test_all_files_are_listed_up_to_a_limit(auth: Repository, catalogue: Catalogue) -> None:
    generations = {auth.pk: state_of(auth)}
    assert [one.path for one in catalogue.every_file(generations, limit=9)] == PATHS
    assert [one.path for one in catalogue.every_file(generations, limit=2)] == PATHS[:2]
    assert catalogue.every_file(generations, limit=0) == []


def test_a_new_generation_is_read(
    auth: Repository, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    catalogue, wanted = Catalogue(), {auth.pk: ids_of(auth, *AUTH)}
    catalogue.files({auth.pk: state_of(auth)}, wanted)
    with django_assert_num_queries(0):
        assert len(catalogue.files({auth.pk: state_of(auth)}, wanted)) == 4
    File.objects.filter(repository=auth, path=PATHS[0]).delete()
    Repository.objects.filter(pk=auth.pk).update(generation=auth.generation + 1)
    assert len(catalogue.files({auth.pk: state_of(auth, 1)}, wanted)) == 3
    with django_assert_num_queries(0):
        assert len(catalogue.files({auth.pk: state_of(auth, 1)}, wanted)) == 3


def test_what_was_longest_unused_goes(
    acme: Organization,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    monkeypatch.setattr(module, "CATALOGUE_BYTES", 4 * 380)
    catalogue = Catalogue()
    auth, payments = Repository.objects.filter(organization=acme).order_by("name")
    for repository in (payments, auth):
        catalogue.every_file({repository.pk: state_of(repository)}, limit=9)
    with django_assert_num_queries(0):
        catalogue.every_file({auth.pk: state_of(auth)}, limit=9)
    with django_assert_num_queries(2):
        catalogue.every_file({payments.pk: state_of(payments)}, limit=9)


def test_a_generation_that_was_counted_again_is_read(auth: Repository) -> None:
    catalogue, wanted = Catalogue(), {auth.pk: ids_of(auth, *AUTH)}
    catalogue.files({auth.pk: state_of(auth)}, wanted)
    File.objects.filter(repository=auth, path=PATHS[0]).delete()
    Repository.objects.filter(pk=auth.pk).update(last_indexed_commit="d" * 40)
    assert len(catalogue.files({auth.pk: IndexedState(auth.generation, "d" * 40)}, wanted)) == 3


def test_a_search_reads_few_repositories_whole(
    acme: Organization,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    monkeypatch.setattr(module, "CATALOGUE_REPOSITORY_FILES", 4)
    Repository.objects.filter(organization=acme).update(files=3)
    auth, payments = Repository.objects.filter(organization=acme).order_by("name")
    states = {one.pk: state_of(one) for one in (auth, payments)}
    wanted = {auth.pk: ids_of(auth, *PATHS), payments.pk: ids_of(payments, *PAYMENTS)}
    catalogue = Catalogue()
    with django_assert_num_queries(3):  # sizes, one repository, and files of the other
        first = catalogue.files(states, wanted)
    assert [file.repository for file in first] == [auth.pk] * 4 + [payments.pk] * len(PAYMENTS)
    with django_assert_num_queries(2):
        assert catalogue.files(states, wanted) == first
    with django_assert_num_queries(0):
        assert catalogue.files(states, wanted) == first


def test_files_beyond_the_limit_are_not_read(
    acme: Organization, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    states = {one.pk: state_of(one) for one in Repository.objects.filter(organization=acme)}
    with django_assert_num_queries(2):
        assert len(Catalogue().every_file(states, limit=1)) == 1
