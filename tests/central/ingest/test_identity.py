"""Which repository a run is of: who is believed about GitHub's id, the name and the address."""

from typing import Any

import pytest
from django.utils import timezone

from central.ingest.models import IndexRun
from central.repositories.models import Branch, Repository
from central.repositories.services import record_visibility
from central.repositories.states import RunState
from central.tenancy.models import ApiToken, AuditEntry, Role
from tests.central.branches import MAIN, Service
from tests.central.factories import MembershipFactory, RepositoryFactory
from tests.central.protocol import Api, api_of, apply_queued
from tests.central.refusals import assert_problem, snapshot

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def a\n"}
LIMITS: dict[str, dict[str, Any]] = {
    "names": {"repositories": ["openlib"]},
    "visibilities": {"visibilities": ["public", "internal", "private"]},
}


@pytest.fixture
def api() -> Api:
    return api_of()


def limited(api: Api, **fields: Any) -> Api:
    """A token of the same organisation that does not stand for all of it."""
    token = api_of(api.organization)
    ApiToken.objects.filter(pk=ApiToken.objects.latest("pk").pk).update(**fields)
    return token


def personal(api: Api) -> Api:
    """A token of an administrator whom nothing limits."""
    owner = MembershipFactory.create(organization=api.organization, role=Role.ADMIN).user
    return limited(api, owner=owner)


def rows() -> dict[str, tuple[int | None, str]]:
    found = Repository.objects.values_list("name", "forge_key", "visibility")
    return {name: (forge_key, visibility) for name, forge_key, visibility in found}


def answer(response: Any) -> tuple[int, dict[str, Any]]:
    """What an Open answers, but for the run's own id and secret."""
    body = {name: value for name, value in response.json().items() if name != "webhook_secret"}
    return response.status_code, body | {"run_id": None}


# --- Ids that nobody signed -----------------------------------------------------------------------


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limited_token_does_not_take_the_row_of_the_id_that_it_names(
    api: Api, limit: str
) -> None:
    """The private repository of this id is indexed later: it must not find a row of others."""
    attacker = limited(api, **LIMITS[limit])
    RepositoryFactory.create(
        organization=api.organization, name="openlib", forge_key=None, visibility="public"
    )
    assert attacker.open("openlib", repository_id=77).status_code == 201
    assert rows() == {"openlib": (None, "public")}
    api.open("vault", repository_id=77)
    assert rows() == {"openlib": (None, "public"), "vault": (77, "private")}


def test_a_personal_token_s_id_is_not_believed(api: Api) -> None:
    assert personal(api).open("openlib", repository_id=77).status_code == 201
    assert rows() == {"openlib": (None, "private")}


def test_a_limited_token_is_answered_alike_for_a_known_a_hidden_and_a_free_id(api: Api) -> None:
    api.open("vault", repository_id=77)
    token = limited(api, repositories=["openlib", "mine"])
    api.open("mine", repository_id=78)
    before = rows()
    told = []
    for repository_id in (None, 77, 78, 79):
        told.append(answer(token.open("openlib", repository_id=repository_id)))
        assert rows() == before | {"openlib": (None, "private")}
    assert all(each == told[0] for each in told)


def test_a_limited_token_displaces_nothing(api: Api) -> None:
    api.open("openlib", repository_id=77)
    token = limited(api, repositories=["openlib"])
    assert token.open("openlib", repository_id=78).json()["generation"] == 0
    assert rows() == {"openlib": (77, "private")}


def test_a_token_for_public_repositories_opens_no_run_of_a_hidden_one_and_learns_nothing(
    api: Api,
) -> None:
    api.index(FILES, project="vault")
    token = limited(api, visibilities=["public"])
    before = snapshot()
    hidden, free = token.open("vault"), token.open("nothing")
    assert_problem(hidden, 404, "repository_not_found")
    assert answer(hidden) == answer(free)
    assert snapshot() == before


# --- Ids of the whole organisation's credentials --------------------------------------------------


def test_what_the_whole_organisation_s_token_identifies_and_renames_is_in_the_audit_log(
    api: Api,
) -> None:
    run = api.open("shop").json()
    api.request("DELETE", f"/api/v1/index/runs/{run['run_id']}")  # nothing of it is on its way
    api.open("shop", repository_id=7)
    api.open("store", repository_id=7)
    api.open("store", repository_id=8)
    noted = AuditEntry.objects.filter(action__startswith="repository.").order_by("pk")
    assert [(entry.action, entry.target) for entry in noted] == [
        ("repository.identified", "shop"),
        ("repository.renamed", "store"),
        ("repository.displaced", "store"),
    ]
    label = ApiToken.objects.get().label
    assert {(entry.actor, entry.organization) for entry in noted} == {(f"token {label}", "acme")}
    assert noted[1].detail == {"before": "shop", "forge_key": 7}


@pytest.mark.parametrize(
    "request_", [("shop", 7), ("store", 7), ("shop", 8)], ids=["same", "renamed", "displaced"]
)
def test_visibility_falls_to_private_when_an_unsigned_id_changes_a_row(
    api: Api, request_: tuple[str, int]
) -> None:
    row = RepositoryFactory.create(
        organization=api.organization, name="shop", forge_key=7, visibility="public"
    )
    name, repository_id = request_
    assert api.open(name, repository_id=repository_id).status_code == 201
    row.refresh_from_db()
    assert row.visibility == ("public" if request_ == ("shop", 7) else "private")


def test_visibility_falls_to_private_when_an_unsigned_id_adopts_a_row(api: Api) -> None:
    row = RepositoryFactory.create(organization=api.organization, name="shop", visibility="public")
    api.open("shop", repository_id=7)
    row.refresh_from_db()
    assert (row.forge_key, row.visibility) == (7, "private")


# --- Addresses and branches -----------------------------------------------------------------------

EVIL = "https://github.com.evil.example/acme/openlib"


def test_a_limited_token_does_not_say_where_links_lead(api: Api) -> None:
    token = limited(api, repositories=["openlib"])
    token.open("openlib", repository_url=EVIL, run_url=f"{EVIL}/actions/runs/1")
    assert Repository.objects.get().web_url == ""
    assert IndexRun.objects.get().run_url == ""
    api.open("openlib", repository_url="https://github.com/acme/openlib")
    good = "https://github.com/acme/openlib/actions/runs/2"
    for sent, kept in ((EVIL, ""), (good.replace("openlib", "openlib2"), ""), (good, good)):
        token.open("openlib", repository_url=EVIL, run_url=sent)
        assert IndexRun.objects.latest("opened_at").run_url == kept
    assert Repository.objects.get().web_url == "https://github.com/acme/openlib"


def test_an_address_with_dots_does_not_leave_the_repository_s_own(api: Api) -> None:
    token = limited(api, repositories=["openlib"])
    url = "https://github.com/acme/openlib"
    api.open("openlib", repository_url=url)
    for path in ("/../../evil/x", "/%2e%2e/%2E./evil", "/..\\evil"):
        token.open("openlib", run_url=url + path)
        assert {run.run_url for run in IndexRun.objects.all()} == {""}


def test_a_limited_token_does_not_change_the_tracked_branch(api: Api) -> None:
    api.open("openlib")
    token = limited(api, repositories=["openlib"])
    answer = token.open("openlib", ref="refs/heads/evil", default_branch="evil")
    assert_problem(answer, 403, "ref_not_tracked")
    assert Repository.objects.get().tracked_ref == "refs/heads/main"


@pytest.mark.parametrize("name", ["OpenLib", "openlib.", "openlib~1", "\u043epenlib", "openlib\n"])
def test_a_name_that_only_looks_like_the_one_it_may_use_is_refused(api: Api, name: str) -> None:
    token = limited(api, repositories=["openlib"])
    assert token.open(name, repository_id=77).status_code in {400, 404}
    assert not Repository.objects.exists()


# --- An index that was there before its id --------------------------------------------------------


def adopted(api: Api) -> Repository:
    """A row whose index came before the whole organisation's token gave it GitHub's id."""
    api.index(FILES)
    api.open("shop", repository_id=7)
    return Repository.objects.get()


def test_an_index_of_unknown_origin_is_private_until_a_later_run_is_applied(api: Api) -> None:
    row = adopted(api)
    assert row.adopted_at is not None

    def visibility() -> str:
        row.refresh_from_db()
        return row.visibility

    record_visibility(
        organization_id=row.organization_id, forge_key=7, visibility="public", at=timezone.now()
    )
    assert visibility() == "private"
    api.queue_full(FILES | {"b.py": "def b\n"})
    apply_queued()
    assert visibility() == "public"
    assert row.adopted_at is None


def test_a_run_of_a_branch_from_before_its_id_shows_nothing(api: Api) -> None:
    type(api.organization).objects.update(branches=["release/*"])
    service = Service(api)
    service.push(MAIN, FILES)
    service.queue("release/1", FILES | {"b.py": "def b\n"})
    api.open("shop", repository_id=7)
    assert apply_queued() == [RunState.STALE]
    service.push(MAIN, FILES, is_full=True)
    assert Repository.objects.get().adopted_at is None
    assert not Branch.objects.get().is_indexed
