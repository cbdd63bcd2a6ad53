"""Comments of pull requests.

https://docs.github.com/rest/issues/comments
"""

import itertools
import json
import re
from typing import Any

from tests.local_forge.handler import NOT_FOUND, Answer, Handler, route
from tests.local_forge.owners import CREATED
from tests.local_forge.repository import LocalRepository

MAX_CHARACTERS = 65_536
BOT = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}
PERSON = {"login": "octocat", "id": 583231, "type": "User"}
_FORBIDDEN: Answer = (403, {"message": "Resource not accessible by integration"})
_ids = itertools.count(9001)


def add_comment(
    repository: LocalRepository, number: int, body: str, author: dict[str, Any], url: str = ""
) -> dict[str, Any]:
    """Add a comment to a pull request; returns the schema `issue-comment`."""
    identity = next(_ids)
    page = f"{url}/{repository.owner}/{repository.name}/pull/{number}"
    made = {
        "id": identity,
        "html_url": f"{page}#issuecomment-{identity}",
        "body": body,
        "user": author,
        "created_at": CREATED,
        "updated_at": CREATED,
        "issue_url": f"https://api.github.com/repos/{repository.name}/issues/{number}",
        "author_association": "CONTRIBUTOR",
    }
    repository.comments[identity] = made
    return made


def comments_of(repository: LocalRepository, number: int) -> list[dict[str, Any]]:
    """The comments of a pull request, oldest first."""
    known = sorted(repository.comments.items())
    return [one for _, one in known if one["issue_url"].endswith(f"/issues/{number}")]


def _can_comment(handler: Handler) -> bool:
    job = handler.forge.job_tokens.get(handler.secret)
    return job.can_comment if job else handler.forge.kind_of(handler.secret) == "token"


def _refused(body: str) -> Answer | None:
    if len(body) <= MAX_CHARACTERS:
        return None
    message = f"Body is too long (maximum is {MAX_CHARACTERS} characters)"
    return 422, {"message": "Validation Failed", "errors": [{"message": message}]}


@route("GET", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/issues/(?P<number>[0-9]+)/comments")
def _list(handler: Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    if one is None:
        return NOT_FOUND
    return 200, handler.page(comments_of(one, int(found["number"])))


@route("POST", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/issues/(?P<number>[0-9]+)/comments")
def _create(handler: Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    number, body = int(found["number"]), json.loads(handler.body)["body"]
    if one is None or all(pull["number"] != number for pull in one.pulls):
        return NOT_FOUND
    if not _can_comment(handler):
        return _FORBIDDEN
    if handler.forge.writers:
        handler.forge.writers.wait(60)
    author = BOT if handler.forge.kind_of(handler.secret) == "job" else PERSON
    return _refused(body) or (201, add_comment(one, number, body, author, handler.forge.url))


@route("PATCH", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/issues/comments/(?P<id>[0-9]+)")
def _update(handler: Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    if one is None or int(found["id"]) not in one.comments:
        return NOT_FOUND
    if not _can_comment(handler):
        return _FORBIDDEN
    body = json.loads(handler.body)["body"]
    comment = one.comments[int(found["id"])]
    refused = _refused(body)
    if refused is None:
        comment["body"] = body
    return refused or (200, comment)


@route("DELETE", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/issues/comments/(?P<id>[0-9]+)")
def _delete(handler: Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    if one is None or int(found["id"]) not in one.comments:
        return NOT_FOUND
    if not _can_comment(handler):
        return _FORBIDDEN
    del one.comments[int(found["id"])]
    return 204, None
