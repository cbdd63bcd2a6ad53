"""One organisation's flood of runs and uploads is bounded, and touches no other."""

import pytest
from pytest_django import Settings

from central.ingest.models import Batch, IndexRun
from central.ingest.services.open_run import RUNS_OPEN_OF_REPOSITORY
from central.repositories.models import Repository
from tests.central.factories import IndexRunFactory, OrganizationFactory, RepositoryFactory
from tests.central.protocol import Api, api_of, apply_queued, file_record, tree_of
from tests.central.refusals import assert_problem, snapshot

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def a\n"}


@pytest.fixture
def other() -> Api:
    return api_of(OrganizationFactory.create(slug="other"))


def test_a_repository_has_so_many_open_runs(api: Api, other: Api) -> None:
    api.open()
    IndexRunFactory.create_batch(RUNS_OPEN_OF_REPOSITORY - 1, repository=Repository.objects.get())
    before = snapshot()
    refused = api.open()
    assert_problem(refused, 429, "too_many_open_runs")
    assert refused["Retry-After"] == "30"
    assert snapshot() == before
    assert api.open("another").status_code == 201
    assert other.open().status_code == 201
    IndexRun.objects.filter(repository__name="shop").earliest("opened_at").delete()
    assert api.open().status_code == 201


def test_an_organisation_has_so_many_open_runs(
    api: Api, other: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("central.ingest.services.open_run.RUNS_OPEN_OF_ORGANIZATION", 3)
    for number in range(3):
        assert api.open(f"shop-{number}").status_code == 201
    assert_problem(api.open("one-more"), 429, "too_many_open_runs")
    assert not Repository.objects.filter(name="one-more").exists()
    assert other.open().status_code == 201


def test_an_organisation_has_so_many_repositories(api: Api, other: Api, settings: Settings) -> None:
    settings.REPOSITORIES_MAX = 2
    RepositoryFactory.create_batch(2, organization=api.organization)
    assert_problem(api.open("third"), 409, "too_many_repositories")
    assert other.open().status_code == 201


def test_what_is_only_announced_takes_no_place(api: Api, settings: Settings) -> None:
    settings.REPOSITORIES_MAX = 2
    for name, by in (("a", "backfill"), ("b", "installation"), ("c", "")):
        RepositoryFactory(organization=api.organization, name=name, expected_by=by)
    RepositoryFactory(organization=api.organization, name="indexed", generation=1, expected_by="")
    assert api.open("shop").status_code == 201
    for name in ("a", "b", "c", "third"):
        assert_problem(api.open(name), 409, "too_many_repositories")
    assert api.open("shop").status_code == 201
    assert api.open("indexed").status_code == 201


def test_so_many_bytes_of_an_organisation_wait(api: Api, other: Api, settings: Settings) -> None:
    run = api.open().json()
    assert api.put_tree(run, tree_of(FILES)).status_code == 200
    assert api.put_batch(run, 1, [file_record("a.py", FILES["a.py"])]).status_code == 204
    stored = sum(len(bytes(one.body)) + len(bytes(one.rows or b"")) for one in Batch.objects.all())
    assert IndexRun.objects.get().uploaded_bytes == stored
    settings.WAITING_MAX_BYTES = stored + 10
    before = snapshot()
    assert_problem(api.put_batch(run, 2, [file_record("b.py", "b\n")]), 429, "too_much_waiting")
    second = api.open("second").json()
    assert_problem(api.put_tree(second, tree_of(FILES)), 429, "too_much_waiting")
    assert api.put_batch(run, 1, [file_record("a.py", FILES["a.py"])]).status_code == 204  # again
    assert len(snapshot()) == len(before) + 2  # the second run and its repository
    assert other.put_tree(other.open().json(), tree_of(FILES)).status_code == 200
    api.deliver(run, api.announcement(run))
    assert apply_queued() == ["applied"]
    assert api.put_tree(second, tree_of(FILES)).status_code == 200  # there is room again


def hide_runs(api: Api, count: int) -> None:
    """Open runs, with bytes that wait, of a repository that a token for `shop` does not see."""
    hidden = RepositoryFactory.create(organization=api.organization, name=f"hidden-{count}")
    IndexRunFactory.create_batch(count, repository=hidden, uploaded_bytes=1_000)


@pytest.mark.parametrize(
    ("limit", "status", "code"),
    [
        ("RUNS_OPEN_OF_REPOSITORY", 429, "too_many_open_runs"),
        ("RUNS_OPEN_OF_ORGANIZATION", 429, "too_many_open_runs"),
        ("REPOSITORIES_MAX", 409, "too_many_repositories"),
        ("WAITING_MAX_BYTES", 429, "too_much_waiting"),
    ],
)
def test_a_refusal_to_a_limited_token_counts_nothing_that_it_does_not_see(
    limit: str, status: int, code: str, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    api = api_of(repositories=["shop", "new"])
    run = api.open().json()
    if limit.startswith("RUNS"):
        monkeypatch.setattr(f"central.ingest.services.open_run.{limit}", 1)
    else:
        setattr(settings, limit, 1)

    def refusal() -> object:
        if limit == "WAITING_MAX_BYTES":
            refused = api.put_tree(run, tree_of(FILES))
        else:
            refused = api.open("new" if limit == "REPOSITORIES_MAX" else "shop")
        assert_problem(refused, status, code)
        return refused.json()

    without_hidden = refusal()
    for count in (3, 7):
        hide_runs(api, count)
        assert refusal() == without_hidden
