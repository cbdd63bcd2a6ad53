"""Owners and lists of their repositories.

https://docs.github.com/rest/repos/repos
"""

import re
from typing import TYPE_CHECKING, Any

from tests.local_forge.handler import NOT_FOUND, Answer, Handler, route
from tests.local_forge.repository import OWNER, OWNER_ID, LocalRepository

if TYPE_CHECKING:
    from tests.local_forge.server import LocalForge

CREATED = "2024-01-26T19:01:12Z"


def owner_document(forge: "LocalForge", login: str, owner_id: int) -> dict[str, Any]:
    """The schema `simple-user`."""
    return {
        "login": login,
        "id": owner_id,
        "node_id": f"O_{owner_id}",
        "avatar_url": "",
        "gravatar_id": "",
        "url": f"{forge.api_url}/users/{login}",
        "html_url": f"{forge.url}/{login}",
        "type": forge.owner_type if login == OWNER else "User",
        "site_admin": False,
    }


def repository_document(forge: "LocalForge", one: LocalRepository) -> dict[str, Any]:
    """The schema `repository` of GitHub's OpenAPI document, as far as any client looks."""
    url = f"{forge.url}/{one.owner}/{one.name}"
    return {
        "id": one.id,
        "node_id": f"R_{one.id}",
        "name": one.name,
        "full_name": f"{one.owner}/{one.name}",
        "owner": owner_document(forge, one.owner, one.owner_id),
        "private": one.visibility != "public",
        "html_url": url,
        "description": None,
        "fork": one.fork,
        "url": f"{forge.api_url}/repos/{one.owner}/{one.name}",
        "clone_url": "https://elsewhere.example/never-used.git",
        "default_branch": "main",
        "size": one.kilobytes,
        "archived": one.archived,
        "disabled": False,
        "topics": one.topics,
        "visibility": one.visibility,
        "pushed_at": CREATED,
        "created_at": CREATED,
        "updated_at": CREATED,
        "permissions": {"admin": False, "push": True, "pull": True},
    }


@route("GET", "/users/(?P<login>[^/]+)")
def _user(handler: Handler, found: re.Match[str]) -> Answer:
    known = {one.owner: one.owner_id for one in handler.forge.repositories.values()} | {
        OWNER: OWNER_ID
    }
    login = found["login"]
    return (
        (200, owner_document(handler.forge, login, known[login])) if login in known else NOT_FOUND
    )


@route("GET", "/user")
def _me(handler: Handler, found: re.Match[str]) -> Answer:
    del found
    login, number = ("octocat", 583231)
    if handler.forge.owner_type == "User":
        login, number = OWNER, OWNER_ID
    return 200, owner_document(handler.forge, login, number)


def _of(handler: Handler, login: str) -> list[Any]:
    rows = sorted(handler.forge.repositories.values(), key=lambda one: one.name)
    return [
        repository_document(handler.forge, one)
        for one in rows
        if one.owner == login and handler.forge.may_read(handler.secret, one)
    ]


@route("GET", "/orgs/(?P<login>[^/]+)/repos")
def _organization_repositories(handler: Handler, found: re.Match[str]) -> Answer:
    return 200, handler.page(_of(handler, found["login"]))


@route("GET", "/user/repos")
def _own_repositories(handler: Handler, found: re.Match[str]) -> Answer:
    del found
    return 200, handler.page(_of(handler, OWNER))


@route("GET", "/installation/repositories")
def _installed_repositories(handler: Handler, found: re.Match[str]) -> Answer:
    del found
    if handler.forge.kind_of(handler.secret) != "installation":
        return 403, {"message": "You must authenticate with an installation access token"}
    rows = _of(handler, OWNER)
    return 200, {
        "total_count": len(rows),
        "repository_selection": "all",
        "repositories": handler.page(rows),
    }


@route("GET", "/repositories/(?P<id>[0-9]+)")
def _repository_by_id(handler: Handler, found: re.Match[str]) -> Answer:
    one = handler.forge.repositories.get(int(found["id"]))
    if one is None or not handler.forge.may_read(handler.secret, one):
        return NOT_FOUND
    return 200, repository_document(handler.forge, one)


@route("GET", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)")
def _repository(handler: Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    return (200, repository_document(handler.forge, one)) if one else NOT_FOUND
