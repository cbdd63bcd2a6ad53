"""`python -m benchmarks load` on real processes: a few clients with a few requests each."""

from datetime import UTC, datetime

import pytest

from benchmarks.load import measurements as measuring
from benchmarks.load.clients import run_clients
from benchmarks.load.command import client_groups
from benchmarks.load.corpus import LARGE, SMALL, Size, prepare, totals
from benchmarks.load.deployment import running_deployment
from benchmarks.load.measurements import measured, runs_since
from benchmarks.load.report import Step, details, figures, is_error, resources, verdict
from benchmarks.tables import Figure
from tests.e2e.conftest import prepared_data_directory

CLIENTS, REQUESTS, SEED = 8, 6, 24


@pytest.mark.system("redis-server")
@pytest.mark.timeout(600)
def test_a_campaign_asks_both_organisations_and_measures_every_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        prepared_data_directory() as directory,
        running_deployment(directory, web_processes=1) as deployment,
    ):
        tenants = prepare(deployment.service, Size())
        assert prepare(deployment.service, Size()) == tenants  # kept
        chunks, references = totals(deployment.service)
        began = datetime.now(UTC)
        everyone = client_groups(deployment, tenants, CLIENTS)
        with measured(deployment) as measurements:
            outcomes = run_clients(
                deployment.urls, everyone, seed=SEED, seconds=300, requests=REQUESTS
            )
        runs = runs_since(deployment.service, began)
        killed_at = datetime.now(UTC)
        deployment.worker.kill()
        run_clients(deployment.urls, everyone, seed=SEED, seconds=300, requests=REQUESTS)
        monkeypatch.setattr(measuring, "APPLIED_SECONDS", 0.0)
        of_no_worker = runs_since(deployment.service, killed_at)

    assert chunks > 0
    assert references > 0
    assert not [one for one in outcomes if is_error(one)]
    assert {one.organization for one in outcomes} == {LARGE, SMALL}
    assert {"search", "callers", "graph", "status", "page", "open"} <= {
        one.kind for one in outcomes
    }
    assert measurements.livez
    assert not measurements.failures
    assert {"web", "worker", "redis", "postgresql"} <= measurements.processor.keys()
    step = Step(CLIENTS, False, 1.0, outcomes, measurements, runs)
    assert details(step).row_count > 10
    assert resources(step).row_count == 4
    named = {figure.name: figure for figure in figures(step)}
    assert named["8 clients: other errors"].holds
    assert named["8 clients: /livez failed"].holds
    assert named["8 clients: runs applied or stale, of those announced"].value
    assert named["8 clients: runs applied or stale, of those announced"].holds
    assert named["8 clients: runs that wait"].holds
    assert not of_no_worker.applied
    assert of_no_worker.waiting


def test_the_exit_code_and_the_last_lines_name_the_bounds_that_are_missed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    held = [Figure("search p99", 0.5, "s", 1.0), Figure("answers", 30, "/s")]
    assert verdict(held) == 0
    assert capsys.readouterr().out == "1 of 1 bounds hold.\n"
    assert verdict([*held, Figure("/livez, worst", 0.31, "s", 0.1)]) == 1
    assert capsys.readouterr().out == "1 of 2 bounds hold.\nmissed: /livez, worst: 0.31 of 0.1 s\n"
