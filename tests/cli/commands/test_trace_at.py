"""`codesearch trace at`."""

from pathlib import Path

import pytest

from scripts.local_service import Service
from tests.agents.recorded import recorded
from tests.cli.answering import Answering, run
from tests.cli.command import codesearch
from tests.cli.conftest import MakeRepository
from tests.e2e.indexing import index_here

HANDLER = ("trace", "at", "acme_auth/app.py:44:20", "--project", "auth-service")
SHOP = "def sell(): ...\n\n\ndef main():\n    sell()\n"


def test_a_definition_is_named_with_the_commit_that_is_asked(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    done = codesearch(*HANDLER, directory=tmp_path, environ=acme_environ)
    assert (done.returncode, done.stdout) == (
        0,
        "auth-service/acme_auth/handlers.py:42: class HandleLogin (high, import)\n",
    )
    assert done.stderr.startswith("At auth-service/acme_auth/app.py:44:13 of ")
    assert done.stderr.endswith(": HandleLogin (call).\n")


def test_references_are_listed_as_callers_are(acme_environ: dict[str, str], tmp_path: Path) -> None:
    done = codesearch(*HANDLER, "--references", directory=tmp_path, environ=acme_environ)
    assert done.returncode == 0
    assert (
        "auth-service/acme_auth/app.py:44: create_app -> HandleLogin at "
        "auth-service/acme_auth/handlers.py:42 (high, import)\n"
    ) in done.stdout
    assert "Defined at auth-service/acme_auth/handlers.py:42: class HandleLogin\n" in done.stderr


def test_a_place_without_a_name_finds_nothing(acme_environ: dict[str, str], tmp_path: Path) -> None:
    beside = ("trace", "at", "acme_auth/app.py:44:1", "--project", "auth-service")
    done = codesearch(*beside, directory=tmp_path, environ=acme_environ)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: The index knows no name there")
    behind = ("trace", "at", "acme_auth/app.py:444:1", "--project", "auth-service")
    done = codesearch(*behind, directory=tmp_path, environ=acme_environ)
    assert done.returncode == 2
    assert done.stderr == "error: The indexed file has 45 lines; line is behind the last.\n"


def test_in_a_checkout_a_file_is_found_from_here_and_an_edited_line_is_told(
    service: Service, make_repository: MakeRepository
) -> None:
    organization = service.organization("trace-at")
    root = make_repository("shop", {"src/shop.py": SHOP, "shop.py": ""})
    environ = {
        "AETERNA_URL": service.url,
        "AETERNA_TOKEN": organization.token,
        "AETERNA_ORGANIZATION": organization.slug,
    }
    unindexed = codesearch("trace", "at", "src/shop.py:5:5", directory=root, environ=environ)
    assert unindexed.returncode == 3
    assert "This checkout is not indexed" in unindexed.stderr
    index_here(organization, root, "shop")
    for directory, file in (
        (root, "src/shop.py"),
        (root / "src", "shop.py"),
        (root, f"{root}/src/shop.py"),
    ):
        done = codesearch("trace", "at", f"{file}:5:5", directory=directory, environ=environ)
        assert done.stdout == "shop/src/shop.py:1: def sell() (high, same_file)\n"
        assert len(done.stderr.splitlines()) == 1
    (root / "src/shop.py").write_text(SHOP.replace("def main", "# New.\ndef main"))
    done = codesearch("trace", "at", "src/shop.py:5:5", directory=root, environ=environ)
    assert done.stdout == "shop/src/shop.py:1: def sell() (high, same_file)\n"
    assert "This line of the checkout is not that of the indexed commit" in done.stderr
    outside = codesearch("trace", "at", "../shop.py:1:1", directory=root, environ=environ)
    assert outside.returncode == 2
    assert "--project" in outside.stderr


@pytest.mark.parametrize(
    "wrong",
    [["a.py"], ["a.py:1"], ["a.py:0:1"], ["a.py:1:0"], ["a.py:x:1"], ["a.py:1:1", "--kind", "new"]],
)
def test_what_is_no_position_is_not_asked(wrong: list[str]) -> None:
    service = Answering("definition")
    done = run(service, "trace", "at", *wrong, "--project", "shop")
    assert (done.exit_code, service.asked) == (2, [])


def test_columns_count_from_one_and_kinds_are_the_services() -> None:
    service = Answering("references")
    asked = ["C:/a.py:7:3:", "-p", "shop", "--references", "--kind", "call", "--limit", "2"]
    assert run(service, "trace", "at", *asked).exit_code == 0
    place = {"project": "shop", "file": "C:/a.py", "line": 7, "column": 2}
    options = {"kind": ["call"], "min_confidence": "medium", "limit": 2}
    assert service.asked == [("references", place | options)]


def test_what_only_the_name_says_is_listed_and_explained() -> None:
    answer = recorded("definition")
    answer["definitions"][0] |= {"confidence": "low", "rule": "name_only"}
    answer["hint"] = "The file does not say of which class the value is."
    done = run(Answering(answer), "trace", "at", "a.py:1:1", "-p", "shop")
    assert done.exit_code == 0
    assert done.stdout.endswith("class HandleLogin (low, name_only)\n")
    assert done.stderr.endswith("does not say of which class the value is.\n")
