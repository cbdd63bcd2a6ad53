"""For which pull requests callers are looked up: the `if`s of impact.yml, evaluated by GitHub."""

import pytest

from tests.action.github import Evaluator
from tests.workflows.calls import VARIABLES, Call
from tests.workflows.events import Event, dispatch, pull_request, push, repository_object, schedule
from tests.workflows.files import ROOT, load_workflow

pytestmark = pytest.mark.system("node", "npm")


@pytest.fixture
def call(evaluator: Evaluator) -> Call:
    return Call(evaluator, "code-impact.yml")


@pytest.mark.parametrize("action", ["opened", "synchronize", "reopened"])
def test_a_pull_request_of_the_same_repository_is_analysed(call: Call, action: str) -> None:
    assert call.jobs_that_run(pull_request(action)) == {"impact"}


@pytest.mark.parametrize(
    "head",
    [
        pytest.param("mallory/payments-api", id="fork"),
        pytest.param("acme/payments-fork", id="fork inside of the organisation"),
        pytest.param(None, id="fork that was deleted since"),
    ],
)
def test_a_fork_is_told_why_there_is_no_analysis(call: Call, head: str | None) -> None:
    assert call.jobs_that_run(pull_request(head=head)) == {"fork"}


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(push(), id="push"),
        pytest.param(dispatch(), id="by hand"),
        pytest.param(schedule(), id="schedule"),
        pytest.param(pull_request(name="pull_request_target"), id="pull_request_target"),
        pytest.param(
            pull_request(name="pull_request_target", head="mallory/payments-api"),
            id="pull_request_target of a fork",
        ),
        pytest.param(Event("issue_comment", payload={"issue": {"pull_request": {}}}), id="comment"),
        pytest.param(
            pull_request(
                head="mallory/payments-api",
                repository=repository_object("mallory/payments-api", fork=True),
            ),
            id="pull request inside of somebody's fork",
        ),
    ],
)
def test_any_other_event_does_nothing(call: Call, event: Event) -> None:
    assert call.jobs_that_run(event) == set()


def test_nothing_is_done_before_an_owner_is_configured(evaluator: Evaluator) -> None:
    call = Call(evaluator, "code-impact.yml", variables={**VARIABLES, "AETERNA_OWNER": ""})

    assert call.jobs_that_run(pull_request()) == set()
    assert call.jobs_that_run(pull_request(head="mallory/payments-api")) == set()


def test_a_newer_commit_of_a_pull_request_cancels_the_analysis_of_the_older(call: Call) -> None:
    assert call.concurrency("impact", pull_request()) == ("aeterna-code-impact-7", True)


@pytest.mark.parametrize(("report", "is_written"), [("", False), ("<!-- -->", True)])
def test_a_comment_is_written_if_there_is_a_report(
    evaluator: Evaluator, report: str, is_written: bool
) -> None:
    """A fork, another event and a failed analysis have none."""
    job = load_workflow(ROOT / "workflows" / "impact-comment.yml")["jobs"]["comment"]
    needs = {"impact": {"outputs": {"report": report}, "result": "success"}}

    assert evaluator.holds(job["if"], {"needs": needs}) is is_written
