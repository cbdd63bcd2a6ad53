"""`codesearch impact`; what it finds is `tests/e2e/test_impact.py`'s."""

import json
from pathlib import Path

from scripts.examples import example_repositories
from scripts.local_git import commit_all
from tests.cli.command import codesearch


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
    assert "repository" in done.stderr
