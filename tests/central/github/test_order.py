"""Id tokens and messages in an order that GitHub did not send them in: the last signed word counts.

"Last" is by GitHub's clock. Nothing here may leave a private repository public, give a repository a
name that is another's by now, or bring back one that is gone.
"""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from central.github import oidc
from central.github.models import GitHubPolicy
from central.github.oidc import forge_of
from central.repositories.models import Repository
from central.tenancy.models import Organization
from tests.central.factories import RepositoryFactory
from tests.central.github import payloads
from tests.central.github.job import AUDIENCE, exchange
from tests.central.github.payloads import APP_SECRET, GitHub
from tests.central.protocol import Api, api_of, apply_queued, commit_of
from tests.central.refusals import assert_problem
from tests.local_github import LocalGitHub

pytestmark = pytest.mark.django_db

SHOP_ID = 74001
OWNER_ID = 9919
FILES = {"a.py": "def a\n"}


@pytest.fixture
def webhook(settings: Settings) -> GitHub:
    settings.GITHUB_WEBHOOK_SECRET = APP_SECRET
    return GitHub()


def moment(seconds: int) -> datetime:
    """So many seconds from now, in whole seconds."""
    return timezone.now().replace(microsecond=0) + timedelta(seconds=seconds)


def told(name: str = "shop", repository_id: int = SHOP_ID, **members: Any) -> dict[str, Any]:
    """A repository as the payload of a webhook has it."""
    owner = payloads.owner(OWNER_ID)
    at = members.pop("at", None)
    if at is not None:
        members["updated_at"] = at.isoformat()
    return payloads.repository(name, id=repository_id, owner=owner, **members)


def said(action: str, **members: Any) -> dict[str, Any]:
    changes = {"changes": members.pop("changes")} if "changes" in members else {}
    return payloads.on_repository(action, repository=told(**members), **changes)


def turned(visibility: str, at: datetime, **members: Any) -> dict[str, Any]:
    """GitHub says that the repository is public, or private, since then."""
    is_public = visibility == "public"
    return said(
        "publicized" if is_public else "privatized",
        visibility=visibility,
        private=not is_public,
        at=at,
        **members,
    )


def job(
    github: LocalGitHub, *, seconds: int = 0, repository_id: int = SHOP_ID, **signed_claims: str
) -> Api:
    """The API as a job sees it whose id token was issued so many seconds from now."""
    names = {"name": "repository", "visibility": "repository_visibility"}
    signed = {names.get(name, name): value for name, value in signed_claims.items()}
    if "repository" in signed:
        signed["repository"] = f"acme/{signed['repository']}"
    issued_at = int(moment(seconds).timestamp())
    token = github.id_token(AUDIENCE, iat=issued_at, repository_id=str(repository_id), **signed)
    answer = exchange(token)
    assert answer.status_code == 200, answer.content
    return Api(Organization.objects.get(slug="acme"), answer.json()["access_token"])


def rows() -> dict[int | None, tuple[str, str]]:
    found = Repository.objects.filter(retired_at=None)
    return {row.forge_key: (row.name, row.visibility) for row in found}


# --- Visibility -----------------------------------------------------------------------------------


def test_a_message_that_came_before_the_repository_was_known_counts(
    github: LocalGitHub, policy: GitHubPolicy, webhook: GitHub
) -> None:
    """The id token is the older one, though its job opens the repository's first run."""
    outcome = webhook.told("repository", turned("private", moment(-5)))
    assert outcome == "ignored: no repository here has this id"
    assert job(github, seconds=-30, visibility="public").open().status_code == 201
    assert rows() == {SHOP_ID: ("shop", "private")}


def test_a_message_between_the_exchange_and_the_first_open_counts(
    github: LocalGitHub, policy: GitHubPolicy, webhook: GitHub
) -> None:
    api = job(github, seconds=-30, visibility="public")
    webhook.told("repository", turned("private", moment(-5)))
    assert api.open().status_code == 201
    assert rows() == {SHOP_ID: ("shop", "private")}


def test_an_id_token_that_says_what_is_known_makes_older_messages_old(
    github: LocalGitHub, policy: GitHubPolicy, webhook: GitHub
) -> None:
    """Made public, made private again; the messages of both are late."""
    RepositoryFactory.create(organization=policy.organization, name="shop", forge_key=SHOP_ID)
    job(github, visibility="private")
    late = webhook.told("repository", turned("public", moment(-60)))
    assert late == "ignored: a later visibility is known"
    assert rows() == {SHOP_ID: ("shop", "private")}


@pytest.mark.parametrize("order", [("public", "private"), ("private", "public")])
def test_of_two_messages_of_the_same_second_the_more_private_one_holds(
    policy: GitHubPolicy, webhook: GitHub, order: tuple[str, str]
) -> None:
    RepositoryFactory.create(organization=policy.organization, name="shop", forge_key=SHOP_ID)
    at = moment(-5)
    for visibility in order:
        webhook.told("repository", turned(visibility, at))
    assert rows() == {SHOP_ID: ("shop", "private")}


@pytest.mark.parametrize(
    ("action", "members", "kept"),
    [
        ("renamed", {"visibility": "public", "private": False}, "public"),
        ("renamed", {"visibility": None, "private": False}, "public"),
        ("renamed", {"visibility": None, "private": None}, "private"),
        ("renamed", {"visibility": "public", "private": True}, "private"),
        ("renamed", {"visibility": "internal", "private": True}, "internal"),
        ("privatized", {"visibility": None, "private": False}, "private"),
        ("privatized", {"visibility": "public", "private": False}, "private"),
    ],
)
def test_what_does_not_say_clearly_that_a_repository_is_public_makes_it_private(
    policy: GitHubPolicy, webhook: GitHub, action: str, members: dict[str, Any], kept: str
) -> None:
    RepositoryFactory.create(
        organization=policy.organization, name="shop", forge_key=SHOP_ID, visibility="public"
    )
    webhook.told("repository", said(action, name="store", at=moment(-5), **members))
    assert rows()[SHOP_ID][1] == kept


def test_a_displaced_repository_is_private_until_github_says_something_of_it(
    github: LocalGitHub, policy: GitHubPolicy, webhook: GitHub
) -> None:
    assert job(github, seconds=-20, visibility="public").open().status_code == 201
    assert job(github, repository_id=8, visibility="public").open().status_code == 201
    old = Repository.objects.get(forge_key=SHOP_ID)
    assert rows() == {SHOP_ID: (f"shop~{old.pk}", "private"), 8: ("shop", "public")}
    renamed = said("renamed", name="store", visibility="public", private=False, at=moment(1))
    assert webhook.told("repository", renamed) == "renamed"
    assert rows() == {SHOP_ID: ("store", "public"), 8: ("shop", "public")}


def test_an_index_that_a_list_identifies_is_private_until_a_later_run_is_applied(
    policy: GitHubPolicy, webhook: GitHub
) -> None:
    """A list may be old, and the name another repository's by then."""
    api = api_of(policy.organization)
    waiting = api.queue_full(FILES)  # it was opened before the list came
    listed = payloads.listed("shop", SHOP_ID, private=False)
    payload = payloads.installation("created", repositories=[listed])
    payload["installation"]["account"] = payloads.owner(OWNER_ID)
    webhook.told("installation", payload)
    assert rows() == {SHOP_ID: ("shop", "private")}
    apply_queued()
    assert api.state(waiting)["state"] == "applied"
    assert rows() == {SHOP_ID: ("shop", "private")}
    api.index(FILES | {"b.py": "def b\n"})
    assert rows() == {SHOP_ID: ("shop", "public")}


def test_a_list_does_not_make_public_what_was_made_private_before_it_was_known(
    policy: GitHubPolicy, webhook: GitHub
) -> None:
    webhook.told("repository", turned("private", moment(-5)))
    RepositoryFactory.create(organization=policy.organization, name="shop")
    payload = payloads.installation(
        "created", repositories=[payloads.listed("shop", SHOP_ID, private=False)]
    )
    payload["installation"]["account"] = payloads.owner(OWNER_ID)
    webhook.told("installation", payload)
    assert rows() == {SHOP_ID: ("shop", "private")}


# --- Names ----------------------------------------------------------------------------------------


def test_a_late_rename_does_not_bring_the_former_name_back(
    policy: GitHubPolicy, webhook: GitHub
) -> None:
    RepositoryFactory.create(organization=policy.organization, name="shop", forge_key=SHOP_ID)
    assert webhook.told("repository", said("renamed", name="vault", at=moment(-5))) == "renamed"
    late = webhook.told("repository", said("renamed", name="openlib", at=moment(-60)))
    assert late == "ignored: a later name is known"
    assert rows() == {SHOP_ID: ("vault", "private")}


def test_a_job_that_began_before_a_rename_goes_on_under_the_new_name(
    github: LocalGitHub, policy: GitHubPolicy, webhook: GitHub
) -> None:
    api = job(github, seconds=-30)
    assert api.open().status_code == 201
    webhook.told("repository", said("renamed", name="vault", at=moment(-5)))
    assert api.open().status_code == 201
    assert rows() == {SHOP_ID: ("vault", "private")}


def test_a_late_rename_does_not_take_a_name_that_is_another_s_by_now(
    github: LocalGitHub, policy: GitHubPolicy, webhook: GitHub
) -> None:
    RepositoryFactory.create(organization=policy.organization, name="vault", forge_key=8)
    assert job(github, seconds=-5, visibility="public").open().status_code == 201
    late = said("renamed", name="shop", repository_id=8, at=moment(-30))
    webhook.told("repository", late)
    old = Repository.objects.get(forge_key=8)
    assert rows() == {SHOP_ID: ("shop", "public"), 8: (f"vault~{old.pk}", "private")}


def test_a_late_job_does_not_take_a_name_that_is_another_s_by_now(
    github: LocalGitHub, policy: GitHubPolicy
) -> None:
    assert job(github, seconds=-5, visibility="public").open().status_code == 201
    before = rows()
    late = job(github, seconds=-30, repository_id=8)
    assert_problem(late.open(), 403, "repository_mismatch")
    assert rows() == before


def test_a_late_job_of_an_unknown_repository_does_not_bring_its_former_name(
    github: LocalGitHub, policy: GitHubPolicy, webhook: GitHub
) -> None:
    webhook.told("repository", said("renamed", name="vault", at=moment(-5)))
    assert_problem(job(github, seconds=-30).open(), 403, "repository_mismatch")
    assert rows() == {}
    assert job(github, name="vault").open("vault").status_code == 201


def test_an_index_of_unknown_origin_takes_no_other_name(
    github: LocalGitHub, policy: GitHubPolicy, webhook: GitHub
) -> None:
    """A token for that name would see what may be another repository's."""
    api_of(policy.organization).index(FILES)
    assert job(github, seconds=-30).open().status_code == 201
    outcome = webhook.told("repository", said("renamed", name="openlib", at=moment(-5)))
    assert outcome == "retired: renamed before a run of its own"
    assert rows() == {}
    assert job(github, name="openlib").open("openlib").status_code == 201


# --- What is gone ---------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["deleted", "transferred"])
def test_an_id_token_of_before_does_not_bring_a_removed_repository_back(
    github: LocalGitHub, policy: GitHubPolicy, webhook: GitHub, action: str
) -> None:
    unused = github.id_token(AUDIENCE, iat=int(moment(-30).timestamp()))
    given = job(github, seconds=-30)  # and never used to open a run
    webhook.told("repository", removed(action))
    assert_problem(exchange(unused), 403, "oidc_repository_removed")
    assert_problem(given.open(), 401, "token_revoked")
    back = github.id_token(AUDIENCE, iat=int(moment(2).timestamp()))
    assert exchange(back).status_code == 200


def removed(action: str) -> dict[str, Any]:
    if action == "deleted":
        return said("deleted")
    repository = told() | {"owner": payloads.owner(5)}
    changes = {"owner": {"from": {"organization": payloads.owner(OWNER_ID)}}}
    return payloads.on_repository("transferred", repository=repository, changes=changes)


# --- Addresses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("issuer", "server"),
    [
        ("https://token.actions.githubusercontent.com", "https://github.com"),
        ("https://token.actions.githubusercontent.com/acme-corp", "https://github.com"),
        ("https://token.actions.acme.ghe.com", "https://acme.ghe.com"),
        ("https://git.acme.example/_services/token", "https://git.acme.example"),
        ("https://git.acme.example:8443/_services/token", "https://git.acme.example:8443"),
        ("http://git.acme.example/_services/token", ""),
        ("https://token.actions.githubusercontent.com.evil.example", ""),
        ("https://user@git.acme.example/_services/token", ""),
        ("https://gitlab.example", ""),
        ("http://127.0.0.1:8000", ""),
    ],
)
def test_the_issuer_tells_where_its_repositories_are(issuer: str, server: str) -> None:
    assert forge_of(issuer) == server


def test_a_job_does_not_say_where_links_lead_but_its_issuer_does(
    github: LocalGitHub, policy: GitHubPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {github.issuer: "https://github.example"}
    monkeypatch.setattr(oidc, "forge_of", known.__getitem__)
    files = {"a.py": "def a\n"}
    api = job(github, sha=commit_of(files))
    for url in ("https://github.evil.example/acme/shop", "https://github.example/evil/shop"):
        opened = api.open(
            commit_sha=commit_of(files), repository_url=url, run_url=f"{url}/actions/runs/1"
        )
        assert opened.status_code == 201
        assert Repository.objects.get().web_url == "https://github.example/acme/shop"
        assert Repository.objects.get().runs.latest("opened_at").run_url == ""
