"""A GitHub App: its installation, and tokens for some of the repositories.

https://docs.github.com/rest/apps/apps
"""

import json
import re
import secrets

from tests.local_forge.handler import NOT_FOUND, Answer, Handler, route
from tests.local_forge.owners import CREATED, owner_document
from tests.local_forge.repository import OWNER, OWNER_ID

APP_ID = "1234"
INSTALLATION_ID = 555


@route("GET", "/(?P<kind>orgs|users)/(?P<login>[^/]+)/installation")
def _installation(handler: Handler, found: re.Match[str]) -> Answer:
    if handler.forge.kind_of(handler.secret) != "app":
        return 401, {"message": "A JSON web token could not be decoded"}
    is_organization = handler.forge.owner_type == "Organization"
    if found["login"] != OWNER or (found["kind"] == "orgs") != is_organization:
        return NOT_FOUND
    return 200, {
        "id": INSTALLATION_ID,
        "account": owner_document(handler.forge, OWNER, OWNER_ID),
        "repository_selection": "all",
        "app_id": int(APP_ID),
        "target_type": handler.forge.owner_type,
        "permissions": {"contents": "read", "metadata": "read"},
        "events": ["push"],
    }


@route("POST", "/app/installations/(?P<id>[0-9]+)/access_tokens")
def _access_token(handler: Handler, found: re.Match[str]) -> Answer:
    if handler.forge.kind_of(handler.secret) != "app" or int(found["id"]) != INSTALLATION_ID:
        return 401, {"message": "A JSON web token could not be decoded"}
    asked = json.loads(handler.body or b"{}")
    token = "ghs_" + secrets.token_hex(18)
    ids = asked.get("repository_ids")
    handler.forge.installation_tokens[token] = None if ids is None else set(ids)
    return 201, {
        "token": token,
        "expires_at": CREATED,
        "permissions": asked.get("permissions", {}),
        "repository_selection": "all" if ids is None else "selected",
    }
