"""Opening: which repository is meant, and what the client is told."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from central.ingest.models import IndexRun
from central.ingest.selectors import busy_run
from central.ingest.services import open_run
from central.ingest.signing import webhook_secret
from central.repositories.models import Branch, Repository
from indexer.records.files import RECORD_FIELDS
from tests.central.protocol import Api, api_of, apply_queued, commit_of

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def a\n"}


@pytest.fixture
def api() -> Api:
    return api_of()


def names() -> dict[int | None, str]:
    return dict(Repository.objects.values_list("forge_key", "name"))


def test_the_first_run_is_told_that_there_is_nothing(api: Api) -> None:
    answer: dict[str, Any] = api.open(default_branch="main", unknown="tolerated", event=None).json()
    run = IndexRun.objects.get()
    assert answer == {
        "run_id": str(run.pk),
        "webhook_secret": webhook_secret(run.pk),
        "base_commit": None,
        "base_extractor": None,
        "base_embedder": None,
        "reindex": False,
        "record_fields": sorted(RECORD_FIELDS),
        "authors": {"policy": "off", "key": ""},
        "generation": 0,
        "embedder": {"provider": "builtin", "model": "aeterna-static-1", "dimensions": 256},
        "limits": {"batch_bytes": 16 * 1024 * 1024, "batch_files": 500, "digests": 20_000},
        "vector_store": None,
    }
    assert webhook_secret(run.pk).startswith("whsec_")
    assert Repository.objects.get().tracked_ref == "refs/heads/main"


def test_null_stands_for_what_is_left_out(api: Api) -> None:
    unsaid = ("repository_id", "owner_id", "default_branch", "event", "run_url", "repository_url")
    answer = api.open(**dict.fromkeys((*unsaid, "vectors", "own_secret", "direct_refused")))
    assert answer.status_code == 201
    run = IndexRun.objects.get()
    assert (run.event, run.run_url, run.is_direct, run.is_direct_refused) == ("", "", False, False)


def test_a_later_run_is_told_the_base(api: Api) -> None:
    api.index(FILES)
    answer = api.open().json()
    assert answer["base_commit"] == commit_of(FILES)
    assert (answer["base_extractor"], answer["generation"]) == ("extractor-1", 1)
    assert answer["base_embedder"] == "builtin/aeterna-static-1/256"


def test_a_run_that_is_applied_while_the_next_is_opened_is_its_base(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was planned from the base before, and ended as stale after all of its uploads."""
    api.queue_full(FILES)

    def applied_meanwhile(repository: Repository, branch: Branch | None) -> IndexRun | None:
        apply_queued()
        return busy_run(repository, branch)

    monkeypatch.setattr(open_run, "busy_run", applied_meanwhile)
    answer = api.open().json()
    assert (answer["base_commit"], answer["generation"]) == (commit_of(FILES), 1)
    assert answer["base_extractor"] == "extractor-1"


@pytest.mark.parametrize("branch", ["trunk", "refs/heads/trunk"])
def test_the_default_branch_becomes_the_tracked_one(api: Api, branch: str) -> None:
    assert api.open(ref="refs/heads/trunk", default_branch=branch).status_code == 201
    assert api.open(ref="refs/heads/main").json()["tracked_ref"] == "refs/heads/trunk"


def test_a_renamed_repository_stays_itself(api: Api) -> None:
    api.open("old-name", repository_id=7)
    api.open("new-name", repository_id=7)
    assert names() == {7: "new-name"}


def test_a_github_id_is_learnt(api: Api) -> None:
    api.open("shop")
    api.open("shop", repository_id=7)
    assert names() == {7: "shop"}


def test_a_new_repository_under_an_old_name_is_a_new_row(api: Api) -> None:
    api.open("shop", repository_id=7)
    api.open("shop", repository_id=8)
    old = Repository.objects.get(forge_key=7)
    assert names() == {7: f"shop~{old.pk}", 8: "shop"}
    api.open("moved", repository_id=7)
    assert names() == {7: "moved", 8: "shop"}


def test_a_rename_onto_a_taken_name_displaces_its_holder(api: Api) -> None:
    api.open("a", repository_id=7)
    api.open("b", repository_id=8)
    api.open("b", repository_id=7)
    assert names()[7] == "b"
    assert names()[8].startswith("b~")


@pytest.mark.parametrize("name", ["-", "-x", ".github", "_", "0", "--help"])
def test_whatever_github_lets_a_repository_be_called_can_be_indexed_and_asked_for(
    api: Api, name: str
) -> None:
    api.index(FILES, project=name)
    (status,) = api.status(project=name).json()["projects"]
    assert (status["project"], status["files"]) == (name, 1)
    query = {"org_id": "acme", "query": "def a", "include_projects": [name]}
    found = api.request("POST", "/api/v1/search", query)
    assert [result["project"] for result in found.json()["results"]] == [name]


def test_two_organisations_may_use_one_name(api: Api) -> None:
    other = api_of(type(api.organization).objects.create(slug="globex"))
    assert api.open("shop").status_code == other.open("shop").status_code == 201
    assert Repository.objects.count() == 2


@pytest.mark.parametrize("embedder", ["", "builtin", "a/b/c", "a/b/0", "a/b/-1", "/b/4", "a//4"])
def test_an_organisation_s_embedder_that_is_none_opens_nothing(api: Api, embedder: str) -> None:
    api.organization.embedder = embedder
    with pytest.raises(ValidationError, match="embedder"):
        api.organization.full_clean()
    api.organization.save()
    answer = api.open()
    assert (answer.status_code, answer.json()["code"]) == (409, "embedder_invalid")
    assert not IndexRun.objects.exists()
    assert not Repository.objects.exists()


@pytest.mark.parametrize(
    ("event", "indexed_by"),
    [(None, "central"), ("", "central"), ("backfill", "central"), ("push", "action")],
)
def test_a_workflow_s_run_leaves_later_pushes_to_the_workflow(
    api: Api, event: str | None, indexed_by: str
) -> None:
    """A run by hand has no event, and one of this service's own clones has its own."""
    Repository.objects.create(
        organization=api.organization,
        name="shop",
        tracked_ref="refs/heads/main",
        indexed_by="central",
    )
    assert api.open("shop", event=event).status_code == 201
    assert Repository.objects.get().indexed_by == indexed_by
    (project,) = api.status().json()["projects"]
    assert project["indexed_by"] == indexed_by
