"""The starter template in a repository, run by nektos/act: caller, reusable workflow and action.

act runs the steps on this machine (host mode) and reads GitHub's files as the runner does. What it
does not do: actions/checkout (it copies the work tree), concurrency groups (it ignores them) and id
tokens (so the job has an API token).
"""

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from scripts.local_git import commit_all, git
from scripts.local_service import Organization, Service
from tests.action.test_readme import EXAMPLES
from tests.e2e.conftest import MakeRepository
from tests.local_forge import LocalForge
from tests.local_forge.comments import comments_of
from tests.workflows.events import Event, pull_request, push, repository_object
from tests.workflows.files import (
    ACTION,
    PROJECT,
    ROOT,
    TEMPLATES,
    VERSION,
    load_workflow,
    steps,
    workflow_text,
)

pytestmark = pytest.mark.system("act")

CODE = "def retry_with_backoff(attempt):\n    return 2 ** attempt\n"
# What the runner's owner says of package indexes; act hands a step nothing that it is not told to.
PACKAGE_SETTINGS = ("PIP_", "UV_", "SSL_CERT_")
STAND_IN = """
runs:
  using: composite
  steps: [{run: "true", shell: bash}]
"""
AFTERWARDS = """
  afterwards:
    needs: index
    runs-on: ubuntu-latest
    steps:
      - env:
          REPORT: ${{ needs.index.outputs.mode }} for ${{ needs.index.outputs.reason }}
        run: echo "It was $REPORT"
"""


@dataclass(frozen=True)
class Act:
    """act for the repositories of one organisation, in a directory of its own."""

    directory: Path
    organization: Organization

    def run(
        self, repository: Path, event: Event, *, api_url: str = "", job_token: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run the workflows of a repository, cloned from that of the event, on the event."""
        git(repository, "config", "remote.origin.url", f"https://github.com/{event.repository}")
        told, settings = self.directory / "event.json", self.directory / "env"
        told.write_text(json.dumps(event.payload))
        passed_on = [item for item in os.environ.items() if item[0].startswith(PACKAGE_SETTINGS)]
        settings.write_text("".join(f'{name}="{value}"\n' for name, value in passed_on))
        if api_url:
            settings.write_text(f'{settings.read_text()}GITHUB_API_URL="{api_url}"\n')
        variables = {
            "AETERNA_OWNER": "acme",
            "AETERNA_URL": self.organization.service.url,
            "AETERNA_ORGANIZATION": self.organization.slug,
        }
        options = {
            "--eventpath": told,
            "--platform": "ubuntu-latest=-self-hosted",
            "--action-cache-path": self.directory / "cache",
            "--secret": "AETERNA_TOKEN",
            "--env-file": settings,
        }
        return subprocess.run(
            [
                *("act", event.name, "--no-cache-server"),
                *(part for option in options.items() for part in option),
                *(("--secret", "GITHUB_TOKEN") if job_token else ()),
                *(f"--var={name}={value}" for name, value in variables.items()),
                *(f"--local-repository={name}={path}" for name, path in self._actions().items()),
            ],
            cwd=repository,
            env={
                **os.environ,
                "AETERNA_TOKEN": self.organization.token,
                "GITHUB_TOKEN": job_token,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def _actions(self) -> dict[str, Path]:
        """What stands in for repositories of GitHub: this checkout, and nothing for its cache."""
        others = [s["uses"] for s in steps(load_workflow(ACTION)) if "uses" in s]
        nothing = dict.fromkeys(others, self.directory / "nothing")
        return {f"{PROJECT}@v{VERSION}": self.directory / "project", **nothing}


@pytest.fixture
def acme(service: Service) -> Organization:
    """An organisation of the test's own: several tests index the same repository."""
    return service.organization(f"acme-{uuid4().hex[:8]}")


@pytest.fixture
def act(acme: Organization, tmp_path: Path) -> Act:
    directory = tmp_path / "act"
    for part in ("action", "indexer", "requirements", ".github/workflows"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / part, directory / "project" / part, ignore=ignored)
    (directory / "nothing").mkdir()
    (directory / "nothing" / "action.yml").write_text(STAND_IN)
    return Act(directory, acme)


@pytest.fixture
def repository(make_repository: MakeRepository) -> Path:
    """Has all templates, and a job that says what it hears of indexing."""
    workflows = {f".github/workflows/{path.name}": workflow_text(path) for path in TEMPLATES}
    workflows[".github/workflows/code-index.yml"] += AFTERWARDS
    return make_repository("payments-api", {**workflows, "src/retry.py": CODE})


def test_index_update_on_pr_merge(act: Act, acme: Organization, repository: Path) -> None:
    done = act.run(repository, push(after=git(repository, "rev-parse", "HEAD")))

    assert done.returncode == 0, done.stdout
    assert "It was full for first_index" in done.stdout
    assert acme.token not in done.stdout
    [hit, *_] = acme.search("retry with backoff")["results"]
    assert (hit["project"], hit["file"]) == ("payments-api", "src/retry.py")


def test_fork_protection(act: Act, acme: Organization, repository: Path) -> None:
    fork = repository_object("mallory/payments-api", fork=True)

    done = act.run(repository, push(repository=fork))

    assert done.returncode == 0, done.stdout
    assert "Set up job" not in done.stdout


def test_a_fork_is_told_why_there_is_no_impact_analysis(act: Act, repository: Path) -> None:
    done = act.run(repository, pull_request(head="mallory/payments-api"))

    assert done.returncode == 0, done.stdout
    assert "::notice title=No impact analysis::This pull request comes from a fork." in done.stdout
    assert "Summary - This pull request comes from a fork." in done.stdout
    jobs = re.findall(r"\[([^]]+)\] ⭐ Run Set up job", done.stdout)
    assert jobs == ["Impact/Code impact/No impact for forks"] * 2  # with a comment, and without


def test_the_examples_of_the_readme_index_a_repository_and_comment_on_a_pull_request(
    act: Act, acme: Organization, make_repository: MakeRepository, tmp_path: Path
) -> None:
    texts = [
        text.replace("https://codesearch.example.com", acme.service.url).replace(
            "organization: acme", f"organization: {acme.slug}"
        )
        for text in EXAMPLES
    ]
    workflows = {f".github/workflows/{number}.yml": text for number, text in enumerate(texts)}
    caller = "def upload():\n    return retry_with_backoff(1)\n"
    repository = make_repository("payments-api", {**workflows, "src/retry.py": CODE + caller})

    indexed = act.run(repository, push(after=git(repository, "rev-parse", "HEAD")))

    assert indexed.returncode == 0, indexed.stdout
    base = git(repository, "rev-parse", "HEAD")
    (repository / "src/retry.py").write_text(CODE.replace("2 **", "3 **") + caller)
    proposed = pull_request("opened")
    sides = proposed.payload["pull_request"]
    sides["base"]["sha"], sides["head"]["sha"] = base, commit_all(repository, "Propose")
    with LocalForge(tmp_path / "github") as github:
        known = github.add("payments-api")
        known.pulls.append({"number": 7, "state": "open"})
        token = github.job_token(known, can_comment=True)
        done = act.run(repository, proposed, api_url=github.api_url, job_token=token)
        [comment] = comments_of(known, 7)

    assert done.returncode == 0, done.stdout
    assert "in <code>upload</code>" in comment["body"]
    assert token not in done.stdout
    assert acme.token not in done.stdout
