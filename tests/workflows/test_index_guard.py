"""On which events a repository is indexed: the reusable workflow's `if`, evaluated by GitHub."""

import pytest

from tests.action.github import Evaluator
from tests.workflows.calls import VARIABLES, Call
from tests.workflows.events import (
    Event,
    branch_deletion,
    dispatch,
    pull_request,
    push,
    repository_object,
    schedule,
)

pytestmark = pytest.mark.system("node", "npm")

FORK = repository_object("mallory/payments-api", fork=True)
INTERNAL_FORK = repository_object("acme/payments-fork", fork=True)
OTHER = repository_object("mallory/tools")
TRUNK = repository_object(default_branch="trunk")
NOT_SAID_WHETHER_FORK = {
    name: value for name, value in repository_object().items() if name != "fork"
}


@pytest.fixture
def call(evaluator: Evaluator) -> Call:
    return Call(evaluator, "code-index.yml")


def is_indexed(call: Call, event: Event) -> bool:
    return call.jobs_that_run(event) == {"index"}


def test_index_update_on_pr_merge(call: Call) -> None:
    """A merge is two events: the pull request is closed, and the branch is pushed to."""
    merge = {"message": "Merge pull request #7 from acme/retry"}

    assert not is_indexed(call, pull_request("closed", merged=True))
    assert is_indexed(call, push(head_commit=merge))


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(push(), id="push to the default branch"),
        pytest.param(push(forced=True), id="force push to the default branch"),
        pytest.param(push(created=True), id="first push"),
        pytest.param(push("refs/heads/trunk", repository=TRUNK), id="default branch of other name"),
        pytest.param(push("refs/heads/release/1"), id="other branch, which the service may want"),
        pytest.param(dispatch(), id="by hand on the default branch"),
        pytest.param(dispatch("refs/heads/release/1"), id="by hand on another branch"),
        pytest.param(schedule(), id="schedule, without repository"),
        pytest.param(schedule(repository=repository_object()), id="schedule, with repository"),
        pytest.param(
            push(repository=repository_object("Acme/payments-api")), id="owner in other case"
        ),
    ],
)
def test_is_indexed(call: Call, event: Event) -> None:
    assert is_indexed(call, event)


def test_fork_protection(evaluator: Evaluator) -> None:
    """A fork has not the organisation's variables; and if it had, it is not the owner."""
    without = Call(evaluator, "code-index.yml", variables={})
    copied = Call(evaluator, "code-index.yml", variables=VARIABLES)
    its_own = Call(evaluator, "code-index.yml", variables={**VARIABLES, "AETERNA_OWNER": "mallory"})

    for call in (without, copied, its_own):
        assert not is_indexed(call, push(repository=FORK))
        assert not is_indexed(call, dispatch(repository=FORK))
        assert not is_indexed(call, schedule(repository=FORK))


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(pull_request("closed"), id="pull request closed without a merge"),
        pytest.param(pull_request("closed", merged=True), id="pull request closed by a merge"),
        pytest.param(pull_request("opened"), id="pull request opened"),
        pytest.param(pull_request(name="pull_request_target"), id="pull_request_target"),
        pytest.param(push(repository=INTERNAL_FORK), id="fork inside of the organisation"),
        pytest.param(push(repository=OTHER), id="other owner"),
        pytest.param(schedule(repository=OTHER), id="other owner, schedule"),
        pytest.param(push("refs/tags/v1.0.0"), id="tag"),
        pytest.param(push("refs/tags/main"), id="tag named as the default branch"),
        pytest.param(branch_deletion("refs/heads/feature"), id="branch deletion"),
        pytest.param(branch_deletion("refs/heads/main"), id="deletion of the default branch"),
        pytest.param(dispatch("refs/tags/v1.0.0"), id="by hand on a tag"),
        pytest.param(dispatch(repository=INTERNAL_FORK), id="by hand in a fork"),
        pytest.param(Event("push", payload={"deleted": False}), id="event without repository"),
        pytest.param(Event("push"), id="event without anything"),
        pytest.param(Event("workflow_dispatch"), id="by hand, without repository"),
        pytest.param(push(deleted=None), id="not said whether a deletion"),
        pytest.param(push(repository=NOT_SAID_WHETHER_FORK), id="not said whether a fork"),
        pytest.param(
            Event("push", payload=push(repository=OTHER).payload), id="event of another repository"
        ),
        pytest.param(
            Event("merge_group", payload={"repository": repository_object()}), id="merge queue"
        ),
        pytest.param(
            Event("workflow_run", payload={"repository": repository_object()}), id="other workflow"
        ),
        pytest.param(
            Event("repository_dispatch", payload={"repository": repository_object()}),
            id="repository_dispatch",
        ),
    ],
)
def test_is_not_indexed(call: Call, event: Event) -> None:
    assert not is_indexed(call, event)


@pytest.mark.parametrize("event", [push(), dispatch(), schedule()], ids=lambda event: event.name)
def test_is_not_indexed_before_an_owner_is_configured(evaluator: Evaluator, event: Event) -> None:
    call = Call(evaluator, "code-index.yml", variables={**VARIABLES, "AETERNA_OWNER": ""})

    assert not is_indexed(call, event)
