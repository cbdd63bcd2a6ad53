"""The command `comment` as a job runs it, against the stand-in of GitHub over HTTP."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.forge.comments import marker
from tests.local_forge import LocalForge, LocalRepository
from tests.local_forge.comments import comments_of

REPORT = marker("shop", is_new=True) + "### Impact\n\nSomeone calls it.\n"


class Job:
    """A job of a pull request of acme/shop."""

    def __init__(self, directory: Path, forge: LocalForge) -> None:
        self.forge = forge
        self.shop: LocalRepository = forge.add("shop")
        self.shop.pulls.append({"number": 7, "state": "open"})
        self.summary = directory / "summary.md"
        self._event = directory / "event.json"

    def run(
        self,
        report: str = REPORT,
        *,
        head: str | None = "acme/shop",
        event: str = "pull_request",
        can_comment: bool = True,
    ) -> "subprocess.CompletedProcess[str]":
        """Run the command; `head` is where the branch of the pull request is."""
        sides = {"head": {"repo": head and {"full_name": head}}}
        base = {"base": {"repo": {"full_name": "acme/shop"}}}
        self._event.write_text(json.dumps({"pull_request": {"number": 7, **sides, **base}}))
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
        job = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.forge.api_url,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(self._event),
            "GITHUB_REPOSITORY": "acme/shop",
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_TOKEN": self.forge.job_token(self.shop, can_comment=can_comment),
        }
        return subprocess.run(
            [sys.executable, "-m", "indexer", "comment"],
            env=kept | job, input=report, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def comments(self) -> list[str]:
        """What stands under the pull request."""
        return [one["body"] for one in comments_of(self.shop, 7)]


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    with LocalForge(tmp_path / "forge") as forge:
        yield Job(tmp_path, forge)


def test_the_report_is_the_comment_and_a_later_one_updates_it(job: Job) -> None:
    done = job.run()
    assert done.returncode == 0
    assert re.fullmatch(r"comment: http://\S+/acme/shop/pull/7#issuecomment-\d+\n", done.stdout)
    assert job.comments() == [REPORT.strip()]
    done = job.run(REPORT.replace("Someone calls", "No one calls"))
    assert done.returncode == 0
    assert len(job.comments()) == 1
    assert "No one calls" in job.comments()[0]
    assert not job.summary.exists()


@pytest.mark.parametrize("head", ["mallory/shop", None], ids=["fork", "deleted fork"])
def test_a_fork_is_told_in_the_summary_and_does_not_fail(job: Job, head: str | None) -> None:
    done = job.run(head=head, can_comment=False)
    assert done.returncode == 0
    assert job.summary.read_text().startswith("### No comment\n\nThis pull request comes from a")
    assert "::notice title=No comment::" in done.stderr
    assert job.forge.asked == []


def test_a_missing_permission_is_named_with_what_to_write(job: Job) -> None:
    done = job.run(can_comment=False)
    assert done.returncode == 5
    assert "::error title=The job may not comment::" in done.stderr
    assert job.summary.read_text().startswith("### No comment: The job may not comment\n")
    assert "pull-requests: write" in job.summary.read_text()
    assert job.comments() == []


def test_without_a_report_nothing_is_asked_or_written(job: Job) -> None:
    done = job.run("\n")
    assert (done.returncode, done.stdout) == (0, "comment: none, as there is no report\n")
    assert job.forge.asked == []


def test_github_is_asked_again_where_it_limits_requests(job: Job) -> None:
    job.forge.limited = 1
    assert job.run().returncode == 0
    assert len(job.comments()) == 1


@pytest.mark.parametrize("event", ["push", "pull_request_target", "issue_comment"])
def test_no_other_event_writes_a_comment(job: Job, event: str) -> None:
    done = job.run(event=event)
    assert done.returncode == 2
    assert "a comment needs a job of the event pull_request" in done.stderr
    assert job.forge.asked == []


def test_another_text_than_a_report_is_refused(job: Job) -> None:
    done = job.run("hello @acme")
    assert done.returncode == 2
    assert job.comments() == []


def test_the_token_is_written_nowhere(job: Job) -> None:
    for can_comment in (False, True):
        done = job.run(can_comment=can_comment)
        assert "ghs_" not in done.stdout + done.stderr
    assert "ghs_" not in job.summary.read_text()
