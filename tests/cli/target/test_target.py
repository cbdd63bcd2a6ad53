"""Where the index is: what is set says it; with nothing set, it is on this machine."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from aeterna_code_search.client.target.local_token import LocalToken
from aeterna_code_search.client.target.target import IndexTarget, open_target
from indexer.client.credentials import Purpose
from indexer.errors import ConfigurationError
from scripts.local_service import Service
from tests.cli.conftest import MakeRepository

CENTRAL = {
    "AETERNA_URL": "https://code.example/",
    "AETERNA_ORGANIZATION": "acme",
    "AETERNA_TOKEN": "aet_secret",
}


def target_of(directory: Path, environ: dict[str, str], **options: Any) -> IndexTarget:
    with open_target(environ, directory, **options) as target:
        return target


def local(service: Service, **more: str) -> dict[str, str]:
    return {"AETERNA_DATA_DIR": str(service.data_dir), **more}


def test_a_configured_service_is_asked_with_the_token_that_is_set(
    make_repository: MakeRepository,
) -> None:
    root = make_repository("shop", {"src/a.py": "a = 1\n"})
    target = target_of(root / "src", CENTRAL)
    assert (target.url, target.organization) == ("https://code.example", "acme")
    assert (target.project, target.root, target.is_local) == ("shop", root, False)
    assert target.credentials.bearer() == "aet_secret"
    assert "aet_" not in repr(target)


def test_the_projects_file_names_the_service_and_the_environment_wins(
    make_repository: MakeRepository,
) -> None:
    server = '[server]\nurl = "http://127.0.0.1:1"\norganization = "file"\nproject = "file"\n'
    root = make_repository("shop", {".codesearch.toml": server, "src/a.py": ""})
    target = target_of(root / "src", {"AETERNA_TOKEN": "t", "AETERNA_ORGANIZATION": "env"})
    assert (target.url, target.organization, target.project) == (
        "http://127.0.0.1:1",
        "env",
        "file",
    )
    given = target_of(root, CENTRAL, url="http://given", organization="o", project="p")
    assert (given.url, given.organization, given.project) == ("http://given", "o", "p")


@pytest.mark.parametrize("name", ["AETERNA_ORGANIZATION", "AETERNA_TOKEN"])
def test_what_a_configured_service_lacks_is_named(name: str, tmp_path: Path) -> None:
    environ = {key: value for key, value in CENTRAL.items() if key != name}
    with pytest.raises(ConfigurationError, match=f"{name} is not set; set it in the environment"):
        target_of(tmp_path, environ)


@pytest.mark.parametrize(
    ("purpose", "scope"), [(Purpose.IMPACT, "search"), (Purpose.INDEX, "index")]
)
def test_a_token_that_may_not_is_told_the_scope_that_it_needs(
    purpose: Purpose, scope: str, tmp_path: Path
) -> None:
    with open_target(CENTRAL, tmp_path, purpose=purpose) as target:
        assert f"`{scope}`" in target.credentials.error_hints["insufficient_scope"]


def test_with_nothing_set_the_service_of_this_machine_is_asked(
    service: Service, make_repository: MakeRepository
) -> None:
    root = make_repository("place-shop", {"a.py": ""})
    target = target_of(root, local(service))
    assert (target.url, target.organization, target.project) == (service.url, "local", "place-shop")
    assert (target.data_dir, target.root, target.is_local) == (service.data_dir, root, True)
    assert isinstance(target.credentials, LocalToken)


def test_organisation_project_and_token_may_be_set_for_it_too(
    service: Service, make_repository: MakeRepository
) -> None:
    root = make_repository("place-named", {"a.py": ""})
    environ = local(service, AETERNA_ORGANIZATION="acme", AETERNA_TOKEN="aet_mine")
    target = target_of(root, environ, project="place-other")
    assert (target.organization, target.project) == ("acme", "place-other")
    assert target.credentials.bearer() == "aet_mine"


def test_outside_of_a_repository_there_is_no_project(service: Service, tmp_path: Path) -> None:
    target = target_of(tmp_path, local(service))
    assert (target.project, target.root) == ("", None)


def test_work_trees_of_one_repository_are_indexed_apart(
    service: Service, make_repository: MakeRepository, tmp_path: Path
) -> None:
    root = make_repository("place-trees", {"a.py": ""})
    other = tmp_path / "other" / "place-trees"
    subprocess.run(["git", "-C", root, "worktree", "add", "-q", other, "-b", "b"], check=True)
    for purpose, names in (
        (Purpose.IMPACT, ["place-trees", "place-trees"]),  # who only asks claims no name
        (Purpose.INDEX, ["place-trees", "place-trees-2"]),
        (Purpose.IMPACT, ["place-trees", "place-trees-2"]),
    ):
        places = [
            target_of(directory, local(service), purpose=purpose) for directory in (root, other)
        ]
        assert [target.project for target in places] == names
