"""A job without a key: what it asks the service, over the real URL map."""

import json
from typing import Any

from django.test import Client

from central.github.models import IdTokenUse
from central.repositories.models import Repository
from central.tenancy.models import ApiToken, Organization
from tests.central.protocol import Api
from tests.local_github import LocalGitHub

ROUTE = "/api/v1/auth/github-oidc"
AUDIENCE = "https://code.acme.example"


def exchange(token: object, purpose: object = "index") -> Any:
    """POST an id token."""
    client = Client(raise_request_exception=False)
    body = json.dumps({"token": token, "purpose": purpose})
    return client.post(ROUTE, body, content_type="application/json")


def api_of_job(github: LocalGitHub, purpose: str = "index") -> Api:
    """The API as the job of `github.claims` sees it."""
    answer = exchange(github.id_token(AUDIENCE), purpose)
    assert answer.status_code == 200, answer.content
    return Api(Organization.objects.get(slug="acme"), answer.json()["access_token"])


def rows() -> list[object]:
    """Everything that an exchange may write."""
    return [
        *ApiToken.objects.order_by("pk").values_list("pk", "digest"),
        *IdTokenUse.objects.order_by("pk").values_list("pk"),
        *Repository.objects.order_by("pk").values_list("pk", "name", "visibility"),
    ]
