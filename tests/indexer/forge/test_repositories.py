"""Repositories and owners as the forge describes them."""

from typing import Any

import pytest

from indexer.errors import ForgeError
from indexer.forge.api import GitHubApi
from indexer.forge.repositories import (
    find_owner,
    find_repository,
    list_repositories,
    read_owner,
    read_repository,
)
from tests.local_forge import OWNER_ID, LocalForge

ROW = {
    "id": 1,
    "name": "shop",
    "owner": {"id": 2, "login": "acme"},
    "default_branch": "main",
    "private": True,
    "visibility": "private",
}


def test_an_organisation_s_repositories_are_listed(forge: LocalForge) -> None:
    made = forge.add("shop", topics=["backend"], archived=True, fork=True, kilobytes=7)
    forge.add("other", owner="globex", owner_id=5)
    with GitHubApi(url=forge.api_url, token=forge.token) as api:
        owner = find_owner(api, "acme")
        (found,) = list_repositories(api, owner)
        assert find_repository(api, made.id) == found
        assert find_repository(api, 1) is None
    assert (owner.id, owner.is_organization) == (OWNER_ID, True)
    assert (found.full_name, found.topics, found.kilobytes) == ("acme/shop", ("backend",), 7)
    assert (found.archived, found.fork, found.visibility) == (True, True, "private")


def test_a_user_s_own_token_lists_private_repositories(tmp_path: Any) -> None:
    with LocalForge(tmp_path, owner_type="User") as forge:
        forge.add("notes")
        with GitHubApi(url=forge.api_url, token=forge.token) as api:
            names = [one.name for one in list_repositories(api, find_owner(api, "acme"))]
    assert names == ["notes"]
    assert ("GET", "/api/v3/user/repos", "token") in forge.asked


def test_an_unknown_owner_is_named(forge: LocalForge) -> None:
    with GitHubApi(url=forge.api_url, token=forge.token) as api:
        with pytest.raises(ForgeError, match="no organisation or user 'nobody'"):
            find_owner(api, "nobody")
        with pytest.raises(ForgeError, match="no name of an owner"):
            find_owner(api, "../admin")


@pytest.mark.parametrize(
    "change",
    [
        {"id": "1"},
        {"id": True},
        {"id": 2**40},
        {"name": ".."},
        {"name": "a/b"},
        {"owner": None},
        {"owner": {"id": 2, "login": "-x"}},
        {"default_branch": "-u"},
        {"default_branch": "a b"},
    ],
)
def test_what_a_command_or_an_address_could_misread_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ForgeError):
        read_repository(ROW | change)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"visibility": "public", "private": False}, "public"),
        ({"visibility": "public", "private": True}, "private"),
        ({"visibility": "internal", "private": True}, "internal"),
        ({"visibility": None, "private": False}, "public"),
        ({"visibility": None, "private": None}, "private"),
        ({"visibility": "secret", "private": True}, "private"),
    ],
)
def test_a_repository_is_public_only_if_nothing_denies_it(
    said: dict[str, Any], expected: str
) -> None:
    assert read_repository(ROW | said).visibility == expected


@pytest.mark.parametrize("account", [None, [], {"id": 42, "slug": "octo-business"}, {"login": "a"}])
def test_an_account_without_repositories_is_refused(account: Any) -> None:
    """An App may be installed for an enterprise, too."""
    with pytest.raises(ForgeError):
        read_owner(account)
