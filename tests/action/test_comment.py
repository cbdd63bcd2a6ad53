"""Two jobs of a pull request: one finds the callers, the other, which may write, comments."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.action.forge import JOB_TOKEN, Remote
from tests.action.harness import Result
from tests.action.workplace import Workplace
from tests.local_forge import LocalForge, LocalRepository
from tests.local_forge.comments import comments_of
from tests.local_forge.server import JobToken

pytestmark = pytest.mark.system("node", "npm", "bash", "git")

FILES = {"tax.py": "def vat(sum):\n    return sum\n\n\ndef bill(sum):\n    return vat(sum)\n"}
CHANGE = {"tax.py": "def vat(sum):\n    return 0\n\n\ndef bill(sum):\n    return vat(sum)\n"}
SIDES = {"base": "0" * 40, "head": "0" * 40}


@pytest.fixture(scope="module")
def proposal(workplace: Workplace) -> tuple[Remote, dict[str, str]]:
    """An indexed repository, and a pull request that changes one of its functions."""
    remote = workplace.remote("tax", FILES)
    assert workplace.run(remote).conclusion == "success"
    return remote, {"base": remote.head(), "head": remote.propose(CHANGE)}


@pytest.fixture(scope="module")
def found(workplace: Workplace, proposal: tuple[Remote, dict[str, str]]) -> Result:
    remote, sides = proposal
    workspace = workplace.check_out(remote, sides["head"])
    inputs = {"command": "impact", "mode": "auto"}
    return workplace.run(remote, workspace, inputs=inputs, pull_request=sides)


@pytest.fixture
def github(tmp_path: Path) -> Iterator[LocalForge]:
    with LocalForge(tmp_path) as forge:
        yield forge


def comment(
    workplace: Workplace, github: LocalForge, report: str, *, can_comment: bool = True
) -> tuple[Result, LocalRepository]:
    """Run the action in a job without a checkout, whose token may comment or not."""
    remote = Remote(workplace.forge, f"acme/tax-{uuid.uuid4().hex}")
    repository = github.add(remote.name.partition("/")[2])
    repository.pulls.append({"number": 1, "state": "open"})
    github.job_tokens[JOB_TOKEN] = JobToken(repository.id, can_comment)
    result = workplace.run(
        remote,
        workspace=workplace.scratch,
        inputs={"command": "comment", "report": report, "central-url": "", "token": ""},
        environment={"GITHUB_API_URL": github.api_url},
        pull_request=SIDES,
    )
    return result, repository


def test_the_report_of_one_job_is_the_comment_of_another(
    workplace: Workplace, github: LocalForge, found: Result
) -> None:
    assert found.outputs["callers"] == "1"

    result, repository = comment(workplace, github, found.outputs["report"])

    assert result.conclusion == "success", result.log
    [written] = comments_of(repository, 1)
    assert written["body"] == found.outputs["report"].strip()
    assert "<code>bill</code>" in written["body"]
    assert result.summary == ""


def test_a_job_that_may_not_comment_says_what_to_write(
    workplace: Workplace, github: LocalForge, found: Result
) -> None:
    result, repository = comment(workplace, github, found.outputs["report"], can_comment=False)

    assert result.conclusion == "failure"
    assert "pull-requests: write" in " ".join(result.annotations("error"))
    assert "pull-requests: write" in result.summary
    assert comments_of(repository, 1) == []
    assert JOB_TOKEN not in result.raw + result.log + result.summary


def test_a_report_of_any_characters_is_no_command(workplace: Workplace, github: LocalForge) -> None:
    """It comes from a job that has read foreign code."""
    result, repository = comment(workplace, github, '$(touch x) `touch y` "; exit 0 #\n::error::z')

    assert result.steps["run"].exit_code == 2
    assert "the report must be the output `report`" in result.raw
    assert "::error::z" not in result.raw
    assert comments_of(repository, 1) == []
