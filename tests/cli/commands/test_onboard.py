"""`codesearch onboard` against a stand-in of GitHub with real git repositories."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

from aeterna_code_search.cli import onboarding
from aeterna_code_search.cli.app import codesearch_application
from aeterna_code_search.cli.context import CommandContext
from indexer.errors import ConfigurationError, ForgeError
from indexer.forge.repositories import ForgeRepository
from indexer.forge.workflow import BRANCH, PATH, WorkflowValues
from tests.local_forge import LocalForge

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[LocalForge]:
    with LocalForge(tmp_path) as running:
        yield running


def environment(forge: LocalForge) -> dict[str, str]:
    return {
        "GITHUB_TOKEN": forge.token,
        "GITHUB_API_URL": forge.api_url,
        "AETERNA_URL": "https://search.example",
        "AETERNA_ORGANIZATION": "acme-inc",
    }


def onboard(environ: Mapping[str, str], directory: Path, *arguments: str) -> Result:
    context = CommandContext(environ, directory)
    return CliRunner().invoke(codesearch_application(), ["onboard", *arguments], obj=context)


def writes(forge: LocalForge) -> list[tuple[str, str]]:
    return [(method, path) for method, path, _ in forge.asked if method != "GET"]


def test_without_open_nothing_is_changed(forge: LocalForge, tmp_path: Path) -> None:
    forge.add("shop", {"a.py": "a = 1\n"})
    forge.add("old", {"a.py": "a = 1\n"}, archived=True)
    done = onboard(environment(forge), tmp_path, "acme")
    assert done.exit_code == 0
    assert done.output.splitlines() == [
        "acme/shop: would open a pull request",
        "left out: 1 (archived)",
        "Nothing was changed. --open opens 1 pull requests.",
    ]
    assert writes(forge) == []


def test_a_pull_request_with_the_workflow_is_opened_once(forge: LocalForge, tmp_path: Path) -> None:
    shop = forge.add("shop", {"a.py": "a = 1\n"})
    for expected in ("opened a pull request", "has an open pull request"):
        done = onboard(environment(forge), tmp_path, "acme", "--open")
        assert done.output == f"acme/shop: {expected} {forge.url}/acme/shop/pull/1\n"
    (pull,) = shop.pulls
    assert (pull["head"]["ref"], pull["base"]["ref"]) == (BRANCH, "main")
    workflow = yaml.safe_load(shop.file_at(BRANCH, PATH))
    assert workflow[True]["push"] == {"branches": ["main"]}  # YAML's `on`
    given = workflow["jobs"]["index"]["with"]
    assert given["owner"] == "acme"
    assert given["central-url"] == "https://search.example"
    assert given["organization"] == "acme-inc"
    assert "codesearch onboard" in pull["body"]
    assert PATH not in shop.file_at("main", "a.py")


def test_what_an_interrupted_command_left_is_continued(forge: LocalForge, tmp_path: Path) -> None:
    shop = forge.add("shop", {"a.py": "a = 1\n"})
    onboard(environment(forge), tmp_path, "acme", "--open")
    shop.pulls.clear()  # it ended after the file was written
    listed = onboard(environment(forge), tmp_path, "acme")
    assert "would open a pull request; the branch is there" in listed.output
    before = len(writes(forge))
    assert "opened a pull request" in onboard(environment(forge), tmp_path, "acme", "--open").output
    assert writes(forge)[before:] == [("POST", "/api/v3/repos/acme/shop/pulls")]


def test_a_repository_with_the_workflow_or_a_declined_pull_request_is_left_alone(
    forge: LocalForge, tmp_path: Path
) -> None:
    forge.add("done", {PATH: "name: Code index\n"})
    declined = forge.add("declined", {"a.py": "a = 1\n"})
    forge.add("empty")
    onboard(environment(forge), tmp_path, "acme", "-r", "declined", "--open")
    declined.pulls[0]["state"] = "closed"
    before = len(writes(forge))
    done = onboard(environment(forge), tmp_path, "acme", "--open", "--json")
    assert json.loads(done.output) == {
        "dry_run": False,
        "repositories": [
            {
                "repository": "acme/declined",
                "state": "closed",
                "pull_request": f"{forge.url}/acme/declined/pull/1",
            },
            {"repository": "acme/done", "state": "workflow", "pull_request": None},
            {"repository": "acme/empty", "state": "empty", "pull_request": None},
        ],
        "left_out": {},
    }
    assert writes(forge)[before:] == []


def test_a_forge_that_limits_requests_is_waited_for(forge: LocalForge, tmp_path: Path) -> None:
    forge.add("shop", {"a.py": "a = 1\n"})
    forge.limited = 1
    assert "would open" in onboard(environment(forge), tmp_path, "acme").output


def test_what_is_missing_is_named(forge: LocalForge, tmp_path: Path) -> None:
    def problem(**missing: Any) -> str:
        environ = {**environment(forge), **missing}
        raised = onboard({k: v for k, v in environ.items() if v}, tmp_path, "acme").exception
        assert isinstance(raised, ConfigurationError | ForgeError)
        return str(raised)

    assert "GITHUB_TOKEN is not set" in problem(GITHUB_TOKEN="")
    assert "AETERNA_URL and AETERNA_ORGANIZATION" in problem(AETERNA_URL="")
    assert "Bad credentials" in problem(GITHUB_TOKEN="ghp_wrong")


def test_a_command_has_a_limit_of_repositories(
    forge: LocalForge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onboarding, "ONBOARD_REPOSITORIES", 1)
    for name in ("a", "b"):
        forge.add(name, {"a.py": "a = 1\n"})
    raised = onboard(environment(forge), tmp_path, "acme").exception
    assert isinstance(raised, ConfigurationError)
    assert "more than 1 repositories" in str(raised)


def test_no_match_exits_as_nothing_found(forge: LocalForge, tmp_path: Path) -> None:
    forge.add("shop", {"a.py": "a = 1\n"})
    done = onboard(environment(forge), tmp_path, "acme", "-r", "cart")
    assert done.exit_code == 1
    assert "No repository is chosen." in done.output


def _repository(**changes: Any) -> ForgeRepository:
    plain: dict[str, Any] = {
        "id": 17,
        "owner_id": 2,
        "owner": "acme",
        "name": "shop",
        "default_branch": "main",
        "visibility": "private",
    }
    return ForgeRepository(**(plain | changes))


def test_the_workflow_is_the_template_with_values() -> None:
    template = (ROOT / "workflows/templates/code-index.yml").read_text()
    expected = (
        template.replace("$default-branch", "main")
        .replace(
            "${{ vars.AETERNA_OWNER }} # organisation variables; a fork has none, so it is skipped",
            "acme",
        )
        .replace("${{ vars.AETERNA_URL }}", "'https://search.example'")
        .replace("${{ vars.AETERNA_ORGANIZATION }}", "acme-inc")
    )
    made = WorkflowValues("https://search.example", "acme-inc").text(_repository())
    assert made == expected


@pytest.mark.parametrize("branch", ["release/1.0", "it's", "#main", "1.0", "on", "a, b]", "{x}"])
def test_any_branch_is_written_as_a_string(branch: str) -> None:
    text = WorkflowValues("https://search.example", "acme").text(_repository(default_branch=branch))
    assert yaml.safe_load(text)[True]["push"]["branches"] == [branch]
