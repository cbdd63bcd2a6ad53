"""Authors of commits are stored by the organisation's policy, whatever a client sends."""

import hashlib
import hmac
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import F

from central.corpus.commits import put_commits
from central.corpus.models import Commit
from central.db import fetch_rows
from central.repositories.models import Repository
from central.tenancy.models import AuditEntry, Organization
from tests.central.commits import commit, push_commits
from tests.central.protocol import Api, api_of
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db

# Not pg_stat_activity, which is as it was when a transaction first read it.
BLOCKED = "SELECT FROM pg_locks WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))"
ADA, BOB = "ada@example.org", "bob@example.org"


@pytest.fixture
def api() -> Api:
    return api_of()


def acme() -> Organization:
    return Organization.objects.get(slug="acme")


def policy(name: str) -> None:
    call_command("authors", name, "--organization", "acme")


def stored() -> dict[str, str]:
    return dict(Commit.objects.values_list("subject", "author"))


def digest(address: str) -> str:
    return hmac.digest(bytes(acme().author_key), address.encode(), hashlib.sha256).hex()[:32]


def test_no_author_is_stored_unless_the_organisation_says_so(api: Api) -> None:
    push_commits(api, "a", commit("a", author=ADA))
    assert stored() == {"a": ""}


def test_a_stricter_policy_changes_what_is_stored_and_another_what_comes(api: Api) -> None:
    policy("plain")
    push_commits(api, "a", commit("a", author="Ada@Example.org"))
    assert stored() == {"a": ADA}
    policy("hashed")
    push_commits(api, "b", commit("b", "a", author=BOB), commit("c", "b", author=digest(ADA)))
    assert stored() == {"a": digest(ADA), "b": digest(BOB), "c": digest(ADA)}
    policy("plain")
    push_commits(api, "d", commit("d", "c", author=BOB))
    assert stored() == {"a": digest(ADA), "b": digest(BOB), "c": digest(ADA), "d": BOB}
    policy("hashed")
    assert stored()["d"] == digest(BOB)  # the key is as before
    policy("off")
    assert set(stored().values()) == {""}


def test_another_organisation_has_its_own_policy_and_key(api: Api) -> None:
    policy("hashed")
    web = Organization.objects.create(slug="web")
    push_commits(api_of(organization=web), "a", commit("a", author=ADA))
    assert stored() == {"a": ""}
    call_command("authors", "hashed", "--organization", "web")
    web.refresh_from_db()
    assert bytes(web.author_key) != bytes(acme().author_key) != b""


def test_open_tells_the_client_and_nothing_else_the_key(api: Api) -> None:
    assert api.open().json()["authors"] == {"policy": "off", "key": ""}
    policy("hashed")
    key = bytes(acme().author_key).hex()
    assert api.open().json()["authors"] == {"policy": "hashed", "key": key}
    assert len(key) == 64
    policy("plain")
    assert api.open().json()["authors"] == {"policy": "plain", "key": ""}
    details = list(AuditEntry.objects.values_list("detail", flat=True))
    assert {"author_policy": {"before": "off", "after": "hashed"}} in details
    assert key not in str(details)


def test_an_address_that_is_longer_in_lower_case_is_cut(api: Api) -> None:
    policy("plain")
    push_commits(api, "a", commit("a", author="\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}" * 320))
    assert len(stored()["a"]) == 320


@pytest.mark.django_db(transaction=True)
def test_an_apply_that_read_the_former_policy_is_waited_for() -> None:
    """It has stored addresses that no other transaction sees yet."""
    api = api_of()
    policy("plain")
    push_commits(api, "a", commit("a", author=ADA))
    [key] = Repository.objects.values_list("pk", flat=True)

    def change() -> None:
        try:
            policy("hashed")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as executor:
        with transaction.atomic():
            Repository.objects.filter(pk=key).update(generation=F("generation") + 1)
            put_commits(key, [commit("b", "a", author=BOB)], [])
            changed = executor.submit(change)
            wait_until(lambda: bool(fetch_rows(BLOCKED)), "the policy did not wait")
        changed.result(20)
    assert stored() == {"a": digest(ADA), "b": digest(BOB)}
