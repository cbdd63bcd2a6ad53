"""Ask the trace over HTTP."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.central.protocol import Api, api_of
from tests.central.trace.corpus import organization_of

Ask = Callable[..., Any]


@pytest.fixture
def api(db: None) -> Api:
    """A token that sees all of acme."""
    return api_of(organization_of())


@pytest.fixture
def ask(api: Api) -> Ask:
    """GET below /api/v1/trace: `ask("callers", symbol="verify", depth=2)`."""

    def ask(what: str, **query: object) -> Any:
        return api.client.get(
            f"/api/v1/trace/{what}",
            {"org_id": api.organization.slug, **query},
            headers={"Authorization": f"Bearer {api.token}"},
        )

    return ask


@pytest.fixture
def callers(ask: Ask) -> Callable[..., list[str]]:
    """Callers in short: `project/file:line caller confidence`."""

    def callers(symbol: str, **query: object) -> list[str]:
        response = ask("callers", symbol=symbol, **query)
        assert response.status_code == 200, response.content
        return [short(link) for link in response.json()["callers"]]

    return callers


def short(link: dict[str, Any]) -> str:
    """`project/file:line caller confidence`."""
    caller = link["caller"]["qualified_name"] or link["caller"]["name"]
    return f"{link['project']}/{link['file']}:{link['line']} {caller} {link['confidence']}"


import os
if os.environ.get("FOLLOW"):
    import tests.central.trace.corpus as corpus
    _orig = corpus.change_files
    def change_files(repository, *a, **k):
        _orig(repository, *a, **k)
        from central.trace.stored.follower import follow
        while follow(repository.organization):
            pass
    corpus.change_files = change_files
