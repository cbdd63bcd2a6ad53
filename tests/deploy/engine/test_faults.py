"""A process is killed, Redis or PostgreSQL is unavailable: nothing is lost, and all works again."""

from pathlib import Path

import httpx
import pytest

from scripts.local_git import commit_all, new_repository
from scripts.local_service import Organization
from tests.deploy.engine.stack import Stack
from tests.waiting import wait_until

RECOVERY_SECONDS = 600  # more than a lease and a restart take on a busy machine


def large_repository(directory: Path) -> Path:
    """One whose apply takes long enough to be interrupted."""
    repository = new_repository(directory / "large")
    for number in range(1200):
        functions = "\n\n".join(
            f"def function_{number}_{each}(value):\n"
            f'    """Part {each} of file {number}."""\n'
            f"    return function_{number}_{each - 1 if each else 9}(value + {each})\n"
            for each in range(10)
        )
        path = repository / f"package_{number % 20}" / f"module_{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(functions)
    commit_all(repository, "First commit")
    return repository


def small_repository(directory: Path) -> Path:
    """One file."""
    repository = new_repository(directory / "small")
    (repository / "invoice.py").write_text("def total_of_invoice(lines):\n    return sum(lines)\n")
    commit_all(repository, "First commit")
    return repository


def is_complete(organization: Organization, query: str) -> bool:
    """Whether a search is answered, and from all repositories."""
    try:
        answer = organization.search(query)
    except httpx.HTTPError:
        return False
    return bool(answer["results"]) and answer["receipt"]["complete"]


def test_a_worker_that_is_killed_in_an_apply_loses_nothing(stack: Stack, tmp_path: Path) -> None:
    killed = stack.organization("killed")
    repository = large_repository(tmp_path)
    worker = stack.first_process("worker")
    indexer = killed.start_index(repository, "large")
    wait_until(lambda: is_applying(killed, "large"), "no apply began", RECOVERY_SECONDS)

    stack.kill(worker)

    output, errors = indexer.communicate()
    assert indexer.returncode == 0, f"{output}{errors}"
    assert attempts(stack, "large") > 1, "the apply ended before the worker was killed"
    recovered = stack.dump("killed", "large")
    assert "function_1199_9" in recovered
    killed.index(repository, "large", "--mode", "force")
    assert stack.dump("killed", "large") == recovered
    stack.manage("reconcile", "--check")  # which fails where anything is missing


def attempts(stack: Stack, project: str) -> int:
    """How many workers have begun to apply the project's last run."""
    runs = f"IndexRun.objects.filter(repository__name={project!r})"
    program = (
        f"from central.ingest.models import IndexRun; print(({runs}).latest('opened_at').attempts)"
    )
    return int(stack.manage("shell", "--no-imports", "--command", program).stdout)


def is_applying(organization: Organization, project: str) -> bool:
    """Whether a worker has the project's run."""
    rows = organization.get("index/status")["projects"]
    return any(
        row["project"] == project and row["run"] and row["run"]["state"] == "applying"
        for row in rows
    )


@pytest.mark.parametrize("service", ["redis", "postgres"])
def test_what_was_indexed_is_found_after_a_service_was_unavailable(
    stack: Stack, tmp_path: Path, service: str
) -> None:
    organization = stack.organization(f"without-{service}")
    repository = small_repository(tmp_path)
    organization.index(repository, "small")

    stack.compose("kill", service)
    needs_it = service == "postgres"
    assert is_complete(organization, "total of invoice") == (not needs_it)
    assert not stack.is_ready()
    assert httpx.get(f"{stack.url}/livez").is_success
    stack.compose("start", service)

    wait_until(stack.is_ready, "it is not ready", RECOVERY_SECONDS)
    wait_until(
        lambda: is_complete(organization, "total of invoice"), "nothing is found", RECOVERY_SECONDS
    )
    (repository / "refund.py").write_text("def refund_of_invoice(lines):\n    return -sum(lines)\n")
    commit_all(repository, "Refunds")
    assert organization.index(repository, "small")["mode"] == "incremental"
    assert is_complete(organization, "refund of invoice")
