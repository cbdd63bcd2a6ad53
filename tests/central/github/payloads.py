"""Webhooks as GitHub sends them: payloads in its shapes, signed with a secret.

https://docs.github.com/webhooks/webhook-events-and-payloads
"""

import hashlib
import hmac
import json
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from django.test import Client

OWNER_ID, OTHER_OWNER_ID = 38302899, 21031067
REPOSITORY_ID = 186853261
APP_SECRET = "the App's secret"
URL = "/api/v1/github/webhook"
ZEROS = "0" * 40

_numbers = count(1)


def owner(owner_id: int = OWNER_ID) -> dict[str, Any]:
    return {"login": "acme", "id": owner_id, "type": "Organization", "site_admin": False}


def repository(name: str = "shop", **members: Any) -> dict[str, Any]:
    return {
        "id": REPOSITORY_ID,
        "name": name,
        "full_name": f"acme/{name}",
        "private": True,
        "owner": owner(),
        "html_url": f"https://github.com/acme/{name}",
        "description": None,
        "fork": False,
        "created_at": "2019-05-15T15:19:25Z",
        "updated_at": "2019-05-15T15:20:41Z",
        "pushed_at": "2019-05-15T15:20:33Z",
        "default_branch": "main",
        "visibility": "private",
        "topics": [],
    } | members


def push(after: str = "b" * 40, **members: Any) -> dict[str, Any]:
    """A push of `after` to main; unlike elsewhere, `pushed_at` is in seconds."""
    return {
        "ref": "refs/heads/main",
        "before": "a" * 40,
        "after": after,
        "created": False,
        "deleted": after == ZEROS,
        "forced": False,
        "repository": repository(pushed_at=1557933657),
        "pusher": {"name": "someone", "email": "someone@example.com"},
        "organization": owner(),
        "sender": {"login": "someone", "id": 1, "type": "User"},
        "commits": [{"id": after, "message": "Change it", "added": [], "modified": ["a.py"]}],
        "head_commit": None,
    } | members


def deleted(ref: str, **members: Any) -> dict[str, Any]:
    """A `delete` event: the name is short, and the time is written out."""
    return {
        "ref": ref,
        "ref_type": "branch",
        "pusher_type": "user",
        "repository": repository(),
        "organization": owner(),
        "sender": {"login": "someone", "id": 1, "type": "User"},
    } | members


def on_repository(action: str, **members: Any) -> dict[str, Any]:
    """A `repository` event."""
    return {
        "action": action,
        "repository": repository(),
        "organization": owner(),
        "sender": {"login": "someone", "id": 1, "type": "User"},
    } | members


def renamed(name: str) -> dict[str, Any]:
    changes = {"repository": {"name": {"from": "shop"}}}
    return on_repository("renamed", repository=repository(name), changes=changes)


def transferred(*, from_id: int = OWNER_ID, to_id: int = OTHER_OWNER_ID) -> dict[str, Any]:
    """The repository is told as its new owner's already."""
    return on_repository(
        "transferred",
        repository=repository(owner=owner(to_id)),
        organization=owner(to_id),
        changes={"owner": {"from": {"organization": owner(from_id)}}},
    )


def default_branch(old: str, new: str) -> dict[str, Any]:
    return on_repository(
        "edited",
        repository=repository(default_branch=new),
        changes={"default_branch": {"from": old}},
    )


def visibility(action: str, told: str, at: str = "2019-05-15T15:20:41Z") -> dict[str, Any]:
    changed = repository(visibility=told, private=told != "public", updated_at=at)
    return on_repository(action, repository=changed)


def listed(name: str, repository_id: int, *, private: bool = True) -> dict[str, Any]:
    """A repository as installations list it."""
    return {
        "id": repository_id,
        "node_id": "MDEwOlJlcG9zaXRvcnkx",
        "name": name,
        "full_name": f"acme/{name}",
        "private": private,
    }


def installation(action: str, **members: Any) -> dict[str, Any]:
    """An `installation` or `installation_repositories` event."""
    return {
        "action": action,
        "installation": {"id": 957387, "account": owner(), "target_type": "Organization"},
        "repositories": [],
        "sender": {"login": "someone", "id": 1, "type": "User"},
    } | members


def ping() -> dict[str, Any]:
    return {
        "zen": "Anything added dilutes everything else.",
        "hook_id": 109948940,
        "hook": {"type": "Organization", "id": 109948940, "name": "web", "active": True},
        "organization": owner(),
    }


EXAMPLES: list[tuple[str, dict[str, Any]]] = [
    ("push", push()),
    ("push", push(ZEROS)),
    ("repository", renamed("store")),
    ("repository", on_repository("deleted")),
    ("repository", transferred()),
    ("repository", default_branch("main", "trunk")),
    ("repository", visibility("publicized", "public")),
    ("repository", visibility("privatized", "private")),
    ("repository", on_repository("archived")),
    ("installation", installation("created", repositories=[listed("shop", 7), listed("web", 8)])),
    ("installation", installation("deleted")),
    ("installation_repositories", installation("added", repositories_added=[listed("shop", 7)])),
    ("ping", ping()),
    ("star", {"action": "created", "repository": repository()}),
    ("delete", deleted("release/1")),
    ("push", push(ZEROS, ref="refs/tags/v1")),
    (
        "installation_repositories",
        installation("removed", repositories_removed=[listed("shop", 7), listed("web", 8)]),
    ),
]


def sign(secret: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


@dataclass
class GitHub:
    """GitHub with a webhook's secret; `org_id` for an organisation's own webhook."""

    secret: str = APP_SECRET
    org_id: str | None = None
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def send(self, event: str, payload: Any, **headers: str) -> Any:
        """Deliver a payload, or bytes as they are; each under an id of its own."""
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        query = "" if self.org_id is None else f"?org_id={self.org_id}"
        content_type = headers.pop("Content-Type", "application/json")
        return self.client.generic(
            "POST",
            URL + query,
            data=body,
            content_type=content_type,
            headers={
                "X-GitHub-Event": event,
                "X-GitHub-Delivery": f"72d3162e-cc78-11e3-81ab-{next(_numbers):012}",
                "X-Hub-Signature-256": sign(self.secret, body),
            }
            | headers,
        )

    def told(self, event: str, payload: Any, **headers: str) -> str:
        """The outcome of a delivery that is accepted."""
        response = self.send(event, payload, **headers)
        assert response.status_code == 202, response.content
        return str(response.json()["outcome"])
