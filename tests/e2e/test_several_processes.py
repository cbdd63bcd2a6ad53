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
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from benchmarks.faults.targets import SeveralProcesses
from central.runtime.postgres_paths import short_name
from scripts.local_deployment import (
    Deployment,
    Worker,
    running_deployment,
    running_worker,
    stop_postgresql,
)
from scripts.local_git import commit_all
from scripts.local_service import ROOT, Organization, Service, authorities, free_address
from tests.e2e.conftest import MakeRepository, prepared_data_directory, write_files
from tests.e2e.indexing import index_here
from tests.waiting import wait_until

pytestmark = pytest.mark.system("redis-server")

FILES = {f"src/module_{n}.py": f"def compute_{n}(total):\n    return {n}\n" for n in range(3)}


@pytest.fixture(scope="module")
def shared_deployment() -> Iterator[Deployment]:
    with prepared_data_directory() as directory, running_deployment(directory) as running:
        yield running


@pytest.fixture
def deployment(shared_deployment: Deployment) -> Deployment:
    """The shared deployment with every part alive, whatever an earlier test left."""
    for part in (shared_deployment.redis, shared_deployment.service, shared_deployment.worker):
        if part.process is None or part.process.poll() is not None:
            part.start()
    return shared_deployment


@contextmanager
def apply_held(deployment: Deployment) -> Iterator[None]:
    """A worker is in the last transaction of an apply, where it waits for the end of this."""
    socket = short_name(deployment.service.data_dir / "postgres")
    address = {"host": str(socket), "user": "postgres"}
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


def run_state(deployment: Deployment, project: str, *, wait: int = 0) -> str:
    """What is answered of the project's present run."""
    acme = deployment.acme
    rows = acme.get("index/status")["projects"]
    (run,) = [row["run"]["id"] for row in rows if row["project"] == project]
    asked = {"wait": str(wait)} if wait else {}
    return str(acme.get(f"index/runs/{run}", **asked)["state"])


def waiting(deployment: Deployment) -> int:
    """How many requests wait for the end of a run."""
    found = re.search(r"^aeterna_deferred_requests (\S+)$", deployment.service.metrics(), re.M)
    return int(float(found[1])) if found else 0


def readiness(deployment: Deployment) -> httpx.Response:
    return httpx.get(f"{deployment.service.url}/readyz", timeout=10, verify=authorities())


def assert_same_as_fresh(deployment: Deployment, repository: Path, project: str) -> None:
    index_here(deployment.acme, repository, f"{project}-afresh")
    state = SeveralProcesses(deployment).state([project, f"{project}-afresh"])
    incremental, fresh = (state.dumps[name] for name in (project, f"{project}-afresh"))
    assert incremental == fresh
    assert '"vector":true' in fresh
    wrong = [row for row in state.found if row["missing"] or row["excess"] or row["differing"]]
    assert not wrong


def test_a_merge_is_applied_by_the_worker_and_searchable(
    deployment: Deployment, make_repository: MakeRepository
) -> None:
    repository = make_repository("merged", {"src/retry.py": "def retry_with_backoff():\n    ...\n"})
    run = deployment.acme.index(repository, "merged")["run_id"]

    answer = deployment.acme.search("retry with backoff")

    assert answer["results"][0]["file"] == "src/retry.py"
    assert answer["receipt"]["complete"] is True
    assert_same_as_fresh(deployment, repository, "merged")
    assert '"vector":true' in deployment.acme.dump_by_command("merged")
    deployment.service.manage("reconcile", "--check")  # which fails where anything is missing
    assert_told(deployment, run)


def assert_told(deployment: Deployment, run: str) -> None:
    """The worker's figures, which are of all its processes, and its line of the run."""
    log = deployment.worker.log

    def applied() -> list[dict[str, Any]]:  # a claim that a busy machine lost has its own line
        spans = [line for line in json_lines(log) if line.get("span") == "code.index.build"]
        return [span for span in spans if span["run"] == run and span["state"] == "applied"]

    wait_until(lambda: bool(applied()), "the worker told nothing of the run")
    (span,) = applied()
    assert span["path"] == "acme/merged"
    assert span["fileCount"] == 1
    assert span["task"] in {"central.ingest.tasks.apply_run", "central.ingest.tasks.stage"}
    assert span["request_id"]  # of the webhook, or of the sweep where that was faster
    bind = deployment.service.environment["AETERNA_WORKER_METRICS_BIND"]
    assert httpx.get(f"http://{bind}/metrics", timeout=10).status_code == 401
    figures = deployment.service.metrics(f"http://{bind}")
    count = re.search(r'aeterna_apply_seconds_count{outcome="applied"} (\d+)', figures)
    assert count
    assert int(count[1]) >= 1


def json_lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]


def test_a_worker_killed_while_applying_is_replaced_and_the_run_ends_applied(
    deployment: Deployment, make_repository: MakeRepository
) -> None:
    repository = make_repository("killed", FILES)
    indexer = deployment.acme.start_index(repository, "killed")
    with apply_held(deployment):
        wait_until(lambda: waiting(deployment) == 1, "the indexer does not wait")
        deployment.worker.kill()
        assert state_of(deployment.acme, "killed") == "indexing"
    deployment.worker.start()

    _, errors = indexer.communicate(timeout=120)
    assert indexer.returncode == 0, errors
    assert_same_as_fresh(deployment, repository, "killed")


def test_who_waits_is_answered_once_a_worker_elsewhere_has_applied_the_run(
    deployment: Deployment, make_repository: MakeRepository
) -> None:
    indexer = deployment.acme.start_index(make_repository("awaited", FILES), "awaited")
    with ThreadPoolExecutor() as clients:
        with apply_held(deployment):
            answers = [clients.submit(run_state, deployment, "awaited", wait=25) for _ in range(3)]
            wait_until(lambda: waiting(deployment) == 4, "they do not wait")
            assert run_state(deployment, "awaited") == "applying"  # as an older client asks
            assert not any(answer.done() for answer in answers)
        assert [answer.result() for answer in answers] == ["applied"] * 3
    _, errors = indexer.communicate(timeout=120)
    assert indexer.returncode == 0, errors


def test_a_service_that_shuts_down_answers_those_who_wait_and_the_indexer_goes_on(
    deployment: Deployment, make_repository: MakeRepository
) -> None:
    indexer = deployment.acme.start_index(make_repository("parted", FILES), "parted")
    with ThreadPoolExecutor() as clients, apply_held(deployment):
        answer = clients.submit(run_state, deployment, "parted", wait=25)
        wait_until(lambda: waiting(deployment) == 2, "they do not wait")
        deployment.service.stop()
        assert answer.result() == "applying"
        assert indexer.poll() is None
    deployment.service.start()
    _, errors = indexer.communicate(timeout=120)
    assert indexer.returncode == 0, errors


def test_a_stopped_worker_loses_its_run_and_writes_nothing_when_it_goes_on(
    deployment: Deployment, make_repository: MakeRepository
) -> None:
    """As a machine that hangs for a while."""
    repository = make_repository("stopped", FILES)
    indexer = deployment.acme.start_index(repository, "stopped")
    with apply_held(deployment):
        deployment.worker.send(signal.SIGSTOP)
    bind = {"AETERNA_WORKER_METRICS_BIND": free_address()}
    elsewhere = replace(deployment.service, environment=deployment.service.environment | bind)
    try:
        with running_worker(Worker(elsewhere)):
            _, errors = indexer.communicate(timeout=120)
            assert indexer.returncode == 0, errors
    finally:
        deployment.worker.send(signal.SIGCONT)

    following = make_repository("next", {"a.py": "a = 1\n"})
    deployment.acme.index(following, "next")  # by the one that is left
    assert_same_as_fresh(deployment, repository, "stopped")


def test_a_message_lost_with_its_broker_delays_a_run_and_never_loses_it(
    deployment: Deployment, make_repository: MakeRepository
) -> None:
    repository = make_repository("lost", {"src/lost.py": "def found_again():\n    return 1\n"})
    deployment.redis.kill()
    wait_until(
        lambda: readiness(deployment).status_code == 503, "the broker's absence is not noticed"
    )
    assert "broker" in readiness(deployment).text

    indexer = deployment.acme.start_index(repository, "lost")
    wait_until(lambda: state_of(deployment.acme, "lost") == "indexing", "the run was not accepted")
    deployment.redis.start()

    _, errors = indexer.communicate(timeout=120)
    assert indexer.returncode == 0, errors
    assert readiness(deployment).status_code == 200
    assert deployment.acme.search("found again", include_projects=["lost"])["count"] == 1


def test_a_killed_web_process_comes_back_with_the_same_answers(
    deployment: Deployment, make_repository: MakeRepository
) -> None:
    repository = make_repository("web", {"src/web.py": "def answer_http():\n    return 200\n"})
    index_here(deployment.acme, repository, "web")
    before = deployment.acme.search("answer http", include_projects=["web"])["results"]

    deployment.service.kill()
    deployment.service.start()

    assert deployment.acme.search("answer http", include_projects=["web"])["results"] == before


def test_without_postgresql_requests_fail_fast_and_work_goes_on_when_it_is_back(
    deployment: Deployment, make_repository: MakeRepository
) -> None:
    repository = make_repository("database", {"src/a.py": "def first():\n    return 1\n"})
    index_here(deployment.acme, repository, "database")

    refused, seconds = refused_without_postgresql(deployment)
    assert refused.json()["code"] == "database_unavailable"
    assert seconds < 10

    wait_until(lambda: readiness(deployment).status_code == 200, "the service did not recover")
    write_files(repository, {"src/b.py": "def second():\n    return 2\n"})
    commit_all(repository, "Second")
    report = index_here(deployment.acme, repository, "database")
    assert report["mode"] == "incremental"
    assert_same_as_fresh(deployment, repository, "database")


def refused_without_postgresql(deployment: Deployment) -> tuple[httpx.Response, float]:
    """A request while it is gone, and its seconds; each time it is gone longer, up to 3 seconds."""
    for _ in range(3):
        wait_until(lambda: readiness(deployment).status_code == 200, "the service did not recover")
        stop_postgresql(deployment.service.data_dir)
        started = time.monotonic()
        answer = httpx.get(
            f"{deployment.service.url}/api/v1/index/status",
            params={"org_id": "acme"},
            headers={"Authorization": f"Bearer {deployment.acme.token}"},
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
