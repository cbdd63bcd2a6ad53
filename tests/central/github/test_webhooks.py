"""GitHub's webhooks, from the signed request to what search and status say."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone
from pytest_django import Settings

from central.github.models import GitHubDelivery, GitHubPolicy
from central.github.signatures import organization_secret
from central.http.bodies import GITHUB_WEBHOOK_BYTES, max_body_bytes
from central.ingest.services.claims import sweep
from central.repositories.models import Push, Repository
from central.tenancy.models import Organization
from tests.central.factories import RepositoryFactory
from tests.central.github import payloads
from tests.central.github.payloads import APP_SECRET, OTHER_OWNER_ID, OWNER_ID, GitHub
from tests.central.protocol import Api, api_of, apply_queued, commit_of
from tests.central.refusals import assert_problem

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def recipe salt\n"}


@pytest.fixture(autouse=True)
def app_secret(settings: Settings) -> None:
    settings.GITHUB_WEBHOOK_SECRET = APP_SECRET


@pytest.fixture
def github() -> GitHub:
    return GitHub()


@pytest.fixture
def api(acme: Organization) -> Api:
    """Acme's, with shop indexed."""
    api = api_of(acme)
    api.queue_full(FILES, repository_id=payloads.REPOSITORY_ID)
    apply_queued()
    return api


def stored() -> tuple[str, str]:
    delivery = GitHubDelivery.objects.get()
    return delivery.event, delivery.outcome


def search(api: Api) -> list[tuple[str, str]]:
    body = {"org_id": "acme", "query": "recipe"}
    results = api.request("POST", "/api/v1/search", body).json()["results"]
    return [(result["project"], result["url"]) for result in results]


# --- Events -------------------------------------------------------------------------------------


def test_a_push_is_noted_with_github_s_time_and_is_behind_after_a_while(
    api: Api, github: GitHub
) -> None:
    seconds = int((timezone.now() - timedelta(minutes=settings.BEHIND_MINUTES)).timestamp())
    payload = payloads.push(repository=payloads.repository(pushed_at=seconds))
    assert github.told("push", payload) == "push noted"
    assert Push.objects.get().pushed_at == datetime.fromtimestamp(seconds, UTC)
    assert stored() == ("push", "push noted")
    sweep()
    (project,) = api.status(project="shop").json()["projects"]
    assert (project["state"], project["last_indexed_commit"]) == ("behind", commit_of(FILES))
    assert "b" * 40 in project["error"]


@pytest.mark.parametrize(
    ("payload", "outcome"),
    [
        (payloads.push(ref="refs/heads/other"), "ignored: the ref is not tracked"),
        (payloads.push(ref="refs/tags/main"), "ignored: the ref is not tracked"),
        (payloads.push(payloads.ZEROS, ref="refs/tags/v1"), "ignored: a tag was deleted"),
        (
            payloads.push(repository=payloads.repository(id=5, pushed_at=1)),
            "ignored: no repository here has this id",
        ),
    ],
)
@pytest.mark.usefixtures("shop")
def test_pushes_to_something_else_are_ignored(
    github: GitHub, payload: dict[str, Any], outcome: str
) -> None:
    assert github.told("push", payload) == outcome
    assert not Push.objects.exists()


@pytest.mark.usefixtures("shop")
def test_an_older_push_that_comes_later_is_ignored(github: GitHub) -> None:
    late = payloads.push("c" * 40, repository=payloads.repository(pushed_at=1557933650))
    github.told("push", payloads.push())
    assert github.told("push", late) == "ignored: a later push is known"
    assert Push.objects.get().commit_sha == "b" * 40


def test_a_renamed_repository_keeps_its_index_under_the_new_name(api: Api, github: GitHub) -> None:
    assert github.told("repository", payloads.renamed("store")) == "renamed"
    ((project, url),) = search(api)
    assert project == "store"
    assert url.startswith("https://github.com/acme/store/blob/")
    assert api.status(project="shop").status_code == 404
    (status,) = api.status(project="store").json()["projects"]
    assert (status["generation"], status["files"]) == (1, 1)
    again = api.open("store", repository_id=payloads.REPOSITORY_ID)
    assert again.json()["base_commit"] == commit_of(FILES)


def test_a_repository_that_has_the_new_name_here_makes_way(
    acme: Organization, shop: Repository, github: GitHub
) -> None:
    holder = RepositoryFactory.create(organization=acme, name="store")
    github.told("repository", payloads.renamed("store"))
    holder.refresh_from_db()
    shop.refresh_from_db()
    assert (shop.name, holder.name) == ("store", f"store~{holder.pk}")


@pytest.mark.parametrize(
    ("payload", "outcome"),
    [
        (payloads.on_repository("deleted"), "retired: deleted"),
        (payloads.transferred(), "retired: transferred"),
    ],
)
def test_a_removed_repository_is_gone_from_every_answer_at_once(
    api: Api, github: GitHub, payload: dict[str, Any], outcome: str
) -> None:
    assert search(api)
    assert github.told("repository", payload) == outcome
    assert search(api) == []
    assert api.status().json()["projects"] == []
    assert github.told("repository", payload) == "ignored: no repository here has this id"


def test_the_tracked_branch_follows_the_default_one(shop: Repository, github: GitHub) -> None:
    payload = payloads.default_branch("main", "trunk")
    assert github.told("repository", payload) == "tracked branch changed"
    shop.refresh_from_db()
    assert shop.tracked_ref == "refs/heads/trunk"
    assert github.told("repository", payload) == "ignored: another branch is tracked"


@pytest.mark.usefixtures("shop")
def test_another_edit_changes_nothing(github: GitHub) -> None:
    payload = payloads.on_repository("edited", changes={"description": {"from": "a shop"}})
    assert github.told("repository", payload).startswith("ignored")


@pytest.mark.parametrize(
    ("action", "told"),
    [("publicized", "public"), ("privatized", "private"), ("privatized", "internal")],
)
def test_visibility_is_what_github_says(
    shop: Repository, github: GitHub, action: str, told: str
) -> None:
    github.told("repository", payloads.visibility(action, told))
    shop.refresh_from_db()
    assert shop.visibility == told


def test_what_github_says_late_of_visibility_is_outdated(shop: Repository, github: GitHub) -> None:
    github.told("repository", payloads.visibility("privatized", "private", "2026-11-22T10:00:01Z"))
    late = payloads.visibility("publicized", "public", "2026-11-22T10:00:00Z")
    assert github.told("repository", late) == "ignored: a later visibility is known"
    listed = payloads.listed("shop", payloads.REPOSITORY_ID, private=False)
    github.told("installation", payloads.installation("created", repositories=[listed]))
    shop.refresh_from_db()
    assert shop.visibility == "private"


def test_an_installation_tells_ids_and_visibility_of_what_is_known_by_name(
    acme: Organization, github: GitHub
) -> None:
    policy = GitHubPolicy.objects.create(organization=acme)
    known = RepositoryFactory.create(organization=acme, name="shop")
    other = RepositoryFactory.create(organization=acme, name="web", forge_key=9)
    payload = payloads.installation(
        "created",
        repositories=[
            payloads.listed("shop", 7, private=False),
            payloads.listed("web", 8, private=False),  # another repository of that name
            payloads.listed("new", 10),
        ],
    )
    assert github.told("installation", payload) == "installation noted, 1 known repositories"
    for row in (policy, known, other):
        row.refresh_from_db()
    assert policy.installation_id == 957387
    assert (known.forge_key, known.visibility) == (7, "public")
    assert (other.forge_key, other.visibility) == (9, "private")
    assert github.told("installation", payloads.installation("deleted")) == "installation removed"
    policy.refresh_from_db()
    assert policy.installation_id is None


def test_repositories_that_are_added_later_are_identified_too(
    acme: Organization, github: GitHub
) -> None:
    shop = RepositoryFactory.create(organization=acme, name="shop", visibility="internal")
    payload = payloads.installation("added", repositories_added=[payloads.listed("shop", 7)])
    github.told("installation_repositories", payload)
    shop.refresh_from_db()
    assert (shop.forge_key, shop.visibility) == (7, "private")
    # Of one that is known by its id, a list does not tell private from internal.
    Repository.objects.update(visibility="internal")
    github.told("installation_repositories", payload)
    shop.refresh_from_db()
    assert shop.visibility == "internal"


@pytest.mark.usefixtures("acme")
def test_an_installation_gives_no_trust_that_nobody_asked_for(github: GitHub) -> None:
    told = github.told("installation", payloads.installation("created"))
    assert told == "no policy to note the installation in, 0 known repositories"
    assert not GitHubPolicy.objects.exists()
    told = github.told("installation", payloads.installation("deleted"))
    assert told == "ignored: the installation was not noted"


@pytest.mark.usefixtures("acme")
def test_a_ping_is_answered(github: GitHub) -> None:
    assert github.told("ping", payloads.ping()) == "pong"
    assert github.told("ping", {"zen": "Keep it simple."}) == "pong"


@pytest.mark.usefixtures("acme")
def test_what_nothing_is_made_of_is_accepted_and_said_to_be_ignored(github: GitHub) -> None:
    payload = {"action": "created", "repository": payloads.repository()}
    assert github.told("star", payload) == "ignored: nothing is made of star created here"


# --- Whose it is --------------------------------------------------------------------------------


@pytest.fixture
def own(acme: Organization) -> GitHub:
    """The organisation's own webhook."""
    return GitHub(organization_secret(acme), "acme")


def test_an_organisation_s_own_webhook_changes_its_repositories(
    shop: Repository, own: GitHub
) -> None:
    assert own.told("repository", payloads.renamed("store")) == "renamed"
    shop.refresh_from_db()
    assert shop.name == "store"
    assert own.told("ping", payloads.ping()) == "pong"


@pytest.mark.parametrize(("event", "payload"), payloads.EXAMPLES)
def test_its_secret_is_for_payloads_of_its_owner_alone(
    shop: Repository, event: str, payload: dict[str, Any]
) -> None:
    globex = Organization.objects.create(slug="globex", github_owner_id=5)
    before = Repository.objects.filter(pk=shop.pk).values().get()
    response = GitHub(organization_secret(globex), "globex").send(event, payload)
    assert_problem(response, 403, "owner_mismatch")
    assert not GitHubDelivery.objects.exists()
    assert Repository.objects.filter(pk=shop.pk).values().get() == before


def test_without_an_owner_id_an_organisation_s_own_webhook_says_what_is_lacking() -> None:
    organization = Organization.objects.create(slug="acme")
    response = GitHub(organization_secret(organization), "acme").send("ping", payloads.ping())
    assert_problem(response, 403, "owner_mismatch")
    assert "an administrator can set" in response.json()["detail"]


@pytest.mark.usefixtures("shop")
def test_an_owner_whom_nobody_here_knows_is_ignored_and_not_stored(github: GitHub) -> None:
    payload = payloads.push(repository=payloads.repository(owner=payloads.owner(3), pushed_at=1))
    assert github.told("push", payload) == "ignored: no organisation here has this owner"
    assert not GitHubDelivery.objects.exists()


def test_the_new_owner_of_a_transferred_repository_loses_nothing(
    shop: Repository, own: GitHub
) -> None:
    arrived = payloads.transferred(from_id=OTHER_OWNER_ID, to_id=OWNER_ID)
    assert own.told("repository", arrived).startswith("ignored: transferred to here")
    assert GitHub().told("repository", arrived).startswith("ignored")
    shop.refresh_from_db()
    assert shop.retired_at is None


def test_a_transfer_between_two_organisations_here_retires_the_old_one_s_only(
    shop: Repository, github: GitHub
) -> None:
    globex = Organization.objects.create(slug="globex", github_owner_id=OTHER_OWNER_ID)
    new = RepositoryFactory.create(organization=globex, forge_key=payloads.REPOSITORY_ID)
    assert github.told("repository", payloads.transferred()) == "retired: transferred"
    shop.refresh_from_db()
    new.refresh_from_db()
    assert shop.retired_at
    assert new.retired_at is None


def test_the_same_github_id_in_two_organisations_stays_apart(
    shop: Repository, github: GitHub
) -> None:
    """Somebody may claim any id with an API token; that must not reach the true owner's."""
    globex = Organization.objects.create(slug="globex", github_owner_id=OTHER_OWNER_ID)
    claimed = RepositoryFactory.create(organization=globex, forge_key=payloads.REPOSITORY_ID)
    github.told("repository", payloads.on_repository("deleted"))
    claimed.refresh_from_db()
    shop.refresh_from_db()
    assert (bool(shop.retired_at), claimed.retired_at) == (True, None)


# --- The request --------------------------------------------------------------------------------


@pytest.mark.usefixtures("shop")
def test_the_same_delivery_again_has_the_same_outcome_and_changes_nothing(github: GitHub) -> None:
    once = {"X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958"}
    assert github.told("repository", payloads.on_repository("deleted"), **once).startswith("ret")
    before = Repository.objects.values().get()
    assert github.told("repository", payloads.on_repository("deleted"), **once).startswith("ret")
    assert Repository.objects.values().get() == before
    assert GitHubDelivery.objects.count() == 1


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "payload",
    [
        {"ref": "refs/heads/main"},
        payloads.push(after=5),  # type: ignore[arg-type]
        payloads.push(repository=payloads.repository(pushed_at=None)),
        payloads.push(repository=payloads.repository(pushed_at=10**30)),
        payloads.push(repository=payloads.repository(pushed_at="0001-01-01T00:00:00+23:00")),
        payloads.push(repository=payloads.repository(id=True, pushed_at=1)),
        payloads.push(repository=payloads.repository(id=2**40, pushed_at=1)),
    ],
)
def test_a_malformed_payload_is_refused_and_not_stored(
    github: GitHub, payload: dict[str, Any]
) -> None:
    assert_problem(github.send("push", payload), 400, "github_payload_invalid")
    assert not GitHubDelivery.objects.exists()


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b"[" * 100_000])
def test_what_is_not_a_json_object_is_refused(github: GitHub, body: bytes) -> None:
    assert_problem(github.send("push", body), 400, "invalid")


def test_forms_are_refused_with_the_setting_to_change(github: GitHub) -> None:
    response = github.send(
        "ping", b"payload=%7B%7D", **{"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert_problem(response, 415, "unsupported_media_type")
    assert "application/json" in response.json()["detail"]


@pytest.mark.parametrize("name", ["X-GitHub-Event", "X-GitHub-Delivery"])
@pytest.mark.parametrize("value", ["", "x" * 101, "a b", "é"])
def test_headers_that_github_does_not_send_are_refused(
    github: GitHub, name: str, value: str
) -> None:
    response = github.send("ping", payloads.ping(), **{name: value})
    assert_problem(response, 400, "github_header_invalid")


@pytest.mark.usefixtures("shop")
def test_a_push_of_many_commits_is_read_though_it_is_larger_than_other_bodies(
    github: GitHub,
) -> None:
    message = {"id": "b" * 40, "message": "x" * 1400}
    payload = payloads.push(commits=[message] * 2048)
    assert github.told("push", payload) == "push noted"


def test_a_body_over_the_limit_is_refused(github: GitHub) -> None:
    assert_problem(github.send("push", b" " * (GITHUB_WEBHOOK_BYTES + 1)), 413, "too_large")
    assert max_body_bytes(payloads.URL, None) == GITHUB_WEBHOOK_BYTES
