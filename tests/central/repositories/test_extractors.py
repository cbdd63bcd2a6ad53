"""Which repositories an older extractor has read, and what of them the next run reads again."""

from collections.abc import Iterator

import pytest
from pytest_django import DjangoAssertNumQueries

from central.repositories import extractors
from central.repositories.extractors import older_extractor, parts_to_read_again
from central.repositories.models import Repository
from central.repositories.visibility import repository_snapshots
from indexer.records.extractors import Extractor
from tests.central.factories import RepositoryFactory
from tests.central.protocol import Api, api_of
from tests.central.search.corpus import credential_for

pytestmark = pytest.mark.django_db

SHARED = "aeterna-1.2-aa"
NEWEST = {"go": "3", "javascript": "2", "hosts": "2", "manifests": "4", "selection": "5"}
CURRENT = " ".join([SHARED, *(f"{part}={version}" for part, version in NEWEST.items())])


@pytest.fixture(autouse=True)
def _newest(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(extractors, "NEWEST", Extractor(SHARED, NEWEST))
    extractors._older_parts.cache_clear()
    yield
    extractors._older_parts.cache_clear()


@pytest.fixture
def api() -> Api:
    return api_of()


def indexed(api: Api, name: str, extractor: str, **more: object) -> Repository:
    return RepositoryFactory.create(
        organization=api.organization, name=name, generation=1, extractor=extractor, **more
    )


@pytest.mark.parametrize(
    ("before", "languages", "skipped", "parts"),
    [
        ("", ["go", "vue"], 1, []),
        (" go=3", ["go"], 1, ["go"]),
        (" go=3", ["python"], 0, []),
        (" javascript=2", ["vue"], 0, ["javascript"]),  # code inside of other files
        (" hosts=2", ["vue"], 0, ["hosts"]),
        (" hosts=2", ["javascript"], 0, []),
        (" selection=5", ["go"], 0, []),
        (" selection=5", ["go"], 1, ["selection"]),
        (" manifests=4", ["text"], 0, ["manifests"]),
    ],
)
def test_parts_on_which_no_file_depends_are_not_read_again(
    api: Api, before: str, languages: list[str], skipped: int, parts: list[str]
) -> None:
    extractor = CURRENT.replace(before, "") if before else CURRENT
    contents = dict.fromkeys(languages, 1)
    repository = indexed(api, "shop", extractor, languages=contents, skipped=skipped)
    assert parts_to_read_again(repository) == parts
    older = older_extractor(repository_snapshots(credential=credential_for(api.organization)))
    assert older.count == bool(parts)
    assert older.sample == (["shop"] if parts else [])


def test_a_repository_without_an_index_is_not_older(api: Api) -> None:
    repository = indexed(api, "shop", "aeterna-1.1-aa")
    assert parts_to_read_again(repository) == ["everything"]
    repository.generation = 0
    assert parts_to_read_again(repository) == []


def test_the_first_names_are_told_and_all_are_counted(
    api: Api, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    monkeypatch.setattr(extractors, "OLDER_EXTRACTOR_NAMED", 2)
    for name in ("d", "c", "b", "a"):
        indexed(api, name, SHARED)
    indexed(api, "newer", CURRENT.replace("go=3", "go=9"))
    indexed(api, "unknown", "extractor-1")
    snapshots = repository_snapshots(credential=credential_for(api.organization))
    with django_assert_num_queries(0):  # manifests concern every repository
        older = older_extractor(snapshots)
    assert (older.count, older.sample) == (4, ["a", "b"])


def test_the_status_names_the_parts(api: Api) -> None:
    indexed(api, "shop", SHARED, languages={"go": 1})
    (project,) = api.status(project="shop").json()["projects"]
    assert project["older_extractor"] == ["go", "manifests"]
