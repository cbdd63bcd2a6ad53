"""The multi-process set-up: PostgreSQL with pgvector, Redis, a Celery worker, a web process.

All real and all separate processes; what is killed here is killed with SIGKILL.
"""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from benchmarks.faults.sites import SeveralProcesses
from central.runtime.postgres_paths import short_name
from scripts.local_git import commit_all
from scripts.local_service import ROOT, Organization, Service, authorities, free_address
from tests.e2e.conftest import MakeRepository, prepared_data_directory, write_files
from tests.e2e.indexing import index_here
from tests.e2e.several_processes import Site, Worker, running_site, stop_postgresql
from tests.waiting import wait_until

pytestmark = pytest.mark.system("redis-server")

FILES = {f"src/module_{n}.py": f"def compute_{n}(total):\n    return {n}\n" for n in range(3)}


@pytest.fixture(scope="module")
def shared_site() -> Iterator[Site]:
    with prepared_data_directory() as directory, running_site(directory) as running:
        yield running


@pytest.fixture
def site(shared_site: Site) -> Site:
    """The shared site with every part alive, whatever an earlier test left."""
    for part in (shared_site.broker, shared_site.service, shared_site.worker):
        if part.process is None or part.process.poll() is not None:
            part.start()
    return shared_site


@contextmanager
def apply_held(site: Site) -> Iterator[None]:
    """A worker is in the last transaction of an apply, where it waits for the end of this."""
    address = {"host": str(short_name(site.service.data_dir / "postgres")), "user": "postgres"}
    blocked = "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"
    with psycopg.connect(**address) as holder, psycopg.connect(**address, autocommit=True) as other:
        holder.execute("LOCK TABLE corpus_termstat IN EXCLUSIVE MODE")
        asked = [holder.info.backend_pid]
        wait_until(
            lambda: (other.execute(blocked, asked).fetchone() or [0])[0] > 0,
            "the worker never began",
        )
        yield


def state_of(acme: Organization, project: str) -> str:
    projects = acme.get("index/status")["projects"]
    states = {row["project"]: str(row["state"]) for row in projects}
    return states.get(project, "unknown")


def readiness(site: Site) -> httpx.Response:
    return httpx.get(f"{site.service.url}/readyz", timeout=10, verify=authorities())


def assert_same_as_fresh(site: Site, repository: Path, project: str) -> None:
    index_here(site.acme, repository, f"{project}-afresh")
    state = SeveralProcesses(site).state([project, f"{project}-afresh"])
    incremental, fresh = (state.dumps[name] for name in (project, f"{project}-afresh"))
    assert incremental == fresh
    assert '"vector":true' in fresh
    wrong = [row for row in state.found if row["missing"] or row["excess"] or row["differing"]]
    assert not wrong


def test_a_merge_is_applied_by_the_worker_and_searchable(
    site: Site, make_repository: MakeRepository
) -> None:
    repository = make_repository("merged", {"src/retry.py": "def retry_with_backoff():\n    ...\n"})
    run = site.acme.index(repository, "merged")["run_id"]

    answer = site.acme.search("retry with backoff")

    assert answer["results"][0]["file"] == "src/retry.py"
    assert answer["receipt"]["complete"] is True
    assert_same_as_fresh(site, repository, "merged")
    assert '"vector":true' in site.acme.dump_by_command("merged")
    site.service.manage("reconcile", "--check")  # which fails where anything is missing
    assert_told(site, run)


def assert_told(site: Site, run: str) -> None:
    """The worker's figures, which are of all its processes, and its line of the run."""
    log = site.service.data_dir / "worker.log"

    def applied() -> list[dict[str, Any]]:  # a claim that a busy machine lost has its own line
        spans = [line for line in json_lines(log) if line.get("span") == "code.index.build"]
        return [span for span in spans if span["run"] == run and span["state"] == "applied"]

    wait_until(lambda: bool(applied()), "the worker told nothing of the run")
    (span,) = applied()
    assert span["path"] == "acme/merged"
    assert span["fileCount"] == 1
    assert span["task"] in {"central.ingest.tasks.apply_run", "central.ingest.tasks.stage"}
    assert span["request_id"]  # of the webhook, or of the sweep where that was faster
    bind = site.service.environment["AETERNA_WORKER_METRICS_BIND"]
    figures = httpx.get(f"http://{bind}/metrics", timeout=10).text
    count = re.search(r'aeterna_apply_seconds_count{outcome="applied"} (\d+)', figures)
    assert count
    assert int(count[1]) >= 1


def json_lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]


def test_a_worker_killed_while_applying_is_replaced_and_the_run_ends_applied(
    site: Site, make_repository: MakeRepository
) -> None:
    repository = make_repository("killed", FILES)
    indexer = site.acme.start_index(repository, "killed")
    with apply_held(site):
        site.worker.end(signal.SIGKILL)
        assert state_of(site.acme, "killed") == "indexing"
    site.worker.start()

    _, errors = indexer.communicate(timeout=120)
    assert indexer.returncode == 0, errors
    assert_same_as_fresh(site, repository, "killed")


def test_a_stopped_worker_loses_its_run_and_writes_nothing_when_it_goes_on(
    site: Site, make_repository: MakeRepository
) -> None:
    """As a machine that hangs for a while."""
    repository = make_repository("stopped", FILES)
    indexer = site.acme.start_index(repository, "stopped")
    with apply_held(site):
        site.worker.send(signal.SIGSTOP)
    bind = {"AETERNA_WORKER_METRICS_BIND": free_address()}
    other = Worker(replace(site.service, environment=site.service.environment | bind))
    other.start()
    try:
        _, errors = indexer.communicate(timeout=120)
        assert indexer.returncode == 0, errors
    finally:
        other.end(signal.SIGTERM)
        site.worker.send(signal.SIGCONT)

    site.acme.index(make_repository("next", {"a.py": "a = 1\n"}), "next")  # by the one that is left
    assert_same_as_fresh(site, repository, "stopped")


def test_a_message_lost_with_its_broker_delays_a_run_and_never_loses_it(
    site: Site, make_repository: MakeRepository
) -> None:
    repository = make_repository("lost", {"src/lost.py": "def found_again():\n    return 1\n"})
    site.broker.kill()
    wait_until(lambda: readiness(site).status_code == 503, "the broker's absence is not noticed")
    assert "broker" in readiness(site).text

    indexer = site.acme.start_index(repository, "lost")
    wait_until(lambda: state_of(site.acme, "lost") == "indexing", "the run was not accepted")
    site.broker.start()

    _, errors = indexer.communicate(timeout=120)
    assert indexer.returncode == 0, errors
    assert readiness(site).status_code == 200
    assert site.acme.search("found again", include_projects=["lost"])["count"] == 1


def test_a_killed_web_process_comes_back_with_the_same_answers(
    site: Site, make_repository: MakeRepository
) -> None:
    repository = make_repository("web", {"src/web.py": "def answer_http():\n    return 200\n"})
    index_here(site.acme, repository, "web")
    before = site.acme.search("answer http", include_projects=["web"])["results"]

    site.service.kill()
    site.service.start()

    assert site.acme.search("answer http", include_projects=["web"])["results"] == before


def test_without_postgresql_requests_fail_fast_and_work_goes_on_when_it_is_back(
    site: Site, make_repository: MakeRepository
) -> None:
    repository = make_repository("database", {"src/a.py": "def first():\n    return 1\n"})
    index_here(site.acme, repository, "database")

    refused, seconds = refused_without_postgresql(site)
    assert refused.json()["code"] == "database_unavailable"
    assert seconds < 10

    wait_until(lambda: readiness(site).status_code == 200, "the service did not recover")
    write_files(repository, {"src/b.py": "def second():\n    return 2\n"})
    commit_all(repository, "Second")
    report = index_here(site.acme, repository, "database")
    assert report["mode"] == "incremental"
    assert_same_as_fresh(site, repository, "database")


def refused_without_postgresql(site: Site) -> tuple[httpx.Response, float]:
    """A request while it is gone, and its seconds; each time it is gone longer, up to 3 seconds."""
    for _ in range(3):
        wait_until(lambda: readiness(site).status_code == 200, "the service did not recover")
        stop_postgresql(site.service)
        started = time.monotonic()
        answer = httpx.get(
            f"{site.service.url}/api/v1/index/status",
            params={"org_id": "acme"},
            headers={"Authorization": f"Bearer {site.acme.token}"},
            timeout=30,
        )
        if answer.status_code == 503:
            return answer, time.monotonic() - started
    raise AssertionError("PostgreSQL was never gone for long enough to be missed")


def test_edge_with_a_broker_is_refused_at_start_with_the_reason(data_dir: Path) -> None:
    service = Service(data_dir, {"CELERY_BROKER_URL": "redis://127.0.0.1:9/0"})
    done = subprocess.run(
        [sys.executable, "-m", "central.serve"],
        cwd=ROOT,
        env=service.variables(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode != 0
    assert "VECTOR_STORE_URL=postgresql:" in done.stderr
