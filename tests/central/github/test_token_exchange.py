"""What an exchange leaves behind, and what its token may do until it expires."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from central.github.models import GitHubPolicy, IdTokenUse
from central.repositories.models import Repository
from central.repositories.services import record_visibility, retire_repository
from central.tenancy.models import ApiToken
from tests.central.factories import RepositoryFactory
from tests.central.github.job import AUDIENCE, api_of_job, exchange
from tests.central.refusals import assert_problem
from tests.local_github import LocalGitHub

pytestmark = pytest.mark.django_db


def repository_of(policy: GitHubPolicy, **fields: object) -> Repository:
    """acme/shop as it was indexed before."""
    return RepositoryFactory.create(
        organization=policy.organization, name="shop", forge_key=74001, **fields
    )


def test_what_was_used_is_remembered_until_nothing_accepts_it(
    github: LocalGitHub, policy: GitHubPolicy
) -> None:
    api_of_job(github)
    use = IdTokenUse.objects.get()
    assert use.forget_at > timezone.now() + timedelta(seconds=300 + 30)


def test_a_known_repository_s_tracked_branch_is_the_one(
    github: LocalGitHub, policy: GitHubPolicy
) -> None:
    repository_of(policy, tracked_ref="refs/heads/trunk")
    assert_problem(exchange(github.id_token(AUDIENCE)), 403, "oidc_ref_refused")
    assert exchange(github.id_token(AUDIENCE, ref="refs/heads/trunk")).status_code == 200


@pytest.mark.parametrize("purpose", ["index", "impact"])
def test_the_repository_s_visibility_is_noted(
    github: LocalGitHub, policy: GitHubPolicy, purpose: str
) -> None:
    GitHubPolicy.objects.update(impact=True)
    repository = repository_of(policy, visibility="public")
    if purpose == "impact":
        github.claims |= {"event_name": "pull_request", "ref": "refs/pull/7/merge"}
    for visibility in ("internal", "private"):
        github.claims["repository_visibility"] = visibility
        api_of_job(github, purpose)
        repository.refresh_from_db()
        assert repository.visibility == visibility


def test_an_id_token_that_is_older_than_a_change_does_not_undo_it(
    github: LocalGitHub, policy: GitHubPolicy
) -> None:
    changed_at = timezone.now().replace(microsecond=0) - timedelta(seconds=30)
    repository = repository_of(policy)
    record_visibility(
        organization_id=repository.organization_id,
        forge_key=74001,
        visibility="private",
        at=changed_at,
    )
    github.claims["repository_visibility"] = "public"
    for seconds, noted in ((-1, "private"), (1, "public")):
        issued_at = int(changed_at.timestamp()) + seconds
        assert exchange(github.id_token(AUDIENCE, iat=issued_at)).status_code == 200
        repository.refresh_from_db()
        assert repository.visibility == noted


def test_a_refused_job_notes_nothing(github: LocalGitHub, policy: GitHubPolicy) -> None:
    repository = repository_of(policy)
    exchange(github.id_token(AUDIENCE, repository_visibility="public", event_name="delete"))
    repository.refresh_from_db()
    assert repository.visibility == "private"


def test_an_expired_token_says_so(github: LocalGitHub, policy: GitHubPolicy) -> None:
    """The client then exchanges another id token."""
    api = api_of_job(github)
    assert api.status().status_code == 403  # it may index, not read
    ApiToken.objects.update(expires_at=timezone.now())
    assert_problem(api.open(), 401, "token_expired")


def test_a_job_indexes_and_its_token_sees_nothing_else(
    github: LocalGitHub, policy: GitHubPolicy
) -> None:
    github.claims["repository_visibility"] = "public"
    run = api_of_job(github).open(default_branch="main")
    assert run.status_code == 201
    repository = Repository.objects.get()
    assert (repository.name, repository.forge_key) == ("shop", 74001)
    assert repository.visibility == "public"
    api = api_of_job(github)  # the same job, when its first token has expired
    assert api.state(run.json())["state"] == "open"
    github.claims |= {"repository": "acme/other", "repository_id": "74002"}
    assert_problem(
        api_of_job(github).request("GET", f"/api/v1/index/runs/{run.json()['run_id']}"),
        404,
        "run_not_found",
    )


def test_a_job_opens_no_run_of_another_commit_than_its_own(
    github: LocalGitHub, policy: GitHubPolicy
) -> None:
    api = api_of_job(github)
    assert_problem(api.open(commit_sha="b" * 40), 403, "commit_mismatch")
    assert_problem(api.open(ref="refs/heads/other"), 403, "ref_mismatch")
    assert_problem(api.open(repository_id=1), 403, "repository_mismatch")
    assert not Repository.objects.exists()


def test_a_job_that_outlives_its_repository_does_not_bring_it_back(
    github: LocalGitHub, policy: GitHubPolicy
) -> None:
    """Nothing would tell of its deletion, or transfer, once more."""
    api = api_of_job(github)
    assert api.open(default_branch="main").status_code == 201
    github.claims |= {"repository": "acme/other", "repository_id": "74002"}
    other = api_of_job(github)
    retire_repository(Repository.objects.get())
    assert_problem(api.open(default_branch="main"), 401, "token_revoked")
    assert not Repository.objects.filter(retired_at=None).exists()
    assert other.open(project="other", repository_id=74002).status_code == 201


def test_a_replayed_token_stays_used_when_its_access_token_is_gone(
    github: LocalGitHub, policy: GitHubPolicy
) -> None:
    token = github.id_token(AUDIENCE)
    assert exchange(token).status_code == 200
    ApiToken.objects.all().delete()
    assert_problem(exchange(token), 401, "oidc_replayed")


@pytest.mark.django_db(transaction=True)
def test_of_many_exchanges_at_once_one_wins(github: LocalGitHub, policy: GitHubPolicy) -> None:
    token = github.id_token(AUDIENCE)

    def attempt(_: int) -> int:
        try:
            return int(exchange(token).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=6) as pool:
        statuses = sorted(pool.map(attempt, range(6)))
    assert statuses == [200, 401, 401, 401, 401, 401]
    assert ApiToken.objects.count() == 1
