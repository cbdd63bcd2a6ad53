"""Jobs and pushes of branches beside the default one: what each may write, and what follows."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from central.github.models import GitHubPolicy
from central.github.services.deferred_events import apply_deferred
from central.ingest.models import IndexRun
from central.repositories.models import Branch, BranchPush, Repository
from central.repositories.services import mark_behind
from central.tenancy.models import Organization
from tests.central.github import payloads
from tests.central.github.job import AUDIENCE, api_of_job, exchange
from tests.central.github.payloads import GitHub
from tests.central.protocol import apply_queued, file_record, tree_of
from tests.central.refusals import assert_problem
from tests.local_github import LocalGitHub

pytestmark = pytest.mark.django_db

POLICY = 'branches = ["release/*"]\n'
COMMITS = {"main": "a" * 40, "release/1": "b" * 40, "release/2": "c" * 40}


def job_on(github: LocalGitHub, branch: str) -> Any:
    """The API as a job of this branch sees it."""
    github.claims |= {"ref": f"refs/heads/{branch}", "sha": COMMITS[branch]}
    return api_of_job(github)


def index(github: LocalGitHub, branch: str, files: dict[str, str]) -> None:
    api = job_on(github, branch)
    request = {"ref": f"refs/heads/{branch}", "commit_sha": COMMITS[branch]}
    answer = api.open(default_branch="main", **request)
    assert answer.status_code == 201, answer.content
    run = answer.json()
    changed = api.put_tree(run, tree_of(files)).json()["changed"]
    records = [file_record(path, files[path]) for path in changed]
    assert api.put_batch(run, 1, records).status_code == 204
    body = api.announcement(run, commit_sha=COMMITS[branch])
    assert api.deliver(run, body).status_code == 202
    apply_queued()


@pytest.fixture
def shop(github: LocalGitHub, policy: GitHubPolicy) -> Repository:
    """Indexed by a job of its default branch, which names others."""
    index(github, "main", {"a.py": "a = 1\n", ".codesearch.toml": POLICY})
    return Repository.objects.get()


def test_a_job_of_a_release_branch_indexes_it_and_nothing_else(
    github: LocalGitHub, shop: Repository
) -> None:
    index(github, "release/1", {"a.py": "a = 2\n"})
    branch = Branch.objects.get()
    assert (branch.ref, branch.last_indexed_commit) == ("refs/heads/release/1", "b" * 40)
    shop.refresh_from_db()
    assert (shop.last_indexed_commit, shop.generation) == ("a" * 40, 1)


def test_the_token_of_a_release_branch_writes_no_other_ref(
    github: LocalGitHub, shop: Repository
) -> None:
    of_main = job_on(github, "main").open().json()
    api = job_on(github, "release/1")
    for branch in ("main", "release/2"):
        for commit in (COMMITS[branch], COMMITS["release/1"]):
            answer = api.open(ref=f"refs/heads/{branch}", commit_sha=commit)
            assert_problem(answer, 403, "ref_mismatch")
    # A run of the default branch that is open already takes nothing of it either.
    assert_problem(api.put_tree(of_main, tree_of({})), 403, "ref_mismatch")
    assert_problem(api.put_batch(of_main, 1, [file_record("a.py", "")]), 403, "ref_mismatch")
    answer = api.request("DELETE", f"/api/v1/index/runs/{of_main['run_id']}")
    assert_problem(answer, 403, "ref_mismatch")
    assert [run.branch for run in IndexRun.objects.filter(state="open")] == [None]


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ({"ref": "refs/pull/7/merge", "event_name": "pull_request"}, "oidc_event_refused"),
        ({"ref": "refs/heads/release/1", "event_name": "pull_request"}, "oidc_event_refused"),
        ({"ref": "refs/pull/7/merge"}, "oidc_ref_refused"),
        ({"ref": "refs/heads/topic"}, "oidc_ref_refused"),
        ({"ref": "refs/heads/release/1", "repository_owner_id": "5"}, "oidc_owner_unknown"),
    ],
)
def test_pull_requests_forks_and_unnamed_branches_get_no_credential(
    github: LocalGitHub, shop: Repository, claims: dict[str, str], code: str
) -> None:
    assert_problem(exchange(github.id_token(AUDIENCE, **claims)), 403, code)


def test_a_fork_inside_the_organisation_has_no_say_about_the_repository(
    github: LocalGitHub, shop: Repository
) -> None:
    """Its branch may be called as one of the repository: it is a repository of its own."""
    github.claims |= {"repository": "acme/fork", "repository_id": "74002"}
    api = job_on(github, "release/1")
    answer = api.open(ref="refs/heads/release/1", commit_sha=COMMITS["release/1"])
    assert_problem(answer, 403, "repository_mismatch")
    assert not Branch.objects.exists()


# --- What the forge tells of branches ---------------------------------------------------------


@pytest.fixture
def webhook(settings: Settings, shop: Repository) -> GitHub:
    """GitHub, telling of acme's shop, which has an index of release/1, too."""
    settings.GITHUB_WEBHOOK_SECRET = payloads.APP_SECRET
    return GitHub()


def about_shop(**members: Any) -> dict[str, Any]:
    owner = payloads.owner(9919)
    return payloads.repository(id=74001, owner=owner, **members)


def later() -> str:
    return (timezone.now() + timedelta(seconds=5)).isoformat()


@pytest.mark.parametrize("event", ["push", "delete"])
def test_a_deleted_branch_goes_with_the_forge_s_message(
    github: LocalGitHub, shop: Repository, webhook: GitHub, event: str
) -> None:
    index(github, "release/1", {"a.py": "a = 2\n"})
    told = about_shop(pushed_at=later())
    if event == "push":
        payload = payloads.push(payloads.ZEROS, ref="refs/heads/release/1", repository=told)
    else:
        payload = payloads.deleted("release/1", repository=told)
    assert webhook.told(event, payload).startswith("waiting")  # rows are deleted by a worker
    assert apply_deferred() == 1
    assert not Branch.objects.exists()
    assert not IndexRun.objects.filter(ref="refs/heads/release/1").exists()
    shop.refresh_from_db()
    assert shop.last_indexed_commit == COMMITS["main"]
    assert webhook.told(event, payload).startswith("ignored: no such branch")


def test_a_late_message_does_not_delete_what_was_indexed_since(
    github: LocalGitHub, shop: Repository, webhook: GitHub
) -> None:
    index(github, "release/1", {"a.py": "a = 2\n"})
    webhook.told("delete", payloads.deleted("release/1", repository=about_shop()))
    assert apply_deferred() == 1
    assert Branch.objects.get().last_indexed_commit == COMMITS["release/1"]


def test_the_default_branch_and_tags_are_not_deleted(shop: Repository, webhook: GitHub) -> None:
    told = about_shop(pushed_at=later())
    for payload in (
        payloads.deleted("main", repository=told),
        payloads.deleted("main", repository=told, ref_type="tag"),
    ):
        assert webhook.told("delete", payload).startswith("ignored")
    shop.refresh_from_db()
    assert (shop.generation, shop.tracked_ref) == (1, "refs/heads/main")


def test_an_indexed_branch_becomes_the_default_one_without_a_run(
    github: LocalGitHub, shop: Repository, webhook: GitHub
) -> None:
    index(github, "release/1", {"a.py": "a = 2\n", ".codesearch.toml": POLICY})
    payload = payloads.default_branch("main", "release/1")
    payload["repository"] |= {"id": 74001, "owner": payloads.owner(9919)}
    assert webhook.told("repository", payload).startswith("waiting")
    assert apply_deferred() == 1
    shop.refresh_from_db()
    assert shop.tracked_ref == "refs/heads/release/1"
    assert shop.last_indexed_commit == COMMITS["release/1"]
    former = Branch.objects.get()
    assert (former.ref, former.last_indexed_commit) == ("refs/heads/main", COMMITS["main"])


def test_messages_of_another_owner_delete_nothing(
    github: LocalGitHub, shop: Repository, webhook: GitHub
) -> None:
    index(github, "release/1", {"a.py": "a = 2\n"})
    Organization.objects.create(slug="globex", github_owner_id=5)
    told = payloads.repository(id=74001, owner=payloads.owner(5), pushed_at=later())
    outcome = webhook.told("delete", payloads.deleted("release/1", repository=told))
    assert outcome == "ignored: no repository here has this id"
    apply_deferred()
    assert Branch.objects.exists()


def pushed(commit: str, *, ref: str = "refs/heads/release/1", minutes_ago: int = 0) -> Any:
    at = timezone.now() - timedelta(minutes=minutes_ago)
    repository = about_shop(pushed_at=int(at.timestamp()))
    return payloads.push(commit, ref=ref, repository=repository)


def test_a_branch_is_behind_if_no_run_follows_a_push(
    github: LocalGitHub, shop: Repository, webhook: GitHub
) -> None:
    index(github, "release/1", {"a.py": "a = 2\n"})
    assert webhook.told("push", pushed("d" * 40, minutes_ago=20)) == "push noted"
    assert webhook.told("push", pushed("e" * 40, minutes_ago=30)).startswith("ignored: a later")
    assert mark_behind(now=timezone.now()) == 1
    branch = Branch.objects.get()
    assert (branch.trouble, branch.trouble_commit) == ("behind", "d" * 40)
    assert "release/1" in branch.trouble_detail
    shop.refresh_from_db()
    assert shop.trouble == ""
    assert mark_behind(now=timezone.now()) == 0


def test_an_indexed_push_of_a_branch_is_settled_and_other_branches_are_not_noted(
    github: LocalGitHub, shop: Repository, webhook: GitHub
) -> None:
    index(github, "release/1", {"a.py": "a = 2\n"})
    webhook.told("push", pushed(COMMITS["release/1"], minutes_ago=20))
    topic = pushed("d" * 40, ref="refs/heads/topic", minutes_ago=20)
    assert webhook.told("push", topic) == "ignored: the ref is not tracked"
    assert BranchPush.objects.count() == 1
    assert mark_behind(now=timezone.now()) == 0
    assert not BranchPush.objects.exists()
    assert Branch.objects.get().trouble == ""
