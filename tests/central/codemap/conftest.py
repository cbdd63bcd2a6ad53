"""Ask about the whole organisation over HTTP."""

from collections.abc import Callable
from typing import Any

import pytest

from central.trace.stored.follower import follow
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
        while follow(api.organization):
            pass
        return get(api, what, token=token, **query)

    return ask


def get(api: Api, what: str, *, token: str = "", **query: object) -> Any:
    """GET below /api/v1/ with the organisation."""
    return api.client.get(
        f"/api/v1/{what}",
        {"org_id": api.organization.slug, **query},
        headers={"Authorization": f"Bearer {token or api.token}"},
    )
