"""Ask the trace over HTTP."""

from collections.abc import Callable
from typing import Any

import pytest

from central.trace.stored.follower import CallEdges
from tests.central.protocol import Api, api_of
from tests.central.trace.corpus import organization_of

Ask = Callable[..., Any]
Callers = Callable[..., list[str]]


@pytest.fixture(autouse=True)
def database(db: None) -> None:
    """Traces read what is indexed."""


@pytest.fixture
def api(db: None) -> Api:
    """A token that sees all of acme."""
    return api_of(organization_of())


@pytest.fixture
def ask(api: Api, ask_live: Ask) -> Ask:
    """GET below /api/v1/trace: `ask("callers", symbol="verify", depth=2)`.

    It is asked twice: stored edges give what resolution gives.
    """

    def ask(what: str, **query: object) -> Any:
        live = ask_live(what, **query)
        while CallEdges().update(api.organization.pk):
            pass
        stored = ask_live(what, **query)
        assert _comparable(stored.json()) == _comparable(live.json())
        return stored

    return ask


@pytest.fixture
def ask_live(api: Api) -> Ask:
    """As `ask`, without stored edges unless there are some."""

    def ask(what: str, *, token: str = "", **query: object) -> Any:
        return api.client.get(
            f"/api/v1/trace/{what}",
            {"org_id": api.organization.slug, **query},
            headers={"Authorization": f"Bearer {token or api.token}"},
        )

    return ask


@pytest.fixture
def callers(ask: Ask) -> Callers:
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


def _comparable(answer: dict[str, Any]) -> dict[str, Any]:
    """Without what chance decides: time, signatures, and which references are the sample."""
    receipt = {**(answer.get("receipt") or {}), "took_ms": 0, "edges_behind": 0}
    receipt["resolved_by"] = [
        {**one, "disagreements": 0} for one in receipt.get("resolved_by") or ()
    ]
    if unresolved := receipt.get("unresolved"):
        sample = unresolved["sample"]
        is_all = unresolved["count"] == len(sample)
        shown = sorted(map(str, sample)) if is_all else len(sample)
        receipt["unresolved"] = {**unresolved, "sample": shown}
    return {**answer, "receipt": receipt, "next_cursor": None}
