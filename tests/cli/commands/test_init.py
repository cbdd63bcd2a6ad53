"""`codesearch init`."""

import json
from pathlib import Path

import pytest

from aeterna_code_search.client.target.local_token import LocalToken
from indexer.config.project_file import parse_project_file
from scripts.local_git import commit_all, git, new_repository
from scripts.local_service import Organization, Service
from tests.cli.command import codesearch
from tests.cli.conftest import MakeRepository

LOGIN = "def check_password(given, stored):\n    return given == stored\n"


def local(service: Service) -> dict[str, str]:
    return {"AETERNA_DATA_DIR": str(service.data_dir)}


def test_initialize_project_for_indexing(service: Service, make_repository: MakeRepository) -> None:
    """A configuration is created and the first index is built; then it can be searched."""
    root = make_repository("init-shop", {"src/login.py": LOGIN})
    done = codesearch("init", root, directory=root.parent, environ=local(service))
    assert done.returncode == 0, done.stderr
    written = root / ".codesearch.toml"
    assert parse_project_file(written.read_bytes()).server == {}
    rows = dict(line.split(maxsplit=1) for line in done.stdout.partition("\n\n")[0].splitlines())
    assert rows["configuration"] == f"{written}: written"
    assert rows["project"] == "init-shop, of organisation local"
    assert rows["index"] == f"on this machine, in {service.data_dir}"
    assert rows["files"] == "1 indexed, 0 skipped"
    for command in ("search", "watch", "mcp"):
        assert f"codesearch {command}" in done.stdout
    assert "git add .codesearch.toml" in done.stdout
    assert "first_index" in done.stderr

    found = codesearch("search", "check_password", directory=root, environ=local(service))
    assert found.returncode == 0
    assert "src/login.py:1" in found.stdout


def test_again_from_a_subdirectory_it_keeps_the_file_and_says_so(
    service: Service, make_repository: MakeRepository
) -> None:
    root = make_repository("init-again", {"src/login.py": LOGIN, ".codesearch.toml": "# mine\n"})
    options = ("--project", "init-again")
    for expected in ("first_index", "nothing to do"):
        done = codesearch("init", *options, directory=root / "src", environ=local(service))
        assert done.returncode == 0, done.stderr
        assert expected in done.stdout
        assert "left unchanged; your options are not in it" in done.stdout
        assert "git add" not in done.stdout
    assert (root / ".codesearch.toml").read_text() == "# mine\n"
    assert git(root, "status", "--porcelain") == ""


def test_as_json_it_says_where_it_all_is_and_what_was_indexed(
    service: Service, make_repository: MakeRepository
) -> None:
    root = make_repository("init-json", {"src/login.py": LOGIN})
    done = codesearch("init", "--json", directory=root, environ=local(service))
    told = json.loads(done.stdout)
    assert told["configuration"] == str(root / ".codesearch.toml")
    assert (told["written"], told["url"], told["organization"]) == (True, None, "local")
    assert (told["reason"], told["files"]["changed"]) == ("first_index", 1)


def test_at_a_service_the_options_are_written_and_the_token_is_not(
    service: Service, make_repository: MakeRepository
) -> None:
    token = LocalToken(service.data_dir, "init-acme").bearer()
    acme = Organization(service, "init-acme", token)
    root = make_repository("init-central", {"src/login.py": LOGIN})
    named = ("--url", service.url, "--organization", "init-acme", "--project", "login")
    done = codesearch("init", *named, directory=root, environ={"AETERNA_TOKEN": token})
    assert done.returncode == 0, done.stderr
    text = (root / ".codesearch.toml").read_text()
    assert parse_project_file(text.encode()).server == {
        "url": service.url,
        "organization": "init-acme",
        "project": "login",
    }
    assert token not in text + done.stdout + done.stderr
    (row,) = acme.get("index/status")["projects"]
    assert (row["project"], row["last_indexed_commit"]) == ("login", git(root, "rev-parse", "HEAD"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "plain",
            "is not inside a git repository: change to one, name one, or create one with `git init",
        ),
        ("none", "is not a directory"),
        ("unborn", "has no commit yet"),
        ("bare.git", "is a bare repository"),
    ],
)
def test_where_there_is_nothing_to_index_it_says_what_to_type_and_writes_nothing(
    name: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "plain").mkdir()
    new_repository(tmp_path / "unborn")
    commit_all(new_repository(tmp_path / "full"), "First commit")
    git(tmp_path, "clone", "-q", "--bare", "full", "bare.git")
    data = tmp_path / "data"
    done = codesearch("init", name, directory=tmp_path, environ={"AETERNA_DATA_DIR": str(data)})
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert not data.exists()
    assert list(tmp_path.rglob(".codesearch.toml")) == []


def test_a_first_commit_is_what_it_says_to_type(tmp_path: Path) -> None:
    root = new_repository(tmp_path / "it's new")
    (root / "a.py").write_text("a = 1\n")
    said = codesearch("init", directory=root, environ={}).stderr
    commands = said.partition("`")[2].partition("`")[0]
    assert commands == (
        f"git -C '{tmp_path}/it'\"'\"'s new' add --all && "
        f"git -C '{tmp_path}/it'\"'\"'s new' commit -m 'First commit'"
    )
