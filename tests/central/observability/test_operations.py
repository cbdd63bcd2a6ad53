"""Health, metrics, checks and logs."""

import json
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import structlog
from django.core.cache import cache
from django.core.checks import run_checks
from django.test import Client
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from pytest_django import Settings

from aeterna_code_search.contract.search import Mode, SearchRequest
from central.observability import health, logs
from central.observability import metrics as prometheus
from central.search.service import search
from central.tenancy.models import Organization
from indexer.errors import StoreUnavailableError
from tests.central.protocol import api_of, metrics
from tests.central.search.corpus import credential_for


def test_livez_asks_nothing() -> None:
    assert Client().get("/livez").json() == {"status": "live"}


@pytest.fixture(autouse=True)
def results_are_made_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "KEPT_SECONDS", 0)


def test_who_asks_for_readiness_again_and_again_starts_no_checks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One thread answers them all: the probe of an orchestrator would wait behind the rest."""
    made = []
    monkeypatch.setattr(health, "CHECKS", {"database": lambda: made.append(1)})
    assert Client().get("/readyz").status_code == 200
    monkeypatch.setattr(health, "KEPT_SECONDS", 3_600)
    answers = [Client().get("/readyz").json() for _ in range(3)]
    assert answers == [{"status": "ready", "checks": {"database": "ok"}}] * 3
    assert made == [1]


@pytest.mark.django_db(transaction=True)
def test_readyz_is_ok_when_everything_answers() -> None:
    answer = Client().get("/readyz")
    assert answer.status_code == 200, answer.json()
    assert answer.json() == {
        "status": "ready",
        "checks": {"database": "ok", "broker": "ok", "vector_store": "ok"},
    }


@pytest.mark.django_db(transaction=True)
def test_readyz_says_which_one_is_away_and_does_not_wait_long(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    answered, ended = threading.Event(), threading.Event()

    def hangs() -> None:
        answered.wait(60)
        ended.set()

    def away() -> None:
        raise StoreUnavailableError("qdrant.internal refused")

    monkeypatch.setattr(health, "CHECK_SECONDS", 1.5)
    monkeypatch.setitem(health.CHECKS, "database", hangs)
    monkeypatch.setitem(health.CHECKS, "vector_store", away)
    answer = Client().get("/readyz")
    assert not ended.is_set()  # it came while the check hung
    answered.set()
    assert answer.status_code == 503
    assert answer.json()["checks"] == {
        "database": "no answer in time",
        "broker": "unavailable",
        "vector_store": "unavailable",
    }
    assert b"qdrant.internal" not in answer.content


@pytest.mark.django_db
def test_metrics_count_runs_and_time_applies() -> None:
    cache.clear()  # ended runs are counted once a minute
    api = api_of()
    api.index({"a.py": "def a\n"})
    api.queue_full({"b.py": "def b\n"})
    text = metrics()
    assert 'aeterna_runs{state="applied"} 1.0' in text
    assert 'aeterna_runs{state="queued"} 1.0' in text
    assert "aeterna_apply_seconds_bucket" in text
    assert "aeterna_search_seconds" in text
    age = next(line for line in text.splitlines() if line.startswith("aeterna_queue_age_seconds "))
    assert 0 < float(age.split()[1]) < 60


def test_first_requests_for_metrics_at_once_list_each_figure_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class OneFigure:
        def describe(self) -> list[Metric]:
            return []

        def collect(self) -> list[GaugeMetricFamily]:
            return [GaugeMetricFamily("a_figure", "A test's own", value=1)]

    both = threading.Barrier(2, timeout=10)

    def added(_: str) -> list[type[OneFigure]]:
        both.wait()
        return [OneFigure]

    monkeypatch.setattr(prometheus, "added", added)
    prometheus.registry.cache_clear()
    try:
        with ThreadPoolExecutor(2) as threads:
            answers = [each.result() for each in [threads.submit(metrics) for _ in range(2)]]
        answers.append(metrics())
    finally:
        prometheus.registry.cache_clear()
    assert [answer.count("\na_figure 1.0") for answer in answers] == [1, 1, 1]


@pytest.mark.django_db
def test_metrics_time_searches() -> None:
    api = api_of()
    api.index({"a.py": "def a():\n    return 1\n"})
    count = 'aeterna_search_seconds_count{mode="lexical"}'

    def searches() -> float:
        text = metrics()
        lines = [line for line in text.splitlines() if line.startswith(count)]
        return float(lines[0].split()[-1]) if lines else 0.0

    before = searches()
    search(
        credential=credential_for(Organization.objects.get(slug="acme")),
        request=SearchRequest(queries=("a",), mode=Mode.LEXICAL),
    )
    assert searches() == before + 1


@pytest.mark.parametrize("given", ["", "Bearer ", "Bearer another", "Bearer é", "token"])
def test_metrics_are_for_the_token_alone(settings: Settings, given: str) -> None:
    given = f"Basic {settings.METRICS_TOKEN}" if given == "token" else given
    refused = Client().get("/metrics", headers={"Authorization": given})
    assert refused.status_code == 401
    assert refused["WWW-Authenticate"] == "Bearer"
    assert b"AETERNA_METRICS_TOKEN" in refused.content
    assert b"aeterna_" not in refused.content


@pytest.mark.parametrize("token", [None, ""])
def test_without_a_token_there_are_no_metrics(settings: Settings, token: str | None) -> None:
    settings.METRICS_TOKEN = token
    for given in ("Bearer ", "Bearer None"):
        refused = Client().get("/metrics", headers={"Authorization": given})
        assert refused.status_code == 404
        assert b"Set AETERNA_METRICS_TOKEN" in refused.content


def test_metrics_survive_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import OperationalError
    from django.db.models.query import QuerySet

    def away(*args: object, **kwargs: object) -> None:
        raise OperationalError

    monkeypatch.setattr(QuerySet, "_fetch_all", away)
    text = metrics()
    assert "aeterna_database_up 0.0" in text
    assert "# TYPE aeterna_apply_seconds histogram" in text


def test_misconfiguration_is_named_with_a_hint(settings: Settings) -> None:
    settings.VECTOR_STORE_URL = "ftp:somewhere"
    settings.RUN_MAX_ATTEMPTS = 0
    found = {check.id: check for check in run_checks()}
    assert {"aeterna.E001", "aeterna.E002"} <= found.keys()
    assert found["aeterna.E001"].hint
    settings.VECTOR_STORE_URL = "postgresql:"
    deploy = {check.id for check in run_checks(include_deployment_checks=True)}
    assert "aeterna.W001" in deploy


@pytest.mark.parametrize("seconds", [0, -1, 86_401, 10**12])
@pytest.mark.parametrize("name", ["RUN_LEASE_SECONDS", "SWEEP_SECONDS", "BACKFILL_LEASE_SECONDS"])
def test_a_lease_that_never_begins_or_ends_is_an_error(
    settings: Settings, name: str, seconds: int
) -> None:
    if name == "BACKFILL_LEASE_SECONDS":
        settings.BACKFILL = replace(settings.BACKFILL, lease_seconds=seconds)
    else:
        setattr(settings, name, seconds)
    found = [check for check in run_checks() if check.id == "aeterna.E002"]
    assert [check.msg for check in found] == [f"AETERNA_{name} is {seconds}."]
    assert found[0].hint == "Give a number above 0 and up to 86,400, or leave it unset."


def test_a_sidecar_that_cannot_be_asked_is_named_with_a_hint(settings: Settings) -> None:
    settings.CODESEARCH_SIDECAR_SECONDS = 0
    for url in ("127.0.0.1:8765/mcp", "http://me@127.0.0.1:8765/mcp", "http://:8765/mcp"):
        settings.CODESEARCH_SIDECAR_URL = url
        found = [check for check in run_checks() if check.id == "aeterna.E004"]
        assert len(found) == 2, url
        assert all(check.hint for check in found)
    settings.CODESEARCH_SIDECAR_URL = "http://127.0.0.1:8765/mcp"
    settings.CODESEARCH_SIDECAR_SECONDS = 10
    assert "aeterna.E004" not in {check.id for check in run_checks()}


@pytest.mark.parametrize(
    ("address", "is_fine"),
    [
        (None, True),
        ("https://code.acme.example", True),
        ("http://127.0.0.1:8000", True),
        ("https://ghes.acme.example/_services/token", True),
        ("https://code.acme.example/", False),
        ("https://Code.acme.example", False),
        ("HTTPS://code.acme.example", False),
        ("https://me@code.acme.example", False),
        ("https://code.acme.example?a", False),
        ("https://code.acme.example:port", False),
        ("https://code acme.example", False),
        ("https://", False),
        ("code.acme.example", False),
        ("ftp://code.acme.example", False),
    ],
)
def test_an_address_that_no_id_token_can_name_is_an_error(
    settings: Settings, address: str | None, is_fine: bool
) -> None:
    for name in ("PUBLIC_URL", "GITHUB_OIDC_ISSUER"):
        setattr(settings, name, address)
        found = [check for check in run_checks() if check.id == "aeterna.E003"]
        assert len(found) == (0 if is_fine else 1), name
        assert all("https://host.example" in (check.hint or "") for check in found)
        setattr(settings, name, "https://fine.example")


@pytest.mark.parametrize(
    ("url", "seconds", "faults"),
    [
        (None, 10, 0),
        ("http://127.0.0.1:7700/mcp", 1, 0),
        ("127.0.0.1:7700/mcp", 10, 1),
        ("http://me:secret@127.0.0.1:7700/mcp", 10, 1),
        ("http://127.0.0.1:port/mcp", 0, 2),
    ],
)
def test_a_sidecar_that_cannot_be_asked_is_an_error(
    settings: Settings, url: str | None, seconds: int, faults: int
) -> None:
    settings.CODESEARCH_SIDECAR_URL = url
    settings.CODESEARCH_SIDECAR_SECONDS = seconds
    found = [check for check in run_checks() if check.id == "aeterna.E004"]
    assert len(found) == faults
    assert all(check.hint and "secret" not in check.msg for check in found)


@pytest.mark.parametrize(
    ("given", "is_kept"), [("abc-12345", True), ("x", False), ("a b" * 9, False)]
)
def test_a_request_id_is_kept_if_it_is_well_formed(given: str, is_kept: bool) -> None:
    answer = Client().get("/livez", headers={"X-Request-Id": given})
    assert (answer["X-Request-Id"] == given) == is_kept


@pytest.mark.django_db
def test_a_request_is_one_line_without_query_or_token(caplog: pytest.LogCaptureFixture) -> None:
    api = api_of()
    with caplog.at_level(logging.INFO):
        api.status(project="hush")
    (record,) = [r for r in caplog.records if "index/status" in r.getMessage()]
    assert api.token not in caplog.text
    assert "hush" not in record.getMessage()


def test_lines_are_json_where_there_is_no_terminal() -> None:
    formatter = structlog.stdlib.ProcessorFormatter(processors=logs.rendering(is_terminal=False))
    record = logging.LogRecord("x", logging.INFO, __file__, 1, "hello", None, None)
    assert json.loads(formatter.format(record))["event"] == "hello"
