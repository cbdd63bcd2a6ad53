"""What a token that is bound to a commit may do: open and fill a run of it, nothing else."""

from typing import Any

import pytest
from django.utils import timezone

from central.ingest.models import IndexRun
from central.repositories.models import Repository
from central.repositories.services import record_visibility
from central.tenancy.models import ApiToken, Organization, Scope
from tests.central.factories import RepositoryFactory
from tests.central.protocol import Api, api_of, apply_queued, commit_of, file_record, tree_of
from tests.central.refusals import assert_problem, snapshot

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def a\n"}
COMMIT = commit_of(FILES)


def bound_api(commit: str = COMMIT, repository_id: int = 7, **fields: object) -> Api:
    """A token for one commit of acme/shop, as a job's id token is exchanged for."""
    api = api_of(scopes=[Scope.INDEX])
    bound: dict[str, Any] = {
        "bound_repository_id": repository_id,
        "bound_project": "shop",
        "bound_visibility": "internal",
        "bound_ref": "refs/heads/main",
        "bound_commit": commit,
        **fields,
    }
    newest = ApiToken.objects.latest("pk")
    ApiToken.objects.filter(pk=newest.pk).update(is_short_lived=True, **bound)
    return api


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"repository_id": 8}, "repository_mismatch"),
        ({"project": "other"}, "repository_mismatch"),
        ({"project": "Shop"}, "repository_mismatch"),
        ({"ref": "refs/heads/other"}, "ref_mismatch"),
        ({"commit_sha": "b" * 40}, "commit_mismatch"),
    ],
)
def test_a_run_of_anything_else_is_not_opened(members: dict[str, Any], code: str) -> None:
    api = bound_api()
    RepositoryFactory.create(organization=api.organization, name="other", forge_key=8)
    before = snapshot()
    assert_problem(api.open(**{"commit_sha": COMMIT, **members}), 403, code)
    assert snapshot() == before


def test_another_owner_is_still_refused() -> None:
    api = bound_api()
    Organization.objects.update(github_owner_id=9919)
    assert_problem(api.open(commit_sha=COMMIT, owner_id=1), 403, "owner_mismatch")


def test_the_repository_is_the_one_that_github_signed() -> None:
    """Whatever the client leaves out."""
    assert bound_api().open(commit_sha=COMMIT).status_code == 201
    repository = Repository.objects.get()
    assert (repository.name, repository.forge_key) == ("shop", 7)
    assert repository.visibility == "internal"


def test_a_repository_that_was_indexed_with_a_token_before_is_taken_over() -> None:
    api = bound_api()
    old = RepositoryFactory.create(organization=api.organization, name="shop", generation=3)
    assert api.open(commit_sha=COMMIT).json()["generation"] == 3
    old.refresh_from_db()
    assert (old.forge_key, old.visibility) == (7, "private")


def test_what_a_token_indexed_before_is_private_until_the_job_s_own_run_is_applied() -> None:
    """Nobody signed of which repository the first index is."""
    api_of().index(FILES)
    files = FILES | {"b.py": "def b\n"}
    api = bound_api(commit_of(files))
    record_visibility(
        organization_id=api.organization.pk, forge_key=7, visibility="public", at=timezone.now()
    )
    api.queue_full(files)
    assert (Repository.objects.get().forge_key, Repository.objects.get().visibility) == (
        7,
        "private",
    )
    apply_queued()
    assert Repository.objects.get().visibility == "public"


def test_a_repository_made_private_after_the_job_began_stays_private() -> None:
    api = bound_api(bound_visibility="public")
    repository = RepositoryFactory.create(
        organization=api.organization, name="shop", forge_key=7, visibility="private"
    )
    assert api.open(commit_sha=COMMIT).status_code == 201
    repository.refresh_from_db()
    assert repository.visibility == "private"


def test_a_repository_of_the_same_name_with_another_id_is_displaced_not_written() -> None:
    """Somebody deleted acme/shop and made another one."""
    api = bound_api()
    old = RepositoryFactory.create(organization=api.organization, name="shop", forge_key=6)
    assert api.open(commit_sha=COMMIT).json()["generation"] == 0
    old.refresh_from_db()
    assert old.name == f"shop~{old.pk}"


def test_the_tracked_branch_is_still_the_only_one() -> None:
    api = bound_api(bound_ref="refs/heads/feature")
    RepositoryFactory.create(organization=api.organization, name="shop", forge_key=7)
    answer = api.open(commit_sha=COMMIT, ref="refs/heads/feature")
    assert_problem(answer, 403, "ref_not_tracked")


def test_a_bound_token_brings_a_run_to_its_end() -> None:
    api = bound_api()
    run = api.queue_full(FILES)
    assert [str(state) for state in apply_queued()] == ["applied"]
    assert api.state(run)["state"] == "applied"


@pytest.mark.parametrize(
    ("commit", "fields", "code"),
    [
        ("b" * 40, {}, "commit_mismatch"),
        (COMMIT, {"bound_ref": "refs/heads/other"}, "ref_mismatch"),
    ],
)
def test_a_run_of_another_commit_or_ref_is_seen_but_not_touched(
    commit: str, fields: dict[str, Any], code: str
) -> None:
    """Another job waits for the run; it neither fills nor ends it."""
    own = bound_api()
    run = own.open(commit_sha=COMMIT).json()
    other = bound_api(commit, **fields)
    url = f"/api/v1/index/runs/{run['run_id']}"
    assert other.state(run)["state"] == "open"
    before = snapshot()
    for answer in (
        other.put_tree(run, tree_of(FILES)),
        other.put_batch(run, 1, [file_record(path, text) for path, text in FILES.items()]),
        other.request("POST", f"{url}/embeddings", {"digests": ["a" * 64]}),
        other.deliver(run, other.announcement(run, commit_sha=COMMIT)),
        other.request("DELETE", url),
    ):
        assert_problem(answer, 403, code)
    assert snapshot() == before
    assert own.request("DELETE", url).status_code == 204


def test_a_run_of_another_repository_does_not_exist() -> None:
    run = bound_api().open(commit_sha=COMMIT).json()
    stranger = bound_api(repository_id=8)
    url = f"/api/v1/index/runs/{run['run_id']}"
    assert_problem(stranger.request("GET", url), 404, "run_not_found")
    assert_problem(stranger.put_tree(run, tree_of(FILES)), 404, "run_not_found")
    assert IndexRun.objects.get().state == "open"


def test_a_second_token_of_the_same_commit_goes_on_with_the_run() -> None:
    """A first index may take longer than a token lives."""
    run = bound_api().open(commit_sha=COMMIT).json()
    assert bound_api().put_tree(run, tree_of(FILES)).json()["changed"] == ["a.py"]


def test_a_bound_run_borrows_no_vectors_of_other_repositories() -> None:
    api_of().index(FILES, project="other")
    api = bound_api()
    run = api.open(commit_sha=COMMIT).json()
    ((path, content),) = FILES.items()
    bare = file_record(path, content, has_vectors=False)
    assert api.put_batch(run, 1, [bare]).json()["code"] == "embedding_unknown"


def test_a_run_whose_token_sees_some_visibilities_borrows_of_those_alone() -> None:
    wide = api_of()
    wide.index(FILES, project="other")
    limited = api_of()
    ApiToken.objects.filter(pk=ApiToken.objects.latest("pk").pk).update(visibilities=["public"])
    Repository.objects.create(
        organization=wide.organization,
        name="shop",
        tracked_ref="refs/heads/main",
        visibility="public",
    )
    run = limited.open(commit_sha=COMMIT).json()
    ((path, content),) = FILES.items()
    bare = file_record(path, content, has_vectors=False)
    assert wide.put_batch(run, 1, [bare]).json()["code"] == "embedding_unknown"
    Repository.objects.update(visibility="public")
    assert wide.put_batch(run, 1, [bare]).status_code == 204
