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
