"""What an operator has: a clone of the project, its secrets, and `docker compose`."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from scripts.local_git import git
from scripts.local_service import ROOT, Organization
from tests.deploy import composition
from tests.deploy.engine.docker_engine import Engine

SERVICES = composition.load()["services"]
IMAGE = composition.with_defaults(SERVICES["web"]["image"])
BACKFILL_IMAGE = composition.with_defaults(SERVICES["backfill"]["image"])
# Compose reads this file by itself: a build has no bridge to the network, and health checks may
# take longer on a busy machine.
PATIENT = {"healthcheck": {"start_period": "10m", "timeout": "2m", "retries": 20}}
OVERRIDE = {
    "services": {
        "migrate": {"build": {"network": "host"}},
        "backfill": {
            **PATIENT,
            "build": {"network": "host"},
            "volumes": ["./mirrors:/mirrors:ro"],  # repositories to clone
        },
        **dict.fromkeys(("web", "worker", "beat", "postgres", "redis"), PATIENT),
    }
}


def copy_checkout(directory: Path) -> Path:
    """Copy what `git clone` would bring, with the changes of this working tree."""
    for name in git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard").splitlines():
        if (ROOT / name).is_file():
            target = directory / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    (directory / "docker-compose.override.yml").write_text(json.dumps(OVERRIDE))
    return directory


@dataclass
class Stack:
    """The project's containers, in a directory with docker-compose.yml."""

    engine: Engine
    directory: Path
    url: str

    def shell(self, line: str, *, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a line of the documents, in the directory."""
        return self.engine.run("sh", "-euc", line, cwd=self.directory, check=check)

    def compose(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run `docker compose …`."""
        return self.engine.run("docker", "compose", *words, cwd=self.directory, check=check)

    def size(self, image: str) -> int:
        """The bytes of an image, unpacked."""
        shown = self.engine.run("docker", "image", "inspect", "--format", "{{.Size}}", image)
        return int(shown.stdout)

    def manage(
        self, *words: str, check: bool = True, entered: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a management command in the web container; `entered` is typed into it."""
        inside = ("docker", "compose", "exec", "-T", "web", "entrypoint.sh", "manage")
        return self.engine.run(
            *inside, *words, cwd=self.directory, entered=entered.encode(), check=check
        )

    def containers(self) -> dict[str, dict[str, Any]]:
        """Each service's container as `docker compose ps` shows it, also of one that has ended."""
        lines = self.compose("ps", "--all", "--format", "json").stdout.splitlines()
        rows = [json.loads(line) for line in lines]
        return {row["Service"]: row for row in rows}

    def logs(self, *services: str) -> str:
        """What the services have written."""
        return self.compose("logs", "--no-color", *services).stdout

    @property
    def log(self) -> Path:
        """The same of all, as a file."""
        path = self.directory / "build" / "log"
        path.parent.mkdir(exist_ok=True)
        path.write_text(self.logs())
        return path

    def first_process(self, service: str) -> int:
        """The id of a service's first process, as the engine counts."""
        identity = self.compose("ps", "--quiet", service).stdout.strip()
        shown = self.engine.run("docker", "inspect", "--format", "{{.State.Pid}}", identity).stdout
        return int(shown)

    def kill(self, process: int) -> None:
        """SIGKILL, as the kernel sends it when memory is full; at once, without Docker."""
        self.engine.run("sh", "-c", f"kill -KILL {process}")

    def is_ready(self) -> bool:
        """Whether the web process and all that it needs work."""
        try:
            return httpx.get(f"{self.url}/readyz", timeout=10).is_success
        except httpx.TransportError:
            return False

    def organization(self, slug: str) -> Organization:
        """Make an organisation as the documents say; returns a client with a token."""
        self.manage("create_organization", slug)
        token = self.manage("create_token", "--organization", slug, "--scopes", "index,search")
        return Organization(self, slug, token.stdout.strip())  # type: ignore[arg-type]

    def dump(self, slug: str, project: str) -> str:
        """The canonical index of a repository."""
        return self.manage("dump_index", "--organization", slug, "--repository", project).stdout
