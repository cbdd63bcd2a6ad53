"""`python -m indexer impact` on branches of the example libraries, against the real service.

The examples are asked and never indexed anew: each branch is one of a clone.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts.local_git import commit_all, git
from scripts.local_service import ROOT, Organization, clean_environment
from tests.e2e.conftest import MakeRepository, write_files

MIDDLEWARE = "acme_auth/middleware.py"
_SHOP = '[project]\nname = "shop"\nversion = "1.0"\n'
_NEEDS_SHOP = '[project]\nname = "till"\nversion = "1.0"\ndependencies = ["shop"]\n'
Edit = Mapping[str, str]


@pytest.fixture
def auth_service(examples: Organization, tmp_path: Path) -> Path:
    """A clone of the library whose `AuthMiddleware` other services use, on a branch."""
    clone = tmp_path / "auth-service"
    git(tmp_path, "clone", "--quiet", str(example_clones(examples) / "auth-service"), str(clone))
    return branch(clone)


def example_clones(examples: Organization) -> Path:
    """Where the examples' repositories are."""
    return examples.service.data_dir.parent / "git"


def branch(repository: Path) -> Path:
    git(repository, "checkout", "--quiet", "-b", "topic")
    return repository


def edit(repository: Path, file: str, replacements: Edit) -> str:
    """Commit a file with texts replaced."""
    path = repository / file
    text = path.read_text(encoding="utf-8")
    for old, new in replacements.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return commit_all(repository, f"Edit {file}")


def try_impact(
    acme: Organization, repository: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command on what the branch changes since main."""
    settings = {
        "AETERNA_URL": acme.service.url,
        "AETERNA_TOKEN": acme.token,
        "AETERNA_ORGANIZATION": acme.slug,
        **environment,
    }
    named = () if environment else ("main..topic",)
    return subprocess.run(
        [sys.executable, "-m", "indexer", "impact", "--path", repository, *named, *arguments],
        cwd=ROOT, env=clean_environment(settings), capture_output=True, text=True, check=False,
    )  # fmt: skip


def impact(acme: Organization, repository: Path, *arguments: str) -> dict[str, Any]:
    done = try_impact(acme, repository, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def others(answer: dict[str, Any], name: str) -> set[str]:
    """Where a changed definition is called in other repositories: project, file and line."""
    symbol = next(row for row in answer["symbols"] if row["definition"]["qualified_name"] == name)
    return {
        f"{project['project']} {call['file']}:{call['line']}"
        for project in symbol["projects"]
        if project["project"] != answer["project"]
        for call in project["callers"]
    }


def changed(answer: dict[str, Any]) -> list[str]:
    return sorted(row["definition"]["qualified_name"] for row in answer["symbols"])


BILLING_AND_PAYMENTS = {
    "billing-service billing/app.py:36",
    "billing-service billing/resellers.py:17",
    "payments-api payments/app.py:18",
    "payments-api payments/backoffice.py:13",
}


def test_a_changed_class_is_told_with_its_callers_in_both_other_repositories(
    examples: Organization, auth_service: Path
) -> None:
    edit(auth_service, MIDDLEWARE, {"through only with": "only with"})
    answer = impact(examples, auth_service)
    assert answer["lines"] == "exact"
    assert changed(answer) == ["AuthMiddleware"]
    assert others(answer, "AuthMiddleware") == BILLING_AND_PAYMENTS
    assert answer["receipt"]["complete"]


def test_who_makes_an_object_is_a_caller_of_its_changed_constructor(
    examples: Organization, auth_service: Path
) -> None:
    edit(
        auth_service, MIDDLEWARE, {"audience: str, public_paths": "audience: str, *, public_paths"}
    )
    answer = impact(examples, auth_service)
    assert changed(answer) == ["AuthMiddleware.__init__"]
    makers = BILLING_AND_PAYMENTS - {"payments-api payments/backoffice.py:13"}  # inherits
    made_of_subclass = {"payments-api payments/backoffice.py:27"}
    assert others(answer, "AuthMiddleware.__init__") == makers | made_of_subclass


def test_a_branch_that_adds_a_function_changes_none(
    examples: Organization, auth_service: Path
) -> None:
    added = "def refuse() -> None:\n    raise TokenError\n\n\ndef _problem("
    edit(auth_service, MIDDLEWARE, {"def _problem(": added})
    answer = impact(examples, auth_service)
    assert answer["symbols"] == []
    assert answer["files"] == {"changed": 1, "added": 0}
    said = try_impact(examples, auth_service).stdout
    assert "the changed lines are outside of all indexed definitions" in said


def test_a_new_file_needs_no_question(examples: Organization, auth_service: Path) -> None:
    write_files(auth_service, {"acme_auth/new.py": "def new():\n    return 1\n"})
    commit_all(auth_service, "Add a file")
    done = try_impact(examples, auth_service)
    assert done.returncode == 0
    assert "no existing file is changed; 1 file is new" in done.stdout


def test_an_index_that_is_older_than_the_branch_is_asked_about_its_own_lines(
    examples: Organization, auth_service: Path
) -> None:
    """On main, lines were inserted above; there, other functions would be taken for changed."""
    git(auth_service, "checkout", "--quiet", "main")
    edit(auth_service, MIDDLEWARE, {"logger = logging": "# one\n# two\n" * 10 + "logger = logging"})
    git(auth_service, "checkout", "--quiet", "-B", "topic")
    edit(auth_service, MIDDLEWARE, {"str(token.strip())": "str(token.rstrip())"})
    answer = impact(examples, auth_service)
    assert answer["lines"] == "exact"
    assert answer["base"] != answer["indexed_commit"]
    assert changed(answer) == ["bearer_token"]


def test_where_the_indexed_commit_is_not_to_be_had_the_answer_says_so(
    examples: Organization, make_repository: MakeRepository
) -> None:
    source = ROOT / "examples/acme/auth-service"
    text = (source / MIDDLEWARE).read_text(encoding="utf-8")
    repository = branch(make_repository("auth-service", {MIDDLEWARE: text}))
    edit(repository, MIDDLEWARE, {"str(token.strip())": "str(token.rstrip())"})
    answer = impact(examples, repository)
    assert answer["lines"] == "approximate"
    assert changed(answer) == ["bearer_token"]
    assert "could not be compared" in try_impact(examples, repository).stdout


def test_a_removed_file_changes_all_that_it_defined(
    examples: Organization, auth_service: Path
) -> None:
    (auth_service / MIDDLEWARE).unlink()
    commit_all(auth_service, "Remove")
    answer = impact(examples, auth_service)
    assert {"AuthMiddleware", "AuthMiddleware.__call__", "bearer_token"} < set(changed(answer))
    assert others(answer, "AuthMiddleware") == BILLING_AND_PAYMENTS


def test_a_file_that_is_not_indexed_is_told_as_unknown(
    examples: Organization, auth_service: Path
) -> None:
    git(auth_service, "checkout", "--quiet", "main")
    write_files(auth_service, {"acme_auth/later.py": "def later():\n    return 1\n"})
    commit_all(auth_service, "Later than the index")
    git(auth_service, "checkout", "--quiet", "-B", "topic")
    edit(auth_service, "acme_auth/later.py", {"return 1": "return 2"})
    assert impact(examples, auth_service)["unknown"] == ["acme_auth/later.py"]


def test_the_job_of_a_pull_request_writes_its_summary(
    examples: Organization, auth_service: Path, tmp_path: Path
) -> None:
    base = git(auth_service, "rev-parse", "main")
    head = edit(auth_service, MIDDLEWARE, {"through only with": "only with"})
    git(auth_service, "checkout", "--quiet", "--detach", "main")  # the merge commit's stand-in
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"base": {"sha": base}, "head": {"sha": head}}}))
    summary = tmp_path / "summary.md"
    done = try_impact(
        examples,
        auth_service,
        GITHUB_SERVER_URL="https://github.example",
        GITHUB_REPOSITORY="acme/auth-service",
        GITHUB_EVENT_PATH=str(event),
        GITHUB_STEP_SUMMARY=str(summary),
    )
    assert done.returncode == 0, done.stderr
    told = summary.read_text(encoding="utf-8")
    assert "**1 changed definition is called in 2 other repositories&#46;**" in told
    assert "[<code>billing/resellers&#46;py&#58;17</code>](http://127.0.0.1:" in told
    asked = len(examples.get("index/status")["projects"])
    assert f"<summary>Searched: {asked} repositories" in told


def test_a_pull_request_into_a_release_branch_is_assessed_by_its_index(
    acme: Organization, make_repository: MakeRepository, tmp_path: Path
) -> None:
    acme.service.manage("branches", "--organization", acme.slug, "release/*")
    caller = {"use.py": "from shop.pay import charge\n\n\ndef order():\n    charge(1)\n"}
    acme.index(make_repository("till", {"pyproject.toml": _NEEDS_SHOP, **caller}), "till")
    before = {"pyproject.toml": _SHOP, "shop/pay.py": "def charge(n):\n    return n\n"}
    remote = make_repository("remote", before)
    git(remote, "branch", "release/1")
    git(remote, "branch", "release/2")
    write_files(remote, {"shop/pay.py": "def bill(n):\n    return n\n"})
    commit_all(remote, "Rename it on main")
    git(tmp_path, "clone", "--quiet", str(remote), "shop")
    shop = tmp_path / "shop"
    for name in ("main", "release/1"):
        git(shop, "checkout", "--quiet", name)
        acme.index(shop, "shop")
    base = git(shop, "rev-parse", "HEAD")
    git(shop, "checkout", "--quiet", "-b", "topic")
    head = edit(shop, "shop/pay.py", {"return n": "return -n"})

    def assessed(into: str) -> dict[str, Any]:
        event = tmp_path / "event.json"
        pull = {"base": {"sha": base, "ref": into}, "head": {"sha": head}}
        event.write_text(json.dumps({"pull_request": pull}))
        of_github = {
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_REPOSITORY": "acme/shop",
        }
        named = ("--json", "--project", "shop")
        done = try_impact(acme, shop, *named, **of_github, GITHUB_EVENT_PATH=str(event))
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    answer = assessed("release/1")
    assert (answer["ref"], answer["ref_not_indexed"], answer["lines"]) == (
        "release/1",
        None,
        "exact",
    )
    assert changed(answer) == ["charge"]
    assert others(answer, "charge") == {"till use.py:5"}
    answer = assessed("release/2")
    assert (answer["ref"], answer["ref_not_indexed"]) == (None, "release/2")
    assert "charge" not in changed(answer)


def test_a_project_that_is_not_indexed_is_told_how_to_be(
    examples: Organization, auth_service: Path, tmp_path: Path
) -> None:
    edit(auth_service, MIDDLEWARE, {"through only with": "only with"})
    summary = tmp_path / "summary.md"
    done = try_impact(
        examples, auth_service, "main..topic", "--project", "nobody",
        GITHUB_STEP_SUMMARY=str(summary),
    )  # fmt: skip
    assert done.returncode == 3
    assert "this project is not indexed" in done.stdout
    assert "Index it once" in summary.read_text(encoding="utf-8")


def test_a_token_that_is_wrong_is_refused(examples: Organization, auth_service: Path) -> None:
    stranger = Organization(examples.service, examples.slug, "aet_nobody")
    assert try_impact(stranger, auth_service).returncode == 5


def test_a_range_that_is_not_there_is_a_wrong_argument(
    examples: Organization, auth_service: Path
) -> None:
    done = try_impact(examples, auth_service, "main..nowhere", CI="1")
    assert done.returncode == 2
    assert "nowhere" in done.stderr
