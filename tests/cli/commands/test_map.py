"""`codesearch map`, from a real service."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from aeterna_code_search.client.target.local_token import LocalToken
from scripts.local_git import commit_all
from scripts.local_service import Organization, Service
from tests.central.trace.corpus import pyproject
from tests.cli.command import codesearch
from tests.cli.conftest import MakeRepository
from tests.e2e.indexing import index_here
from tests.waiting import wait_until


def test_which_repositories_use_which_is_a_line_for_each_link(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    def shown(*options: str) -> tuple[int, str, str]:
        done = codesearch("map", "show", *options, directory=tmp_path, environ=acme_environ)
        return done.returncode, done.stdout, done.stderr

    wait_until(lambda: shown()[0] == 0, "edges do not follow", seconds=90)
    _, lines, notes = shown()
    asked = "acme-common >=2.1,<3 of 2.3.0"
    assert lines == f"auth-service -> common-utils: 15 calls, 13 imports; {asked}\n"
    assert notes.startswith("Searched ")
    _, text, _ = shown("auth-service", "--level", "package", "--json")
    assert {one["project"] for one in json.loads(text)["nodes"]} == {"auth-service", "common-utils"}


Consumers = Callable[..., tuple[int, list[str], str]]


@pytest.fixture
def consumers(service: Service, make_repository: MakeRepository) -> Consumers:
    """`codesearch map consumers …` in a clone of a library that an application calls."""
    token = LocalToken(service.data_dir, "users").bearer()
    users = Organization(service, "users", token)
    code = "def run(): ...\n\n\ndef rest(): ...\n"
    lib = make_repository("lib", {"pyproject.toml": pyproject("lib"), "lib.py": code})
    calls = "from lib import rest, run\n\nrun()\nrun()\nrest()\n"
    app = {"pyproject.toml": pyproject("app", "lib==0.9"), "app.py": calls}
    index_here(users, lib, "lib")
    index_here(users, make_repository("app", app), "app")
    (lib / "lib.py").write_text(code.replace("run(): ...", "run(): return 1"))
    commit_all(lib, "Change it")
    environ = {
        "AETERNA_URL": service.url,
        "AETERNA_TOKEN": token,
        "AETERNA_ORGANIZATION": "users",
    }

    def shown(*options: str) -> tuple[int, list[str], str]:
        done = codesearch("map", "consumers", *options, directory=lib, environ=environ)
        return done.returncode, done.stdout.splitlines(), done.stderr

    wait_until(lambda: shown("lib")[0] == 0, "edges do not follow", seconds=90)
    return shown


def test_consumers_are_lines_with_what_they_use_below_each(consumers: Consumers) -> None:
    lines = [
        "app#pypi:app: 3 calls, 2 imports; lib 0.9 of 1.0.0 (lags)",
        "  lib/lib.py:1: run (2 calls)",
        "  lib/lib.py:4: rest (1 call)",
    ]
    assert consumers()[:2] == (0, lines)
    assert consumers("lib", "--lags")[1] == lines
    code, _, notes = consumers("app")
    assert (code, "uses it, or asks for it." in notes) == (1, True)
    code, _, notes = consumers("--package", "")  # of a script's variable that is not set
    assert (code, "package: This field may not be blank." in notes) == (2, True)

    of_symbol = consumers("--symbol", "rest")[1]
    assert of_symbol[1:] == ["  lib/lib.py:4: rest (1 call, 1 import)"]
    _, since, _ = consumers("--since", "HEAD")
    assert since[1:] == ["  lib/lib.py:1: run (2 calls, 1 import)"]
    code, _, notes = consumers("--since", "HEAD~1")  # which is indexed
    assert (code, "no indexed definition differs" in notes) == (2, True)


def test_what_most_other_repositories_use(acme_environ: dict[str, str], tmp_path: Path) -> None:
    def asked() -> CompletedProcess[str]:
        return codesearch("map", "most-called", directory=tmp_path, environ=acme_environ)

    wait_until(lambda: asked().returncode == 0, "edges do not follow", seconds=90)
    first = asked().stdout.splitlines()[0]
    assert first.startswith("common-utils/src/acme_common/")
    assert "1 repository, " in first


def test_what_nothing_calls_is_a_line_with_its_doubts(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    def unused(*options: str) -> tuple[int, str, str]:
        done = codesearch("map", "unused", *options, directory=tmp_path, environ=acme_environ)
        return done.returncode, done.stdout, done.stderr

    wait_until(lambda: unused()[0] == 0, "edges do not follow", seconds=90)
    _, lines, notes = unused("common-utils", "--kind", "function", "--limit", "1")
    first, more = lines.splitlines()
    assert first.startswith("common-utils/src/acme_common/")
    assert ": function " in first
    assert first.endswith(")")
    assert more.startswith("More: --cursor ")
    assert notes.startswith("Searched ")


def test_a_repository_that_is_not_there_is_not_found(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    done = codesearch("map", "show", "nope", directory=tmp_path, environ=acme_environ)
    assert (done.returncode, done.stdout) == (3, "")
    assert "There is no such repository" in done.stderr
