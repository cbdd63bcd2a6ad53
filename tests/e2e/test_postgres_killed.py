"""The embedded PostgreSQL is killed, or hangs, while the service runs: it comes back by itself."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

import httpx
import psutil
import psycopg
import pytest

from central.http.lanes import READS_IN_FRONT
from central.runtime.postgres_paths import short_name
from scripts.local_deployment import kill_postgresql, postmaster
from scripts.local_git import commit_all
from scripts.local_service import Organization, Service, authorities, running_service
from tests.e2e.conftest import MakeRepository, prepared_data_directory, write_files
from tests.e2e.indexing import index_here
from tests.waiting import wait_until

SOON = {
    "AETERNA_RUN_LEASE_SECONDS": "2",
    "AETERNA_SWEEP_SECONDS": "1",
    "AETERNA_SEARCHES_AT_ONCE": "14",  # ten of one organisation, each with its own connection
}
FILES = {"src/shop.py": "def total_of_an_invoice(lines):\n    return sum(lines)\n"}
TOGETHER = READS_IN_FRONT  # of one organisation; of more, some are refused
BOUND_SECONDS = 15  # no request may take longer, whatever PostgreSQL does


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with prepared_data_directory() as directory, running_service(directory, SOON) as running:
        yield running


@pytest.fixture
def acme(service: Service) -> Organization:
    """An organisation of the test's own: others have changed theirs."""
    return service.organization(f"acme-{token_hex(4)}")


@pytest.fixture
def shop(acme: Organization, make_repository: MakeRepository) -> Path:
    path = make_repository("shop", FILES)
    index_here(acme, path, "shop")
    return path


def search(acme: Organization) -> httpx.Response:
    return httpx.post(
        f"{acme.service.url}/api/v1/search",
        headers={"Authorization": f"Bearer {acme.token}"},
        json={"org_id": acme.slug, "query": "total of an invoice"},
        timeout=BOUND_SECONDS,
        verify=authorities(),
    )


def searches(acme: Organization) -> list[httpx.Response]:
    """Many at once, on connections that may be dead."""
    with ThreadPoolExecutor(TOGETHER) as threads:
        return list(threads.map(lambda _: search(acme), range(TOGETHER)))


def paths(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [result["file"] for result in answer.json()["results"]]


def is_ready(service: Service) -> bool:
    answer = httpx.get(f"{service.url}/readyz", timeout=BOUND_SECONDS, verify=authorities())
    return answer.status_code == 200


def test_a_killed_postmaster_is_started_again_and_meanwhile_requests_are_told(
    acme: Organization, shop: Path
) -> None:
    service = acme.service
    assert {answer.status_code for answer in searches(acme)} == {200}
    killed = postmaster(service.data_dir)
    kill_postgresql(service.data_dir)

    answers = []
    wait_until(lambda: answers.append(search(acme)) or answers[-1].status_code == 200)
    assert {answer.status_code for answer in answers} <= {200, 503}
    assert {answer.json()["code"] for answer in answers[:-1]} <= {"database_unavailable"}
    assert postmaster(service.data_dir) not in {None, killed}
    assert is_ready(service)
    assert [paths(answer) for answer in searches(acme)] == [["src/shop.py"]] * TOGETHER

    write_files(shop, {"src/late.py": "def late():\n    return 2\n"})
    commit_all(shop, "Late")
    assert index_here(acme, shop, "shop")["mode"] == "incremental"
    assert service.process
    assert service.process.poll() is None, "the same server served all the time"


def test_a_run_that_is_applied_when_postgresql_is_killed_is_applied_after_all(
    acme: Organization, shop: Path
) -> None:
    write_files(shop, {"src/late.py": "def late():\n    return 2\n"})
    commit_all(shop, "Late")
    place = short_name(acme.service.data_dir / "postgres")
    with ThreadPoolExecutor(1) as indexer:
        holder = psycopg.connect(host=str(place), user="postgres", dbname="postgres")
        holder.execute("LOCK TABLE corpus_file IN EXCLUSIVE MODE")
        run = indexer.submit(index_here, acme, shop, "shop")
        blocked = "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"
        asked = [holder.info.backend_pid]
        wait_until(lambda: bool((holder.execute(blocked, asked).fetchone() or [0])[0]))
        kill_postgresql(acme.service.data_dir)
        holder.close()
        assert run.result(timeout=120)["mode"] == "incremental"
    rows = acme.service.ask("reconcile").json()["repositories"]
    assert not any(row["missing"] or row["excess"] for row in rows)


def test_a_killed_backend_ends_no_more_than_the_requests_of_that_moment(
    acme: Organization, shop: Path
) -> None:
    """PostgreSQL then ends all others, too: none of the connections that are kept holds."""
    searches(acme)
    before = postmaster(acme.service.data_dir)
    place = short_name(acme.service.data_dir / "postgres")
    with psycopg.connect(host=str(place), user="postgres", dbname="postgres") as client:
        backends = client.execute("SELECT pid FROM pg_stat_activity WHERE state = 'idle'")
        killed, *others = [psutil.Process(pid) for (pid,) in backends]
    killed.kill()
    wait_until(lambda: not any(one.is_running() for one in (killed, *others)) and answers(place))
    assert [paths(answer) for answer in searches(acme)] == [["src/shop.py"]] * TOGETHER
    assert postmaster(acme.service.data_dir) == before


def answers(place: Path) -> bool:
    with suppress(psycopg.OperationalError):
        psycopg.connect(host=str(place), user="postgres", dbname="postgres").close()
        return True
    return False
