"""`codesearch index`. What is indexed of a checkout: tests/cli/test_indexing.py."""

import json
import tempfile
from pathlib import Path

from aeterna_code_search.client.target.local_token import LocalToken
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
    history = codesearch("index", "--history", "--json", directory=root, environ=environ)
    assert json.loads(history.stdout)["reason"] == "requested"
    branch = codesearch("index", "--ref", "main", directory=root, environ=environ)
    assert branch.returncode == 2
    assert "omit --ref" in branch.stderr
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


def test_a_malformed_tree_is_indexed_but_for_what_is_never_checked_out(
    service: Service, make_repository: MakeRepository
) -> None:
    root = make_repository("index-malformed", FILES)
    blob = bytes.fromhex(git(root, "rev-parse", "HEAD:src/a.py"))
    names = (b"..", b"twice.py", b"twice.py", b"whole.py")
    written = root.parent / "malformed.tree"
    written.write_bytes(b"".join(b"100644 " + name + b"\0" + blob for name in names))
    tree = git(root, "hash-object", "-t", "tree", "-w", "--literally", str(written))
    git(root, "reset", "--soft", git(root, "commit-tree", "-p", "HEAD", "-m", "malformed", tree))
    environ = {"AETERNA_DATA_DIR": str(service.data_dir)}
    done = codesearch("index", "--json", directory=root, environ=environ)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["skipped"] == {"path_invalid": 2}
    assert report["files"]["changed"] == 1


def test_a_bare_repository_that_a_commit_brought_is_refused_by_each_command(
    service: Service, make_repository: MakeRepository
) -> None:
    root = make_repository("index-brought", FILES)
    ran = root.parent / "ran"
    git(root, "clone", "--quiet", "--bare", str(root), str(root / "docs"))
    git(root / "docs", "config", "core.sshCommand", f"touch {ran};")
    git(root / "docs", "config", "core.fsmonitor", f"touch {ran};")
    git(root / "docs", "remote", "set-url", "origin", "ssh://example.invalid/a.git")
    environ = {"AETERNA_DATA_DIR": str(service.data_dir)}
    assert codesearch("index", directory=root, environ=environ).returncode == 0
    for command in ("index", "init", "watch"):
        done = codesearch(command, directory=root / "docs", environ=environ)
        assert done.returncode == 2, done.stdout
        assert "A commit may have created it" in done.stderr
    searched = codesearch("search", "def a", directory=root / "docs", environ=environ)
    assert searched.returncode in (0, 1), searched.stderr
    assert not ran.exists()
