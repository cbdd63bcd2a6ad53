"""`codesearch trace`."""

import json
from pathlib import Path

import pytest

from aeterna_code_search.cli.output.errors import format_error
from indexer.errors import CentralRefusedError
from tests.agents.recorded import recorded
from tests.cli.answering import Answering, run
from tests.cli.command import codesearch


def test_trace_from_cli(acme_environ: dict[str, str], tmp_path: Path) -> None:
    """Spec 3: displays functions that call the named one."""
    done = codesearch("trace", "callers", "HandleLogin", directory=tmp_path, environ=acme_environ)
    assert done.returncode == 0
    assert (
        "auth-service/acme_auth/app.py:44: create_app -> HandleLogin at "
        "auth-service/acme_auth/handlers.py:42 (high, import)\n"
    ) in done.stdout
    assert "Defined at auth-service/acme_auth/handlers.py:42: class HandleLogin" in done.stderr


def test_imports_are_shown_when_they_are_asked_for(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    asked = ("trace", "callers", "HandleLogin", "--kind", "import")
    done = codesearch(*asked, directory=tmp_path, environ=acme_environ)
    assert done.returncode == 0
    assert "auth-service/acme_auth/app.py:" in done.stdout, done.stdout
    assert "(high, import, import)" in done.stdout


def test_callers_in_other_repositories_are_among_them(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    done = codesearch(
        "trace", "callers", "retry_call", "-p", "common-utils", "--json",
        directory=tmp_path, environ=acme_environ,
    )  # fmt: skip
    callers = json.loads(done.stdout)["callers"]
    assert {one["project"] for one in callers} == {"auth-service", "common-utils"}


def test_a_name_that_is_not_there_shows_names_that_are_alike(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    done = codesearch("trace", "callees", "verify_tokn", directory=tmp_path, environ=acme_environ)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        "error: No definition has this name in the repositories that this credential sees."
    )
    assert "Similar names: verify_token" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        (
            ["callers", "a", "-p", "p", "--file", "f", "--line", "3", "--depth", "2",
             "--min-confidence", "low", "--limit", "7", "--caller-project", "q",
             "--kind", "call", "--kind", "new"],
            ("callers", {"symbol": "a", "project": "p", "file": "f", "line": 3, "depth": 2,
                         "min_confidence": "low", "limit": 7, "caller_projects": ["q"],
                         "kind": ["call", "new"]}),
        ),
        (["callees", "a"], ("callees", {"symbol": "a", "min_confidence": "medium", "limit": 50})),
        (
            ["callees", "a", "--kind", "inherit", "--kind", "import"],
            ("callees", {"symbol": "a", "min_confidence": "medium", "limit": 50,
                         "kind": ["inherit", "import"]}),
        ),
        (
            ["graph", "a"],
            ("graph", {"symbol": "a", "min_confidence": "medium", "depth": 2, "limit": 200}),
        ),
    ],
)  # fmt: skip
def test_options_are_the_services(arguments: list[str], asked: object) -> None:
    service = Answering(arguments[0])
    assert run(service, "trace", *arguments).exit_code == 0
    assert service.asked == [asked]


@pytest.mark.parametrize(
    "wrong",
    [["callers"], ["callers", " "], ["callers", "a", "--depth", "6"], ["graph", "a", "--line", "0"],
     ["callees", "a", "--limit", "201"], ["callers", "a", "--min-confidence", "sure"]],
)  # fmt: skip
def test_what_the_service_would_refuse_is_not_asked(wrong: list[str]) -> None:
    service = Answering("callers")
    assert (run(service, "trace", *wrong).exit_code, service.asked) == (2, [])


def test_a_definition_that_nobody_calls_is_an_explained_zero() -> None:
    done = run(Answering("callers_empty"), "trace", "callers", "reseller_applications")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "results may be missing from support-desk (never indexed" in done.stderr
    assert "1 project in scope may lack something, as said above." in done.stderr


def test_a_name_where_nothing_is_indexed_is_told_to_be_that() -> None:
    problem = {"code": "symbol_not_found", "detail": "No definition is called so."}
    error = CentralRefusedError("no", code="symbol_not_found", status=404, problem=problem)
    done = run(Answering(error=error), "trace", "callers", "a")
    assert done.exit_code == 3
    assert "codesearch init" in done.stderr


@pytest.mark.parametrize("what", ["callers", "callees", "graph"])
def test_a_name_in_a_skipped_file_says_so(what: str) -> None:
    detail = (
        "No definition has this name in the repositories that this credential sees. This file is "
        "skipped, so nothing in it is known. Leave out project, file and line to look everywhere."
    )
    problem = {"code": "symbol_not_found", "detail": detail, "near": ["a"]}
    error = CentralRefusedError("no", code="symbol_not_found", status=404, problem=problem)
    done = run(Answering(error=error), "trace", what, "render", "--file", "app.min.js")
    assert isinstance(done.exception, CentralRefusedError)
    assert "This file is skipped, so nothing in it is known." in format_error(done.exception)


def test_of_many_definitions_the_first_are_listed() -> None:
    answer = recorded("callers")
    answer["definitions"] *= 13
    done = run(Answering(answer), "trace", "callers", "AuthMiddleware")
    assert done.stderr.count("Defined at ") == 10
    assert "3 more definitions: give a qualified name" in done.stderr
