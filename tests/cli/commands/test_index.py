"""`codesearch index`. What is indexed of a checkout: tests/cli/test_indexing.py."""

import json
import tempfile
from pathlib import Path

from cli.local_token import LocalToken
from scripts.local_git import git
from scripts.local_service import Organization, Service
from tests.cli.command import codesearch
from tests.cli.conftest import MakeRepository

FILES = {"src/a.py": "def a():\n    return 1\n"}


def test_up_to_date_is_no_failure_and_is_said(
    service: Service, make_repository: MakeRepository
) -> None:
    root = make_repository("index-command", FILES)
    temporary = Path(tempfile.mkdtemp())  # not pytest's: the path of a socket in it has a limit
    environ = {"AETERNA_DATA_DIR": str(service.data_dir), "TMPDIR": str(temporary)}
    first = codesearch("index", root, "--json", directory=root.parent, environ=environ)
    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout)["reason"] == "first_index"
    again = codesearch("index", directory=root / "src", environ=environ)
    assert again.returncode == 0
    assert "nothing to do (up_to_date: the commit is indexed already)" in again.stdout
    branch = codesearch("index", "--ref", "main", directory=root, environ=environ)
    assert branch.returncode == 2
    assert "leave --ref out" in branch.stderr
    temporary.rmdir()  # nothing was left in it


def test_at_a_configured_service_it_is_python_m_indexer_run(
    service: Service, make_repository: MakeRepository
) -> None:
    acme = Organization(service, "index-acme", LocalToken(service.data_dir, "index-acme").bearer())
    root = make_repository("index-central", FILES)
    environ = {
        "AETERNA_URL": service.url,
        "AETERNA_ORGANIZATION": acme.slug,
        "AETERNA_TOKEN": acme.token,
    }
    done = codesearch("index", "--json", directory=root, environ=environ)
    assert done.returncode == 0, done.stderr
    report, again = json.loads(done.stdout), acme.index(root, "index-central")
    assert (report["mode"], again["reason"]) == ("full", "up_to_date")
    assert report.keys() == again.keys()

    git(root, "checkout", "-q", "-b", "topic")
    refused = codesearch("index", directory=root, environ=environ)
    assert refused.returncode == acme.try_index(root, "index-central").returncode == 5
    assert "ref_not_tracked" in refused.stderr
