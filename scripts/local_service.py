"""A real service in a process of its own, for the demo, the benchmarks and the end-to-end tests."""

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self

import httpx

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60
INDEXER = ("-m", "indexer", "run", "--json")
_NEW_ORGANIZATION = """
from django.core.management import call_command
call_command("create_organization", {slug!r}, *{options!r})
call_command("create_token", "--organization", {slug!r}, "--scopes", {scopes!r})
"""

_METRICS_TOKEN = "of-local-services"  # noqa: S105


class ServiceError(Exception):
    """A process did not do what it should; the message holds the end of its output."""


@cache
def authorities() -> ssl.SSLContext:
    """For `verify` of httpx: reading them anew for each request takes longer than most requests."""
    return httpx.create_ssl_context()


def clean_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """The environment of this process without the product's own variables, plus `extra`."""
    own = ("AETERNA_", "DATABASE_URL", "VECTOR_STORE_URL", "CELERY_", "GITHUB_", "DJANGO_")
    own += ("QDRANT_", "CODESEARCH_", "OPENAI_", "OLLAMA_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    # A service that a command starts ends with it: tests and demos leave no process behind.
    fixed = {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "AETERNA_IDLE_MINUTES": "0"}
    fixed["PYTHONFAULTHANDLER"] = "1"  # SIGABRT has it write the stacks of its threads
    return {**kept, **fixed, **extra}


@contextmanager
def temporary_workspace(prefix: str) -> Iterator[Path]:
    """A temporary directory that PostgreSQL, which has a user of its own for root, may enter."""
    with tempfile.TemporaryDirectory(prefix=prefix) as directory:
        Path(directory).chmod(0o711)
        yield Path(directory)


@dataclass
class Service:
    """The embedded service on a data directory; `start` again after `kill` to test recovery."""

    data_dir: Path
    environment: dict[str, str] = field(default_factory=dict)
    program: tuple[str, ...] = ("-m", "central.serve")
    process: subprocess.Popen[bytes] | None = None

    def variables(self) -> dict[str, str]:
        """The environment of the server and of its commands."""
        return clean_environment(
            {
                "AETERNA_DATA_DIR": str(self.data_dir),
                "AETERNA_BIND": "127.0.0.1:0",
                "AETERNA_RATE_SEARCH": "off",  # benchmarks ask as fast as they can
                "AETERNA_RATE_INDEX": "off",
                "AETERNA_METRICS_TOKEN": _METRICS_TOKEN,
            }
            | self.environment
        )

    @property
    def log(self) -> Path:
        """Standard output and error of the server process."""
        return self.data_dir / "server.log"

    @property
    def url(self) -> str:
        """Where the running server listens."""
        return str(self.record()["url"])

    def metrics(self, url: str = "") -> str:
        """What Prometheus reads of it, or of a worker at another address."""
        headers = {"Authorization": f"Bearer {_METRICS_TOKEN}"}
        address = f"{url or self.url}/metrics"
        return httpx.get(address, headers=headers, timeout=10, verify=authorities()).text

    def record(self) -> dict[str, Any]:
        """What the running server says about itself: url and pid."""
        record: dict[str, Any] = json.loads((self.data_dir / "server.json").read_text())
        return record

    def start(self) -> Self:
        """Start the server and wait until it is ready."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        (self.data_dir / "server.json").unlink(missing_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *self.program],
                cwd=ROOT,
                env=self.variables(),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return self.wait_until_ready()

    def wait_until_ready(self) -> Self:
        """Wait until a server that was started answers. Raises ServiceError if it ends instead."""
        deadline = time.monotonic() + START_SECONDS
        while not self._is_ready():
            is_gone = self.process is None or self.process.poll() is not None
            if is_gone or time.monotonic() > deadline:
                tail = self.log.read_text(errors="replace")[-3000:]
                raise ServiceError(f"The service did not start:\n{tail}")
            time.sleep(0.05)
        return self

    def _is_ready(self) -> bool:
        try:
            answer = httpx.get(f"{self.url}/readyz", timeout=5, verify=authorities())
            return answer.status_code == httpx.codes.OK
        except (FileNotFoundError, httpx.TransportError):
            return False

    def stop(self) -> None:
        """End the server as a person would (SIGTERM) and wait."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End the server as a power cut would (SIGKILL) and wait."""
        self._end(signal.SIGKILL)

    def _end(self, number: signal.Signals) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(timeout=60)
        self.process = None

    def manage(
        self, *arguments: str, check: bool = True, entered: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a management command on the same data directory; `entered` is typed into it."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.variables(),
            input=entered,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and done.returncode:
            raise ServiceError(f"manage.py {arguments[0]} failed:\n{done.stdout}{done.stderr}")
        return done

    def ask(self, route: str, **arguments: object) -> httpx.Response:
        """POST to one of the routes that the embedded server keeps for its own commands."""
        key = (self.data_dir / "server_key").read_text(encoding="ascii").strip()
        response = httpx.post(
            f"{self.url}/internal/{route}",
            headers={"X-Aeterna-Server-Key": key},
            json=arguments,
            timeout=60,
            verify=authorities(),
        )
        return response.raise_for_status()

    def organization(self, slug: str) -> "Organization":
        """One that is there, or a new one; far cheaper than the commands of `create_organization`.

        Only the embedded server answers this.
        """
        token = self.ask("local-token", organization=slug).json()["access_token"]
        return Organization(self, slug, token)

    def create_organization(self, slug: str, *options: str, scopes: str = "index,search") -> str:
        """Make an organisation; returns a token of it. Both commands run in one process."""
        commands = _NEW_ORGANIZATION.format(slug=slug, options=options, scopes=scopes)
        done = self.manage("shell", "--verbosity", "0", "--command", commands)
        return done.stdout.split()[-1]


@dataclass(frozen=True)
class Organization:
    """A client's view of one organisation on a running service."""

    service: Service
    slug: str
    token: str = field(repr=False)

    def index(
        self, path: Path, project: str, *options: str, environment: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Run the real indexer on a clone and return its report."""
        done = self.try_index(path, project, *options, environment=environment)
        if done.returncode:
            raise ServiceError(
                f"indexing {project} ended with {done.returncode}:\n{done.stderr[-3000:]}"
                f"\nserver:\n{self.service.log.read_text(errors='replace')[-2000:]}"
            )
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    def try_index(
        self, path: Path, project: str, *options: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run the real indexer on a clone, whatever comes of it."""
        process = self.start_index(path, project, *options, environment=environment)
        output, errors = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def start_index(
        self, path: Path, project: str, *options: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        """Start the real indexer on a clone."""
        settings = {
            "AETERNA_URL": self.service.url,
            "AETERNA_TOKEN": self.token,
            "AETERNA_ORGANIZATION": self.slug,
        }
        return subprocess.Popen(
            [sys.executable, *INDEXER, "--path", str(path), "--project", project, *options],
            cwd=ROOT,
            env=clean_environment(settings | dict(environment or {})),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def get(self, route: str, **parameters: str | list[str]) -> dict[str, Any]:
        """GET an API route of this organisation."""
        return self._answer("GET", route, params={"org_id": self.slug, **parameters})

    def is_applying(self, project: str) -> bool:
        """Whether a run of the project has been announced and is not yet applied."""
        rows = self.get("index/status")["projects"]
        runs = {row["project"]: row["run"] for row in rows}
        run = runs.get(project)
        return bool(run) and run["state"] in {"queued", "applying"}

    def post(self, route: str, **body: Any) -> dict[str, Any]:
        """POST to an API route of this organisation."""
        return self._answer("POST", route, json={"org_id": self.slug, **body})

    def search(self, query: str, **filters: Any) -> dict[str, Any]:
        """POST a search."""
        return self.post("search", query=query, **filters)

    def _answer(self, method: str, route: str, **arguments: Any) -> dict[str, Any]:
        response = httpx.request(
            method,
            f"{self.service.url}/api/v1/{route}",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=30,
            verify=authorities(),
            **arguments,
        )
        response.raise_for_status()
        answer: dict[str, Any] = response.json()
        return answer

    def dump(self, project: str, ref: str = "") -> str:
        """The canonical index of a repository, asked of the running embedded server."""
        return self.service.ask(
            "dump-index", organization=self.slug, repository=project, ref=ref
        ).text

    def dump_by_command(self, project: str) -> str:
        """The canonical index of a repository, from the management command."""
        return self.service.manage(
            "dump_index", "--organization", self.slug, "--repository", project
        ).stdout


def free_address() -> str:
    """A loopback address without a listener, for a server that comes back at the same one."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


@contextmanager
def running_service(
    data_dir: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Service]:
    """A started service that is stopped at the end, whatever happens."""
    service = Service(data_dir, dict(environment or {}))
    try:
        yield service.start()
    finally:
        service.stop()
