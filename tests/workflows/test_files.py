"""What every workflow file keeps to, read from the files themselves."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.files import (
    ACTION,
    OWN,
    PROJECT,
    REUSABLE,
    ROOT,
    TEMPLATES,
    VERSION,
    WORKFLOWS,
    load_workflow,
    short_name,
    steps,
)

CALLABLE = ROOT / ".github" / "workflows"
INDEXING = {"contents": "read", "id-token": "write"}
# What a job of another name than `index` or `impact` may do.
ALLOWED = {
    "fork": {},
    "test": {"contents": "read"},
    "comment": {"pull-requests": "write"},
    "build": {"contents": "read"},
    "attest": {"id-token": "write", "attestations": "write"},
    "release": {"contents": "write"},
}
IMPACT_OUTPUTS = {"callers", "report"}
COMMENTING = ROOT / "workflows" / "templates" / "code-impact-comment.yml"
TRIGGERS = {
    "code-index.yml": {"push", "workflow_dispatch", "schedule"},
    "code-impact.yml": {"pull_request"},
    "code-impact-comment.yml": {"pull_request"},
}

every_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=short_name)
every_template = pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)


def called_by(template: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """A template's one job, and the reusable workflow that it calls."""
    [job] = load_workflow(template)["jobs"].values()
    path, _, _ = job["uses"].removeprefix(f"{PROJECT}/").partition("@")
    return job, load_workflow(ROOT / path)


@pytest.mark.parametrize("path", REUSABLE, ids=lambda path: path.name)
def test_a_reusable_workflow_has_a_copy_where_github_looks_for_it(path: Path) -> None:
    assert (CALLABLE / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("path", [ACTION, *WORKFLOWS], ids=short_name)
def test_what_is_used_is_pinned_by_commit_or_is_this_version(path: Path) -> None:
    for step in steps(load_workflow(path)):
        if name := step.get("uses"):
            own = name.startswith(f"{PROJECT}/") and name.endswith(f"@v{VERSION}")
            assert own or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name), name


@pytest.mark.parametrize("path", [*REUSABLE, *TEMPLATES], ids=short_name)
def test_this_project_is_named_once_in_a_file(path: Path) -> None:
    calls_another = path.name == "impact-comment.yml"
    assert path.read_text().count(f"{PROJECT}/") == 1 + calls_another


def test_all_files_use_one_commit_of_an_action() -> None:
    used = re.findall(
        r"uses: ([\w-]+/[\w-]+)@([0-9a-f]{40} # v[\d.]+)$",
        "\n".join(path.read_text() for path in (ACTION, *WORKFLOWS)),
        flags=re.MULTILINE,
    )

    assert len(set(used)) == len({name for name, _ in used})


@pytest.mark.parametrize("path", [ACTION, *WORKFLOWS], ids=short_name)
def test_no_expression_is_written_into_a_command(path: Path) -> None:
    assert not [step for step in steps(load_workflow(path)) if "${{" in step.get("run", "")]


@every_workflow
def test_a_job_may_do_no_more_than_it_says_why(path: Path) -> None:
    workflow = load_workflow(path)
    assert workflow["permissions"] == {}

    for name, job in workflow["jobs"].items():
        allowed = ALLOWED.get(name, INDEXING)
        if path == COMMENTING:  # of all jobs that it calls
            allowed = INDEXING | ALLOWED["comment"]
        assert job["permissions"] == allowed
    for line in path.read_text().splitlines():
        if re.match(r" +(contents|id-token|pull-requests|attestations): (read|write)", line):
            assert re.search(r" # \w+", line), line


@every_workflow
def test_a_job_that_runs_ends_in_time(path: Path) -> None:
    for job in load_workflow(path)["jobs"].values():
        assert ("timeout-minutes" in job) == ("runs-on" in job)


@pytest.mark.parametrize("path", [*REUSABLE, *OWN], ids=short_name)
def test_a_checkout_keeps_no_credential(path: Path) -> None:
    for step in steps(load_workflow(path)):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
            assert path.name == "ci.yml" or step["with"]["fetch-depth"] == 0


@every_workflow
def test_nothing_runs_with_the_rights_of_the_target_of_a_pull_request(path: Path) -> None:
    assert "pull_request_target" not in load_workflow(path)["on"]


@every_template
def test_workflow_template_installation(path: Path) -> None:
    """A template says what GitHub shows of it, and names the organisation's secrets one by one."""
    shown = json.loads(path.with_suffix(".properties.json").read_text())
    assert shown.keys() == {"name", "description", "iconName", "categories", "filePatterns"}
    assert shown["name"] == load_workflow(path)["name"]

    job, called = called_by(path)
    declared = called["on"]["workflow_call"].get("secrets", {})
    assert job.get("secrets", {}) == {name: f"${{{{ secrets.{name} }}}}" for name in declared}
    assert not [name for name, secret in declared.items() if secret["required"]]


def test_the_index_gets_secrets_for_qdrant_embedder_and_service() -> None:
    job, _ = called_by(ROOT / "workflows" / "templates" / "code-index.yml")

    assert job["secrets"].keys() == {
        "AETERNA_TOKEN",
        "OPENAI_API_KEY",
        "QDRANT_URL",
        "QDRANT_API_KEY",
    }


@every_template
def test_a_template_is_started_by_the_default_branch(path: Path) -> None:
    started = load_workflow(path)["on"]

    assert started.keys() == TRIGGERS[path.name]
    for event in started.keys() & {"push", "pull_request"}:
        assert started[event] == {"branches": ["main"]}
    assert path.read_text().count("$default-branch") == 1


@every_template
def test_a_template_grants_what_the_called_jobs_ask_for(path: Path) -> None:
    """A called workflow cannot raise what its caller grants: GitHub would refuse to start it."""
    job, called = called_by(path)

    for asking in called["jobs"].values():
        assert asking["permissions"].items() <= job["permissions"].items()


@pytest.mark.parametrize("path", REUSABLE, ids=lambda path: path.name)
def test_every_input_and_secret_of_a_reusable_workflow_is_used(path: Path) -> None:
    called = load_workflow(path)["on"]["workflow_call"]

    text = path.read_text()
    for kind, names in (("inputs", called["inputs"]), ("secrets", called.get("secrets", ()))):
        assert [name for name in names if f"{kind}.{name}" not in text] == []


def test_every_input_and_output_of_the_action_reaches_the_reusable_workflow() -> None:
    action, workflow = load_workflow(ACTION), load_workflow(ROOT / "workflows" / "code-index.yml")
    job, called = workflow["jobs"]["index"], workflow["on"]["workflow_call"]
    [step] = [step for step in job["steps"] if step.get("id") == "index"]

    not_given = {"command", "github-token", "ref", "report"}  # it checks the branch out itself
    assert action["inputs"].keys() - step["with"].keys() == not_given
    assert step["with"].keys() <= action["inputs"].keys()
    assert job["outputs"].keys() == called["outputs"].keys()
    assert action["outputs"].keys() - job["outputs"].keys() == IMPACT_OUTPUTS


def test_what_impact_finds_reaches_its_callers() -> None:
    workflow = load_workflow(ROOT / "workflows" / "impact.yml")

    assert workflow["jobs"]["impact"]["outputs"].keys() == IMPACT_OUTPUTS
    assert workflow["on"]["workflow_call"]["outputs"].keys() == IMPACT_OUTPUTS


def test_the_comment_is_an_addition_to_impact() -> None:
    """Both are called alike, and the job that may write has neither the code nor an identity."""
    plain, commenting = (
        load_workflow(ROOT / "workflows" / name) for name in ("impact.yml", "impact-comment.yml")
    )
    inputs = [one["on"]["workflow_call"]["inputs"] for one in (plain, commenting)]
    assert inputs[0].keys() == inputs[1].keys()
    assert commenting["jobs"]["impact"]["with"].keys() == inputs[0].keys()
    [step] = commenting["jobs"]["comment"]["steps"]
    assert step["with"].keys() == {"command", "report", "fail-on-error", "cache"}


def test_an_input_or_output_is_alike_in_the_action_and_the_reusable_workflow() -> None:
    action, workflow = load_workflow(ACTION), load_workflow(ROOT / "workflows" / "code-index.yml")
    called = workflow["on"]["workflow_call"]

    for name, output in called["outputs"].items():
        assert action["outputs"][name]["description"] == output["description"]
    for name in action["inputs"].keys() & called["inputs"].keys():
        default = called["inputs"][name].get("default")
        as_text = json.dumps(default) if isinstance(default, bool) else default
        assert (
            as_text == action["inputs"][name].get("default") or called["inputs"][name]["required"]
        )
