"""Ask about the whole organisation over HTTP."""

from collections.abc import Callable
from typing import Any

import pytest

from central.trace.stored.follower import CallEdges
from tests.central.protocol import Api, api_of
from tests.central.trace.corpus import organization_of

Ask = Callable[..., Any]


@pytest.fixture
def api(db: None) -> Api:
    """A token that sees all of acme."""
    return api_of(organization_of())


@pytest.fixture
def ask(api: Api) -> Ask:
    """GET below /api/v1/, when edges follow: `ask("map", level="package")`."""

    def ask(what: str, *, token: str = "", **query: object) -> Any:
        while CallEdges().update(api.organization.pk):
            pass
        return get(api, what, token=token, **query)

    return ask


@pytest.fixture
def send(api: Api) -> Ask:
    """POST below /api/v1/, when edges follow: `send("map/consumers", project="lib")`."""

    def send(what: str, *, token: str = "", **body: object) -> Any:
        while CallEdges().update(api.organization.pk):
            pass
        return api.client.post(
            f"/api/v1/{what}",
            {"org_id": api.organization.slug, **body},
            content_type="application/json",
            headers={"Authorization": f"Bearer {token or api.token}"},
        )

    return send


def get(api: Api, what: str, *, token: str = "", **query: object) -> Any:
    """GET below /api/v1/ with the organisation."""
    return api.client.get(
        f"/api/v1/{what}",
        {"org_id": api.organization.slug, **query},
        headers={"Authorization": f"Bearer {token or api.token}"},
    )
