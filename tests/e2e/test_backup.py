"""The drill of docs/how-to/backup.md: all is lost, and comes back by the documented commands."""

import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from central.runtime.postgres_paths import short_name
from scripts.browsing import create_person, signed_in
from scripts.local_git import commit_all, new_repository
from scripts.local_service import Organization, Service, running_service
from tests.e2e.conftest import prepared_data_directory, write_files
from tests.e2e.indexing import index_here
from tests.waiting import wait_until

QUESTIONS = ("total of an invoice", "function_7", "refund a payment to a customer")
SOON = {"AETERNA_RUN_LEASE_SECONDS": "2", "AETERNA_SWEEP_SECONDS": "1"}

Seen = dict[str, Any]


def billing(amount: int) -> dict[str, str]:
    """More than ten chunks; what each file holds depends on `amount`."""
    parts = {
        f"billing/part_{number}.py": f"def function_{number}(invoice):\n"
        f'    """Part {number} of the total of an invoice."""\n    return invoice + {amount}\n'
        for number in range(12)
    }
    return {**parts, "billing/refunds.py": f"def refund_payment(customer):\n    return {amount}\n"}


@dataclass
class Drill:
    """A service that came back; what was seen of the one before, and of it."""

    service: Service
    acme: Organization
    repositories: dict[str, Path]
    cookies: dict[str, str]
    before: Seen
    after: Seen


@pytest.fixture(scope="module")
def drill() -> Iterator[Drill]:
    """Backed up while a run was being applied; then lost, restored and started again."""
    with prepared_data_directory() as directory:
        repositories = {
            name: committed(directory.parent / name, billing(amount))
            for amount, name in enumerate(("billing", "changing"))
        }
        archive = directory.parent / "monday.dump"
        with running_service(directory, SOON) as service:
            acme = service.organization("acme")
            globex = service.organization("globex")
            for name, repository in repositories.items():
                index_here(acme, repository, name)
            index_here(globex, repositories["billing"], "theirs")
            write_knowledge(acme)
            committed(repositories["changing"], billing(3))
            create_person(service, "ada", "--organization", "acme")
            with signed_in(service, "ada") as browser:
                cookies = dict(browser.cookies)
            with being_applied(acme, repositories["changing"], "changing"):
                service.manage("backup", str(archive))
            before = seen(acme, globex)
            secret_key = (directory / "secret_key").read_text()
        shutil.rmtree(directory)

        directory.mkdir(mode=0o700)
        (directory / "secret_key").write_text(secret_key)
        restored = Service(directory, SOON)
        restored.manage("restore", str(archive))
        try:
            restored.start()
            acme = Organization(restored, "acme", acme.token)
            wait_until(lambda: not acme.is_applying("changing"))
            after = seen(acme, Organization(restored, "globex", globex.token))
            yield Drill(restored, acme, repositories, cookies, before, after)
        finally:
            restored.stop()


def write_knowledge(acme: Organization) -> None:
    """A policy that code violates, and a memory with a link to code."""
    rule = {"rule": "rule: {pattern: 'return $A'}", "language": "python"}
    acme.post("graph/nodes", kind="policy", id="POL-1", title="Name results", policy=rule)
    acme.post("graph/nodes", kind="memory", id="mem-1", title="Refunds wait for a night")
    link = {"from": "mem-1", "to": "code:billing/billing/refunds.py", "type": "derived_from"}
    acme.post("graph/links", **link)
    wait_until(lambda: acme.get("graph/violations", project="billing")["count"])
    wait_until(lambda: not acme.post("graph/refresh")["documents"])


def committed(directory: Path, files: dict[str, str]) -> Path:
    if not directory.exists():
        new_repository(directory)
    write_files(directory, files)
    commit_all(directory, "Another version")
    return directory


def seen(acme: Organization, globex: Organization) -> Seen:
    """Indexes and answers."""
    return {
        "billing": acme.dump("billing"),
        "changing": acme.dump("changing"),
        "theirs": globex.dump("theirs"),
        "nodes": acme.get("graph/nodes")["nodes"],
        "links": acme.get("graph/traverse", **{"from": "mem-1"})["edges"],
        "violations": [
            one["edge"] for one in acme.get("graph/violations", project="billing")["violations"]
        ],
        **{question: ten_results(acme, question) for question in QUESTIONS},
    }


def ten_results(acme: Organization, question: str) -> list[Seen]:
    """Results without the service's address, which another start makes another."""
    results = acme.search(question, limit=10, include_projects=["billing"])["results"]
    return [
        {
            name: value.replace(acme.service.url, "") if isinstance(value, str) else value
            for name, value in one.items()
        }
        for one in results
    ]


@contextmanager
def being_applied(acme: Organization, path: Path, project: str) -> Iterator[None]:
    """Inside, a run of the project is half applied: its transaction waits for a table."""
    postgres = short_name(acme.service.data_dir / "postgres")
    with (
        ThreadPoolExecutor(1) as indexer,
        psycopg.connect(host=str(postgres), user="postgres", dbname="postgres") as holder,
    ):
        holder.execute("LOCK TABLE corpus_file IN EXCLUSIVE MODE")  # read it may be
        run = indexer.submit(index_here, acme, path, project)
        wait_until(lambda: waits_for(holder, run))
        yield
        holder.commit()
        run.result()


def waits_for(holder: "psycopg.Connection[Any]", run: "Future[Any]") -> bool:
    assert not run.done(), "the run has ended"
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"
    row = holder.execute(waiting, [holder.info.backend_pid]).fetchone()
    return bool(row and row[0])


@pytest.mark.parametrize("repository", ["billing", "theirs"])
def test_every_index_is_the_same_byte_for_byte(drill: Drill, repository: str) -> None:
    assert drill.after[repository] == drill.before[repository]
    assert '"vector":true' in drill.after[repository]
    assert '"vector":false' not in drill.after[repository]


def test_a_run_that_was_being_applied_is_applied_after_all(drill: Drill) -> None:
    assert drill.after["changing"] == drill.before["changing"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_searches_answer_the_same_ten_results(drill: Drill, question: str) -> None:
    assert len(drill.after[question]) == 10
    assert drill.after[question] == drill.before[question]


@pytest.mark.parametrize("part", ["nodes", "links", "violations"])
def test_the_knowledge_graph_is_the_same(drill: Drill, part: str) -> None:
    assert drill.after[part]
    assert drill.after[part] == drill.before[part]


def test_the_vector_store_lacks_nothing(drill: Drill) -> None:
    report = drill.service.ask("reconcile").json()
    assert {row["repository"] for row in report["repositories"]} == {
        "billing",
        "changing",
        "theirs",
    }
    assert not any(row["missing"] or row["excess"] for row in report["repositories"])


def test_people_sign_in_and_those_who_were_signed_in_still_are(drill: Drill) -> None:
    with httpx.Client(base_url=drill.service.url, cookies=drill.cookies) as browser:
        assert browser.get("/account").status_code == httpx.codes.OK
    with signed_in(drill.service, "ada") as browser:
        assert browser.get("/o/acme/").status_code == httpx.codes.OK


def test_the_next_merge_is_indexed_incrementally(drill: Drill) -> None:
    repository = committed(drill.repositories["changing"], {"billing/late.py": "def late(): ...\n"})
    report = index_here(drill.acme, repository, "changing")
    assert (report["mode"], report["reason"]) == ("incremental", "fast_forward")
    assert report["files"] == {"changed": 1, "removed": 0, "skipped": 0}
