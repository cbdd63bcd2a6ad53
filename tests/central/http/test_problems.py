"""Every error has a status in the one table, and every failure is a problem document."""

import shutil
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.management import call_command
from django.db import InterfaceError, OperationalError
from django.test import Client, RequestFactory
from psycopg.errors import ProgramLimitExceeded
from rest_framework import exceptions as drf

from central.errors import InvalidError, ServiceError
from central.http import problems
from indexer.errors import (
    BundleError,
    EmbedderRateLimitedError,
    EmbedderUnavailableError,
    IndexerError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreUnavailableError,
)
from tests.central.protocol import api_of


def tree(root: type[Exception]) -> Iterator[type[Exception]]:
    yield root
    for child in root.__subclasses__():
        yield from tree(child)


@pytest.mark.parametrize("error", [*tree(ServiceError), *tree(IndexerError)])
def test_every_error_is_in_the_table(error: type[Exception]) -> None:
    assert error.__module__ not in {"central.errors", "indexer.errors"} or (
        error in problems.STATUSES
    )
    assert any(cls in problems.STATUSES for cls in error.__mro__)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (InvalidError("no", code="special", hint=1), 400, "special"),
        (BundleError("no", code="batch_not_gzip"), 400, "batch_not_gzip"),
        (OperationalError("secret host"), 503, "database_unavailable"),
        (InterfaceError("secret host"), 503, "database_unavailable"),
        (StoreError("secret host"), 503, "vector_store_refused"),
        (StoreFullError("secret path"), 503, "disk_full"),
        (StoreUnavailableError("secret host"), 503, "vector_store_unavailable"),
        (StoreLockedError("secret host"), 503, "vector_store_unavailable"),
        (EmbedderUnavailableError("secret host"), 503, "embedder_unavailable"),
        (EmbedderRateLimitedError("secret host"), 503, "embedder_unavailable"),
        (PermissionDenied(), 403, "forbidden"),
        (drf.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
        (drf.Throttled(), 429, "throttled"),
    ],
)
def test_an_error_becomes_a_document(error: Exception, status: int, code: str) -> None:
    response = problems.response_to(RequestFactory().get("/x"), error)
    assert response is not None
    assert response.status_code == status
    assert f'"code": "{code}"' in response.content.decode()
    assert "secret" not in response.content.decode()
    assert ("Retry-After" in response) == (status == 503)


def test_a_database_that_is_away_because_the_disk_is_full_is_said_to_be_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """PostgreSQL ends where it has no space for its log, and then does not say why."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    found = problems.problem_for(OperationalError("the connection was closed"))
    assert found is not None
    assert (found.status, found.code) == (503, "disk_full")


def test_this_machine_s_full_disk_says_nothing_about_a_database_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(settings, "DATABASE_IS_EMBEDDED", False)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    found = problems.problem_for(OperationalError("the connection was closed"))
    assert found is not None
    assert (found.status, found.code) == (503, "database_unavailable")


def test_an_unknown_error_is_left_to_propagate() -> None:
    assert problems.response_to(RequestFactory().get("/x"), ZeroDivisionError()) is None


@pytest.mark.django_db
def test_unknown_addresses_methods_and_failures_are_documents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api = api_of()
    assert api.request("GET", "/nowhere").json()["code"] == "not_found"
    assert api.request("PUT", "/api/v1/index/status").json()["code"] == "method_not_allowed"

    def fails(**arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("central.repositories.status.visible_repositories", fails)
    answer = api.status()
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert answer["X-Request-Id"]

    def away(**arguments: object) -> None:
        raise OperationalError

    monkeypatch.setattr("central.repositories.status.visible_repositories", away)
    assert api.status().json()["code"] == "database_unavailable"


@pytest.mark.django_db
def test_the_database_being_away_outside_the_api_is_503_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(request: object) -> None:
        raise OperationalError

    monkeypatch.setattr("django.contrib.admin.sites.AdminSite.has_permission", lambda *_: away(_))
    answer = Client(raise_request_exception=False).get("/admin/")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert "database_unavailable" in answer.content.decode()


def test_the_schema_is_valid_and_without_warnings(tmp_path: object) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", f"{tmp_path}/schema.yml")


def test_the_schema_leaves_the_internal_routes_out() -> None:
    schema = Client().get("/api/v1/schema").content.decode()
    assert "/api/v1/index/runs/{run_id}" in schema
    assert "internal" not in schema


def test_a_statement_beyond_the_database_s_limits_is_no_outage() -> None:
    error = OperationalError("word is too long")
    error.__cause__ = ProgramLimitExceeded("word is too long")
    assert problems.response_to(RequestFactory().get("/x"), error) is None
