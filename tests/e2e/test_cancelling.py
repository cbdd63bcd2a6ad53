"""A job that is cancelled: it ends in time and says what becomes of the index, which is true."""

import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from scripts.local_git import commit_all, git
from scripts.local_service import Organization, Service
from tests.e2e.conftest import MakeRepository, write_files
from tests.e2e.holding_proxy import HoldingProxy, holding_proxy
from tests.e2e.indexing import index_here

RUNNER_WAITS_SECONDS = 7.5  # after SIGINT; then SIGTERM, and 2.5 s later the end


@pytest.fixture
def proxy(service: Service) -> Iterator[HoldingProxy]:
    with holding_proxy(service.url) as proxy:
        yield proxy


@dataclass
class Job:
    """A job that was cancelled: what is left of it."""

    returncode: int
    seconds: float
    complaint: str
    summary: str
    outputs: str

    @property
    def run_id(self) -> str:
        """The value of the only output."""
        name, value, _ = self.outputs.splitlines()
        assert name.startswith("run-id<<")
        return value


@dataclass
class Running:
    """A real run as GitHub's runner starts it, by the way of the proxy."""

    process: "subprocess.Popen[str]"
    directory: Path
    temporary: Path

    def reach(self, line: str) -> None:
        """Wait for a line of the log."""
        assert self.process.stderr
        assert any(line in told for told in self.process.stderr)

    def cancel(self, sent: signal.Signals = signal.SIGINT) -> Job:
        """Cancel it, and wait for its end. It must leave no temporary file."""
        began = time.monotonic()
        self.process.send_signal(sent)
        _, complaint = self.process.communicate(timeout=60)
        seconds = time.monotonic() - began
        self.temporary.rmdir()
        return Job(
            returncode=self.process.returncode,
            seconds=seconds,
            complaint=complaint,
            summary=(self.directory / "summary").read_text(),
            outputs=(self.directory / "output").read_text(),
        )


def start(acme: Organization, proxy: HoldingProxy, repository: Path) -> Running:
    temporary = Path(tempfile.mkdtemp())  # not pytest's: the path of a socket in it has a limit
    environment = {
        "AETERNA_URL": proxy.url,
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(repository.parent / "summary"),
        "GITHUB_OUTPUT": str(repository.parent / "output"),
        "TMPDIR": str(temporary),
    }
    process = acme.start_index(repository, repository.name, environment=environment)
    return Running(process, repository.parent, temporary)


@pytest.fixture
def repository(acme: Organization, make_repository: MakeRepository, tmp_path: Path) -> Path:
    """Indexed once; since then there are forty new files."""
    repository = make_repository(tmp_path.name, {"a.py": "def a():\n    return 1\n"})
    index_here(acme, repository, repository.name)
    modules = {
        f"m{n}.py": "".join(f"def f{n}_{i}():\n    return {i}\n\n\n" for i in range(30))
        for n in range(40)
    }
    write_files(repository, modules)
    commit_all(repository, "Forty modules")
    return repository


def indexed_commit(acme: Organization, repository: Path) -> str:
    [status] = acme.get("index/status", project=repository.name)["projects"]
    return str(status["last_indexed_commit"])


def state(acme: Organization, run_id: str) -> str:
    return str(acme.get(f"index/runs/{run_id}")["state"])


def assert_given_up(acme: Organization, repository: Path, job: Job) -> None:
    assert job.seconds < RUNNER_WAITS_SECONDS
    assert "was cancelled. The index is unchanged" in job.complaint
    assert "was cancelled. The index is unchanged" in job.summary
    assert not {"Traceback", "resource_tracker"} & set(job.complaint.replace(":", " ").split())
    assert state(acme, job.run_id) == "abandoned"
    assert indexed_commit(acme, repository) == git(repository, "rev-parse", "HEAD~1")


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_while_files_are_processed_the_run_is_given_up(
    acme: Organization, proxy: HoldingProxy, repository: Path, sent: signal.Signals, code: int
) -> None:
    running = start(acme, proxy, repository)
    running.reach("files: 40")

    job = running.cancel(sent)

    assert job.returncode == code
    assert f"Exit code {code}" in job.summary
    assert_given_up(acme, repository, job)


def test_an_upload_that_hangs_keeps_nobody(
    acme: Organization, proxy: HoldingProxy, repository: Path
) -> None:
    proxy.requests = lambda _, path: "/batches/" in path
    running = start(acme, proxy, repository)
    assert proxy.held.wait(timeout=60)

    job = running.cancel()

    assert job.returncode == 130
    assert_given_up(acme, repository, job)


@pytest.mark.parametrize("path", ["/updated", "/runs/"])
def test_what_was_announced_is_applied_all_the_same(
    acme: Organization, proxy: HoldingProxy, repository: Path, path: str
) -> None:
    """Whether the answer to the webhook was lost, or the run is being waited for."""
    method = "POST" if path == "/updated" else "GET"
    proxy.answers = lambda asked, where: asked == method and path in where
    running = start(acme, proxy, repository)
    assert proxy.held.wait(timeout=60)

    job = running.cancel()

    assert job.returncode == 130
    assert job.seconds < RUNNER_WAITS_SECONDS
    assert "the service continues the run" in job.summary
    while acme.is_applying(repository.name):
        time.sleep(0.05)
    assert indexed_commit(acme, repository) == git(repository, "rev-parse", "HEAD")


def test_a_service_that_is_away_is_not_waited_for(
    acme: Organization, proxy: HoldingProxy, repository: Path
) -> None:
    proxy.requests = lambda method, path: "/batches/" in path or method == "DELETE"
    running = start(acme, proxy, repository)
    assert proxy.held.wait(timeout=60)

    job = running.cancel()

    assert job.returncode == 130
    assert job.seconds < RUNNER_WAITS_SECONDS
    assert "the service was unreachable; it will expire. The index is unchanged" in job.summary
    assert indexed_commit(acme, repository) == git(repository, "rev-parse", "HEAD~1")
    httpx.delete(
        f"{acme.service.url}/api/v1/index/runs/{job.run_id}",
        headers={"Authorization": f"Bearer {acme.token}"},
    ).raise_for_status()
