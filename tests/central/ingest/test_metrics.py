"""Figures of the database: right, and of nobody in particular."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from central.repositories.models import IndexProblem, Push, Repository
from central.repositories.states import RunState
from tests.central.factories import IndexRunFactory, RepositoryFactory
from tests.central.protocol import metrics

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def counted_anew() -> None:
    cache.clear()


def figures() -> dict[tuple[str, str], float]:
    """By name and the one label, if there is one."""
    text = metrics()
    return {
        (sample.name, next(iter(sample.labels.values()), "")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def indexed(**values: object) -> Repository:
    fields = {"generation": 1, "indexed_at": timezone.now(), "last_indexed_commit": "a" * 40}
    repository: Repository = RepositoryFactory.create(**fields | values)
    return repository


def test_repositories_are_counted_by_state() -> None:
    indexed(chunks=7, files=2)
    indexed(chunks=5, files=1, trouble=IndexProblem.BEHIND)
    indexed(trouble=IndexProblem.FAILED)
    indexed(paused=True)
    IndexRunFactory.create(repository=indexed(), state=RunState.APPLYING)
    RepositoryFactory.create_batch(2)
    indexed(chunks=1000, retired_at=timezone.now())
    found = figures()
    states = ("current", "behind", "failed", "paused", "indexing", "never", "retired")
    assert [found["aeterna_repositories", state] for state in states] == [1, 1, 1, 1, 1, 2, 1]
    assert found["aeterna_chunks", ""] == 12
    assert found["aeterna_files", ""] == 3
    assert found["aeterna_runs", "applying"] == 1


def test_ages_of_indexes_are_in_buckets() -> None:
    for age in (0.5, 2, 2, 100, 24 * 90):
        indexed(indexed_at=timezone.now() - age * HOUR)
    RepositoryFactory.create()
    found = figures()
    ages = [found["aeterna_index_age_seconds_bucket", str(float(3600 * h))] for h in (1, 6, 24)]
    assert ages == [1, 3, 3]
    assert found["aeterna_index_age_seconds_gcount", ""] == 5


def test_the_oldest_push_is_one_that_is_not_indexed() -> None:
    assert figures()["aeterna_oldest_unindexed_push_seconds", ""] == 0
    now = timezone.now()
    for hours, commit, is_pending, values in (
        (9, "a" * 40, True, {}),  # indexed since
        (8, "b" * 40, True, {"paused": True}),
        (7, "b" * 40, False, {}),  # known to be nothing to index
        (6, "b" * 40, True, {"retired_at": now}),
        (5, "b" * 40, False, {"trouble": IndexProblem.BEHIND}),
        (4, "b" * 40, True, {}),
    ):
        Push.objects.create(
            repository=indexed(**values),
            commit_sha=commit,
            pushed_at=now - hours * HOUR,
            is_pending=is_pending,
        )
    age = figures()["aeterna_oldest_unindexed_push_seconds", ""]
    assert age == pytest.approx(5 * 3600, abs=60)


def test_ended_runs_are_not_counted_each_time() -> None:
    IndexRunFactory.create_batch(3, state=RunState.APPLIED)
    assert figures()["aeterna_runs", "applied"] == 3
    IndexRunFactory.create(state=RunState.APPLIED)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert figures()["aeterna_runs", "applied"] == 3
    counted = [one for one in queries if "GROUP BY" in (one["sql"] or "")]
    assert len(counted) == 5, "repositories, those without index, runs, a backfill's, due edges"


def test_no_figure_names_a_repository_or_an_organisation() -> None:
    repository = indexed(name="very-private-name", organization__slug="very-private")
    IndexRunFactory.create(repository=repository)
    Client().get("/o/very-private/r/very-private-name")
    Client().get("/api/v1/index/status?org_id=very-private")
    assert "very-private" not in metrics()
