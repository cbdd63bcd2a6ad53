"""What GitHub tells a job: the `github` context, the event, the environment of its steps."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scripts.local_service import clean_environment


@dataclass
class Job:
    """What GitHub tells a job, and where it runs."""

    workspace: Path  # the checkout
    temp: Path  # RUNNER_TEMP, emptied before the job
    files: Path  # the runner's own: scripts, GITHUB_OUTPUT and the like
    server_url: str
    repository: str = "acme/payments-api"
    repository_id: int = 74001
    owner_id: int = 9919
    ref: str = "refs/heads/main"
    sha: str = "0" * 40
    event_name: str = "push"
    event: dict[str, Any] = field(default_factory=dict)
    token: str = field(default="", repr=False)  # `github.token`
    environment: dict[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = field(default=(), repr=False)  # which GitHub hides in logs

    def github(self) -> dict[str, Any]:
        """The `github` context."""
        return {
            "server_url": self.server_url,
            "repository": self.repository,
            "repository_owner": self.repository.partition("/")[0],
            "repository_id": str(self.repository_id),
            "repository_owner_id": str(self.owner_id),
            "ref": self.ref,
            "ref_name": self.ref.removeprefix("refs/heads/"),
            "sha": self.sha,
            "event_name": self.event_name,
            "run_id": "17000000001",
            "run_attempt": "1",
            "workspace": str(self.workspace),
            "actor": "octocat",
            "job": "index",
        }

    def variables(self) -> dict[str, str]:
        """The environment that every step begins with."""
        event = self.files / "event.json"
        event.write_text(json.dumps(self.event), encoding="utf-8")
        kept = clean_environment({})
        del kept["PYTHONPATH"]
        runner = {
            "OS": "Linux",
            "ARCH": "X64",
            "TEMP": str(self.temp),
            "ENVIRONMENT": "self-hosted",
        }
        return {
            **kept,
            **{f"GITHUB_{name.upper()}": value for name, value in self.github().items()},
            **{f"RUNNER_{name}": value for name, value in runner.items()},
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_ACTIONS": "true",
            "CI": "true",
            **self.environment,
        }
