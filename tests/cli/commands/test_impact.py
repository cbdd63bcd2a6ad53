"""`codesearch impact`; what it finds is `tests/e2e/test_impact.py`'s."""

import json
from pathlib import Path

from scripts.examples import example_repositories
from scripts.local_git import commit_all
from tests.cli.command import codesearch
from tests.cli.conftest import MakeRepository


def test_callers_in_other_repositories_of_what_a_branch_changes(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    clone = example_repositories(tmp_path)["common-utils"]
    file = clone / "src/acme_common/retry.py"
    file.write_text(file.read_text().replace("def retry_call(\n", "def retry_call(  # new\n"))
    commit_all(clone, "Change it")
    done = codesearch("impact", "HEAD~1..HEAD", "--json", directory=clone, environ=acme_environ)
    assert done.returncode == 0
    changed = json.loads(done.stdout)["symbols"][0]
    assert changed["definition"]["name"] == "retry_call"
    assert "auth-service" in {one["project"] for one in changed["projects"]}


def test_outside_of_a_repository_it_is_a_usage_error(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    done = codesearch("impact", directory=tmp_path, environ=acme_environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {tmp_path} is not inside a git repository: change to one\n"


def test_a_project_that_is_not_indexed_ends_with_3_and_says_what_to_type(
    acme_environ: dict[str, str], make_repository: MakeRepository
) -> None:
    clone = make_repository("unheard-of", {"a.py": "a = 1\n"})
    done = codesearch("impact", "HEAD..HEAD", directory=clone, environ=acme_environ)
    assert done.returncode == 3
    assert "this project is not indexed" in done.stdout
    assert "codesearch index" in done.stderr


def test_uncommitted_changes_count_unless_head_is_named(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    clone = example_repositories(tmp_path)["common-utils"]
    file = clone / "src/acme_common/retry.py"
    file.write_text(file.read_text().replace("def retry_call(\n", "def retry_call(  # new\n"))
    (clone / "new.py").write_text("new = 1\n")
    objects = sorted((clone / ".git/objects").rglob("*"))
    for arguments in ([], ["HEAD"], ["HEAD.."]):
        done = codesearch("impact", *arguments, "--json", directory=clone, environ=acme_environ)
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout)
        assert answer["uncommitted"] is True
        assert answer["files"] == {"changed": 1, "added": 1}
        assert answer["symbols"][0]["definition"]["name"] == "retry_call"
        assert answer["head"] == answer["base"]
    shown = codesearch("impact", directory=clone, environ=acme_environ).stdout
    assert " and uncommitted changes: 1 changed function is called in" in shown
    committed = codesearch("impact", "HEAD..HEAD", "--json", directory=clone, environ=acme_environ)
    assert json.loads(committed.stdout)["symbols"] == []
    assert sorted((clone / ".git/objects").rglob("*")) == objects


def test_a_clean_work_tree_is_head_itself(acme_environ: dict[str, str], tmp_path: Path) -> None:
    clone = example_repositories(tmp_path)["common-utils"]
    done = codesearch("impact", "--json", directory=clone, environ=acme_environ)
    assert json.loads(done.stdout)["uncommitted"] is False
