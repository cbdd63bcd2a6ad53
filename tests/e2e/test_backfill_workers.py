"""Backfill with Celery: a queue of its own, whose worker may be killed. All real processes."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import redis

from central.settings.backfill import BACKFILL_AT_ONCE
from scripts.local_deployment import Deployment, Worker, running_deployment, running_worker
from scripts.local_service import Organization, Service
from tests.e2e.conftest import prepared_data_directory
from tests.local_forge import OWNER_ID, LocalForge
from tests.waiting import wait_until

pytestmark = pytest.mark.system("redis-server")


@pytest.fixture(scope="module")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalForge]:
    with LocalForge(tmp_path_factory.mktemp("forge")) as running:
        yield running


@pytest.fixture(scope="module")
def deployment(forge: LocalForge) -> Iterator[Deployment]:
    """It waits for a silent worker for a few seconds."""
    settings = forge.settings() | {"AETERNA_BACKFILL_LEASE_SECONDS": "4"}
    with prepared_data_directory() as directory, running_deployment(directory, settings) as running:
        yield running


def backfill_worker(service: Service, name: str) -> Worker:
    """A worker of the queue, as deploy/entrypoint.sh starts it."""
    environment = service.environment | {"AETERNA_WORKER_METRICS_BIND": ""}
    return Worker(replace(service, environment=environment), ("--queues", "backfill"), name)


def test_a_killed_worker_s_repository_is_indexed_by_another(
    forge: LocalForge, deployment: Deployment
) -> None:
    for name in ("cart", "shop"):
        forge.add(name, {f"{name}.py": f"def {name}_total():\n    return 1\n"})
    token = deployment.service.create_organization(
        "globex", "--github-owner-id", str(OWNER_ID), scopes="index,search,admin"
    )
    globex = Organization(deployment.service, "globex", token)
    forge.held.clear()
    backfill_id = globex.post("onboarding", owner="acme")["id"]

    def stages() -> list[str | None]:
        rows = globex.get(f"onboarding/{backfill_id}")["repositories"]
        return [row["stage"] for row in rows]

    with running_worker(backfill_worker(deployment.service, "first")) as first:
        wait_until(lambda: "cloning" in stages(), "no clone began")
        first.kill()
    forge.held.set()
    with running_worker(backfill_worker(deployment.service, "second")):
        wait_until(
            lambda: bool(globex.get(f"onboarding/{backfill_id}")["finished"]),
            "the second worker did not finish",
        )
        clones = deployment.service.data_dir / "backfill"
        wait_until(lambda: not list(clones.iterdir()), "the killed worker's clone is left")
    done = globex.get(f"onboarding/{backfill_id}")
    assert done["counts"]["done"] == 2, done
    found = globex.search("cart_total", mode="symbol")["results"]
    assert [hit["project"] for hit in found] == ["cart"]


def test_messages_for_a_worker_that_is_not_there_do_not_accumulate(deployment: Deployment) -> None:
    with redis.Redis.from_url(deployment.redis.url) as client:
        for _ in range(3):  # each is a sweep that sends what is missing, and no more
            wait_until(lambda: client.llen("backfill") >= BACKFILL_AT_ONCE, "no message was sent")
            assert client.llen("backfill") == BACKFILL_AT_ONCE
            client.lpop("backfill")
