"""Which mode an event asks for, and which runs cancel which, evaluated by GitHub."""

import pytest

from tests.action.github import Evaluator
from tests.workflows.calls import Call
from tests.workflows.events import dispatch, push, schedule
from tests.workflows.files import REUSABLE, TEMPLATES, load_workflow

pytestmark = pytest.mark.system("node", "npm")


@pytest.fixture
def call(evaluator: Evaluator) -> Call:
    return Call(evaluator, "code-index.yml")


def test_concurrent_push_handling(call: Call) -> None:
    """All pushes of a branch are in one group, and the newest cancels what is at work."""
    of_main = ("aeterna-code-index-refs/heads/main", True)
    of_release = ("aeterna-code-index-refs/heads/release/1", True)

    assert call.concurrency("index", push()) == of_main
    assert call.concurrency("index", push(forced=True)) == of_main
    assert call.concurrency("index", push("refs/heads/release/1")) == of_release


def test_a_full_run_is_not_starved_by_pushes(call: Call) -> None:
    full = ("aeterna-code-index-full-refs/heads/main", False)

    assert call.concurrency("index", schedule()) == full
    assert call.concurrency("index", dispatch(), mode="full") == full
    assert call.concurrency("index", dispatch(), mode="force") == full
    assert call.concurrency("index", dispatch(), mode="auto") == full


@pytest.mark.parametrize("mode", ["full", "force"])
def test_a_push_is_a_full_run_where_the_caller_says_so(evaluator: Evaluator, mode: str) -> None:
    call = Call(evaluator, "code-index.yml", given={"mode": mode})

    assert call.concurrency("index", push()) == ("aeterna-code-index-full-refs/heads/main", False)
    assert call.mode(push()) == call.mode(schedule()) == mode


def test_no_group_depends_on_what_a_caller_is_named() -> None:
    """`github.workflow` is the caller's name; a caller that is in its job's group deadlocks."""
    for path in REUSABLE:
        workflow = load_workflow(path)
        groups = [
            job["concurrency"]["group"] for job in workflow["jobs"].values() if "concurrency" in job
        ]
        assert groups
        assert not [group for group in groups if "github.workflow" in group]
        assert "concurrency" not in workflow
    assert not [path for path in TEMPLATES if "concurrency" in path.read_text()]


def test_a_push_takes_what_changed_and_the_night_compares_all(call: Call) -> None:
    assert call.mode(push()) == "auto"
    assert call.mode(schedule()) == "full"
    assert [call.mode(dispatch(), mode=mode) for mode in ("full", "force", "auto")] == [
        "full",
        "force",
        "auto",
    ]


@pytest.mark.parametrize(
    ("label", "runner"),
    [
        ("ubuntu-latest", "ubuntu-latest"),
        ('["self-hosted", "linux"]', "Array"),
        ('{"group": "builders"}', "Object"),
    ],
)
def test_a_runner_is_a_label_or_json(evaluator: Evaluator, label: str, runner: str) -> None:
    for path in REUSABLE:
        jobs = load_workflow(path)["jobs"].values()
        for job in (one for one in jobs if "uses" not in one):  # those are given the input
            assert evaluator.fill([job["runs-on"]], {"inputs": {"runs-on": label}}) == [runner]
