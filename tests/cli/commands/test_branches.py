"""`--ref` of commands, from a real service that has indexed a release branch."""

import json
from pathlib import Path

import pytest

from indexer.config.settings import Settings
from indexer.pipeline.job import make_job
from indexer.records.runs import Requested
from scripts.local_git import commit_all, git, new_repository
from scripts.local_service import Service
from tests.cli.command import codesearch
from tests.e2e.conftest import write_files
from tests.e2e.indexing import carried_out, index_here, opened

PROJECT = "branched"
ON = ("--ref", "release/1")


@pytest.fixture(scope="module")
def environ(service: Service, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An organisation with a repository of which main and a release branch are indexed."""
    acme = service.organization("branches")  # the others count the repositories of acme
    path = new_repository(tmp_path_factory.mktemp("work") / PROJECT)
    files = {
        ".codesearch.toml": 'branches = ["release/*"]\n',
        "pay.py": "def charge():\n    return refund()\n\n\ndef refund():\n    return 1\n",
    }
    write_files(path, files)
    commit_all(path, "First commit")
    index_here(acme, path, PROJECT)
    git(path, "checkout", "-q", "-b", "release/1")
    (path / "pay.py").unlink()
    write_files(path, {"old/pay.py": "def charge():\n    return legacy_refund()\n\n\n"
                       "def legacy_refund():\n    return 1\n"})  # fmt: skip
    commit_all(path, "As it was")
    named = {
        "AETERNA_URL": acme.service.url,
        "AETERNA_TOKEN": acme.token,
        "AETERNA_ORGANIZATION": acme.slug,
    }
    settings = Settings.load(named, project_dir=path, default_project=PROJECT, overrides={})
    with opened(acme, path) as (repository, central):
        job = make_job(
            repository,
            settings,
            ref="refs/heads/release/1",
            requested=Requested("auto"),
            timeout_seconds=60,
        )
        carried_out(job, repository, central)
    return named


def printed(environ: dict[str, str], directory: Path, *command: str, code: int = 0) -> str:
    done = codesearch(*command, directory=directory, environ=environ)
    assert done.returncode == code, done.stderr
    return done.stdout or done.stderr


def test_files_searches_and_traces_are_of_the_branch(
    environ: dict[str, str], tmp_path: Path
) -> None:
    assert printed(environ, tmp_path, "ls", PROJECT, *ON) == "old/\n.codesearch.toml\n"
    assert "legacy_refund" in printed(environ, tmp_path, "cat", PROJECT, "old/pay.py", *ON)
    assert "is a directory" in printed(environ, tmp_path, "cat", PROJECT, "old", *ON, code=2)
    found = printed(environ, tmp_path, "search", '"legacy_refund"', "-p", PROJECT, *ON)
    assert found.startswith(f"{PROJECT}/old/pay.py:")
    called = printed(environ, tmp_path, "trace", "callers", "legacy_refund", "-p", PROJECT, *ON)
    assert called.startswith(f"{PROJECT}/old/pay.py:2: charge -> legacy_refund")


def test_without_it_they_are_of_the_default_branch(environ: dict[str, str], tmp_path: Path) -> None:
    assert printed(environ, tmp_path, "ls", PROJECT) == ".codesearch.toml\npay.py\n"
    printed(environ, tmp_path, "grep", "legacy_refund", "-p", PROJECT, code=1)


def test_the_status_names_the_branch_and_a_wrong_name_is_an_error(
    environ: dict[str, str], tmp_path: Path
) -> None:
    answer = json.loads(printed(environ, tmp_path, "status", "-p", PROJECT, "--json"))
    [branch] = answer["projects"][0]["branches"]
    assert (branch["ref"], branch["reason"]) == ("release/1", None)
    done = codesearch("ls", PROJECT, "--ref", "none", directory=tmp_path, environ=environ)
    assert done.returncode
    assert "it has main, release/1" in done.stderr
