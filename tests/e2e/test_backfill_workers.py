"""Backfill with Celery: a queue of its own, whose worker may be killed. All real processes."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from indexer.limits import BACKFILL_AT_ONCE
from scripts.local_forge import OWNER_ID, LocalForge
from scripts.local_service import ROOT, Organization, Service
from tests.e2e.conftest import prepared_data_directory
from tests.e2e.test_several_processes import running_site
from tests.waiting import wait_until

pytestmark = pytest.mark.system("redis-server")

CELERY = ("-m", "celery", "-A", "central", "worker", "--queues", "backfill", "--concurrency", "1")


@contextmanager
def backfill_worker(service: Service, name: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of the queue, as deploy/entrypoint.sh starts it."""
    environment = service.variables() | {"AETERNA_WORKER_METRICS_BIND": ""}
    with (service.data_dir / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, *CELERY, "--hostname", f"{name}@%h"],
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        end(process, signal.SIGTERM)


def end(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if process.poll() is None:
        os.killpg(process.pid, number)
        process.wait(timeout=60)


def test_a_killed_worker_s_repository_is_indexed_by_another(tmp_path: Path) -> None:
    with (
        LocalForge(tmp_path) as forge,
        prepared_data_directory() as directory,
        running_site(directory, forge.settings()) as site,
    ):
        for name in ("cart", "shop"):
            forge.add(name, {f"{name}.py": f"def {name}_total():\n    return 1\n"})
        token = site.service.create_organization(
            "globex", "--github-owner-id", str(OWNER_ID), scopes="index,search,admin"
        )
        globex = Organization(site.service, "globex", token)
        forge.held.clear()
        backfill_id = globex.post("onboarding", owner="acme")["id"]

        def stages() -> list[str | None]:
            rows = globex.get(f"onboarding/{backfill_id}")["repositories"]
            return [row["stage"] for row in rows]

        with backfill_worker(site.service, "first") as first:
            wait_until(lambda: "cloning" in stages(), "no clone began")
            end(first, signal.SIGKILL)
        forge.held.set()
        with backfill_worker(site.service, "second"):
            wait_until(
                lambda: bool(globex.get(f"onboarding/{backfill_id}")["finished"]),
                "the second worker did not finish",
            )
            clones = site.service.data_dir / "backfill"
            wait_until(lambda: not list(clones.iterdir()), "the killed worker's clone is left")
        done = globex.get(f"onboarding/{backfill_id}")
        assert done["counts"]["done"] == 2, done
        found = globex.search("cart_total", mode="symbol")["results"]
        assert [hit["project"] for hit in found] == ["cart"]


def test_messages_for_a_worker_that_is_not_there_do_not_accumulate(tmp_path: Path) -> None:
    with (
        LocalForge(tmp_path) as forge,
        prepared_data_directory() as directory,
        running_site(directory, forge.settings()) as site,
    ):
        client = redis.Redis.from_url(site.broker.url)
        for _ in range(3):  # each is a sweep that sends what is missing, and no more
            wait_until(lambda: client.llen("backfill") >= BACKFILL_AT_ONCE, "no message was sent")
            assert client.llen("backfill") == BACKFILL_AT_ONCE
            client.lpop("backfill")
        client.close()
