"""Jobs of one repository, one after another: what each does to the index, and what it tells.

The scenarios' names are the specification's.
"""

import html
from dataclasses import dataclass

import pytest

from tests.action.forge import JOB_TOKEN, Remote
from tests.action.harness import Result
from tests.action.workplace import UNREACHABLE, Workplace

pytestmark = pytest.mark.system("node", "npm", "bash", "git")

FILES = {f"payments/part_{n}.py": f"def charge_{n}(card):\n    return card\n" for n in range(6)}
CHANGES = {f"payments/part_{n}.py": f"def refund_{n}(card):\n    return card\n" for n in range(3)}


@dataclass(frozen=True)
class Story:
    """What the jobs of one repository did, one after another."""

    remote: Remote
    commits: dict[str, str]
    results: dict[str, Result]


@pytest.fixture(scope="module")
def story(workplace: Workplace) -> Story:
    remote = workplace.remote("payments-api")
    commits, results = {}, {}
    commits["first"] = remote.commit(dict(FILES))
    results["first"] = workplace.run(remote)
    commits["three files"] = remote.commit(dict(CHANGES))
    results["three files"] = workplace.run(remote)
    results["same"] = workplace.run(remote, environment=UNREACHABLE)
    results["old job"] = workplace.run(remote, workplace.check_out(remote, commits["first"]))
    remote.rewind(1)
    commits["forced"] = remote.commit({"payments/part_5.py": "def charge_back():\n    pass\n"})
    results["forced"] = workplace.run(remote)
    return Story(remote, commits, results)


def test_scenario_index_update_on_pr_merge(workplace: Workplace, story: Story) -> None:
    result = story.results["first"]

    assert result.conclusion == "success"
    run_id = result.outputs.pop("run-id")
    assert result.outputs.pop("cache-hit") in {"true", "false"}  # of an earlier session
    assert result.outputs == {
        "callers": "",
        "report": "",
        "mode": "full",
        "reason": "first_index",
        "files-changed": "6",
        "chunks": "6",
        "last-indexed-commit": story.commits["first"],
    }
    summary = html.unescape(result.summary)
    assert run_id in summary
    assert "this is the repository's first index" in summary
    assert "| python | 6 |" in summary


def test_scenario_index_only_changed_files(story: Story) -> None:
    result = story.results["three files"]

    assert result.outputs["mode"] == "incremental"
    assert result.outputs["reason"] == "fast_forward"
    assert result.outputs["files-changed"] == "3"
    assert result.outputs["last-indexed-commit"] == story.commits["three files"]


def test_a_job_of_the_indexed_commit_does_nothing(story: Story) -> None:
    """Nor does it need a package index: what an earlier job installed is kept."""
    result = story.results["same"]

    assert (result.outputs["mode"], result.outputs["reason"]) == ("none", "up_to_date")
    assert result.outputs["last-indexed-commit"] == story.commits["three files"]


def test_an_installation_that_an_earlier_job_cached_is_a_cache_hit(story: Story) -> None:
    assert story.results["three files"].outputs["cache-hit"] == "true"


def test_without_a_cache_there_is_no_cache_hit(workplace: Workplace, story: Story) -> None:
    result = workplace.run(story.remote, inputs={"cache": "false"}, environment=UNREACHABLE)

    assert result.outputs["cache-hit"] == "false"


def test_an_old_job_run_again_after_a_newer_one_leaves_the_newer_commit(story: Story) -> None:
    result = story.results["old job"]

    assert result.steps["run"].exit_code == 0
    assert (result.outputs["mode"], result.outputs["reason"]) == ("none", "superseded")
    assert result.outputs["last-indexed-commit"] == story.commits["three files"]
    assert story.commits["three files"] in " ".join(result.annotations("notice"))


def test_scenario_handle_force_push(workplace: Workplace, story: Story) -> None:
    result = story.results["forced"]

    assert (result.outputs["mode"], result.outputs["reason"]) == ("full", "diverged")
    assert "history was rewritten" in html.unescape(result.summary)
    [status] = workplace.acme.get("index/status", project="payments-api")["projects"]
    assert status["last_indexed_commit"] == story.commits["forced"]
    found = workplace.acme.search("refund_1 card", mode="lexical")["results"]
    assert "refund_1" not in [hit["name"] for hit in found]


def test_no_job_writes_a_secret_anywhere(workplace: Workplace, story: Story) -> None:
    for result in story.results.values():
        for secret in (workplace.acme.token, JOB_TOKEN):
            assert secret not in result.raw + result.log + result.summary


def test_a_pull_request_is_told_who_calls_what_it_changes(workplace: Workplace) -> None:
    package = '[project]\nname = "{}"\nversion = "1.0"\ndependencies = {}\n'
    library = workplace.remote(
        "acme-tax",
        {
            "pyproject.toml": package.format("acme-tax", "[]"),
            "acme_tax/__init__.py": "def vat(amount):\n    return amount * 19 // 100\n",
        },
    )
    caller = workplace.remote(
        "checkout",
        {
            "pyproject.toml": package.format("checkout", '["acme-tax"]'),
            "till.py": "from acme_tax import vat\n\n\ndef bill(sum):\n    return sum + vat(sum)\n",
        },
    )
    for remote in (library, caller):
        assert workplace.run(remote).conclusion == "success"
    proposed = library.propose({"acme_tax/__init__.py": "def vat(amount, rate):\n    return 0\n"})

    result = workplace.run(
        library,
        workplace.check_out(library, proposed),
        inputs={"command": "impact", "mode": "auto"},
        pull_request={"base": library.head(), "head": proposed},
    )

    assert result.conclusion == "success", result.log
    summary = html.unescape(result.summary)
    assert "vat" in summary
    assert "bill" in summary
    assert "checkout" in summary
    assert result.outputs["run-id"] == ""
    assert result.outputs["callers"] == "1"
    assert "checkout" in result.outputs["report"]
