"""Requests to the forge's API, over real HTTP."""

import pytest

from indexer.errors import ForgeError, ForgeUnavailableError
from indexer.forge import api as module
from indexer.forge.api import FORGE_ANSWER_BYTES, GitHubApi
from tests.indexer.forge.answering import answering
from tests.local_forge import LocalForge


def test_a_list_is_read_page_by_page(forge: LocalForge) -> None:
    forge.page_size = 2
    names = [forge.add(f"r{number}").name for number in range(5)]
    with GitHubApi(url=forge.api_url, token=forge.token) as api:
        assert [row["name"] for row in api.pages("orgs/acme/repos")] == names
    assert len(forge.asked) == 3


def test_a_list_without_end_is_refused(forge: LocalForge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FORGE_PAGES", 2)
    forge.page_size = 1
    for number in range(3):
        forge.add(f"r{number}")
    with (
        GitHubApi(url=forge.api_url, token=forge.token) as api,
        pytest.raises(ForgeError, match="more than 2 pages"),
    ):
        list(api.pages("orgs/acme/repos"))


def test_a_reached_rate_limit_says_how_long_to_wait(forge: LocalForge) -> None:
    forge.limited = 1
    with (
        GitHubApi(url=forge.api_url, token=forge.token) as api,
        pytest.raises(ForgeUnavailableError) as caught,
    ):
        api.get("users/acme")
    assert 0 < caught.value.pause_seconds <= 2


def test_an_unavailable_forge_may_be_asked_again(forge: LocalForge) -> None:
    forge.is_away = True
    with (
        GitHubApi(url=forge.api_url, token=forge.token) as api,
        pytest.raises(ForgeUnavailableError, match="HTTP 503"),
    ):
        api.get("users/acme")


def test_a_refused_token_is_not_in_the_message(forge: LocalForge) -> None:
    with (
        GitHubApi(url=forge.api_url, token="ghp_wrong") as api,
        pytest.raises(ForgeError, match="Bad credentials") as caught,
    ):
        api.get("users/acme")
    assert "ghp_wrong" not in str(caught.value)
    assert "ghp_wrong" not in repr(api)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ('"no\\u0000 such\\n\\ud800 thing\\u0000"', "no� such � thing"),
        ('"\\u0000"', "no reason given"),
        ("7", "no reason given"),
        ('"' + "x" * 1_000 + '"', "x" * 200),
    ],
)
def test_a_message_of_the_forge_is_one_line_that_can_be_stored(said: str, shown: str) -> None:
    body = f'{{"message": {said}}}'.encode()
    with (
        answering(422, {}, body) as (url, _),
        GitHubApi(url=url) as api,
        pytest.raises(ForgeError) as caught,
    ):
        api.get("users/acme")
    assert str(caught.value) == f"The forge answered HTTP 422 at /users/acme: {shown}"


def test_a_redirect_to_another_server_is_not_followed() -> None:
    with (
        answering(200, {}) as (other, seen),
        answering(301, {"Location": f"{other}/users/acme"}) as (own, _),
        GitHubApi(url=own, token="secret") as api,
    ):
        with pytest.raises(ForgeError, match="names another server"):
            api.get("users/acme")
        assert seen == []


def test_a_page_at_another_server_is_not_read() -> None:
    with (
        answering(200, {}, b"[]") as (other, seen),
        answering(200, {"Link": f'<{other}/x>; rel="next"'}, b"[]") as (own, _),
        GitHubApi(url=own, token="secret") as api,
    ):
        with pytest.raises(ForgeError, match="names another server"):
            list(api.pages("orgs/acme/repos"))
        assert seen == []


def test_a_redirect_within_the_api_is_followed_a_few_times() -> None:
    with (
        answering(301, {"Location": "/again"}) as (own, seen),
        GitHubApi(url=own) as api,
    ):
        with pytest.raises(ForgeError, match="without end"):
            api.get("users/acme")
        assert len(seen) == 3


@pytest.mark.parametrize("address", ["http://[::1", "javascript:x", "http://[x]/"])
@pytest.mark.parametrize(("status", "header"), [(301, "Location"), (200, "Link")])
def test_what_is_no_address_is_refused(status: int, header: str, address: str) -> None:
    value = f'<{address}>; rel="next"' if header == "Link" else address
    with (
        answering(status, {header: value}, b"[]") as (own, seen),
        GitHubApi(url=own) as api,
        pytest.raises(ForgeError),
    ):
        list(api.pages("orgs/acme/repos"))
    assert len(seen) == 1


def test_a_header_of_any_characters_is_read() -> None:
    with answering(200, {"X-Name": "\xe9"}, b"[]") as (own, _), GitHubApi(url=own) as api:
        assert api.get("users/acme") == []


def test_an_answer_is_limited_in_size(monkeypatch: pytest.MonkeyPatch) -> None:
    assert FORGE_ANSWER_BYTES > 100
    monkeypatch.setattr(module, "FORGE_ANSWER_BYTES", 100)
    with (
        answering(200, {}, b'"' + b"a" * 101 + b'"') as (own, _),
        GitHubApi(url=own) as api,
        pytest.raises(ForgeError, match="too long"),
    ):
        api.get("users/acme")


@pytest.mark.parametrize("body", [b"<html>", b"[" * 100_000])
def test_an_answer_that_is_no_json_is_refused(body: bytes) -> None:
    with (
        answering(200, {}, body) as (own, _),
        GitHubApi(url=own) as api,
        pytest.raises(ForgeError, match="no JSON"),
    ):
        api.get("users/acme")
