"""`codesearch search`."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from aeterna_code_search.cli.app import codesearch_application
from aeterna_code_search.cli.commands.search import lines_before
from aeterna_code_search.client.target.local_token import LocalToken
from indexer.errors import CentralUnreachableError, IndexerError
from indexer.exits import Exit
from scripts.local_service import Organization, Service
from tests.agents.recorded import recorded
from tests.cli.answering import Answering, run
from tests.cli.command import codesearch
from tests.cli.conftest import MakeRepository
from tests.cli.terminal import in_terminal
from tests.e2e.indexing import index_here


def test_search_from_cli(acme_environ: dict[str, str], tmp_path: Path) -> None:
    """Spec 3: displays matching code chunks with file paths and snippets."""
    done = codesearch("search", "authentication logic", directory=tmp_path, environ=acme_environ)
    assert done.returncode == 0
    assert all(line.startswith("auth-service/") for line in done.stdout.splitlines()[:3])
    assert "acme_auth/handlers.py:51:     def __call__(self, email: str" in done.stdout
    assert "Searched 2 repositories at their indexed commits, indexed " in done.stderr


def test_a_terminal_gets_headings_line_numbers_and_marked_words(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    code, sent = in_terminal(
        "search", "verify_token", "--top-k", "1", directory=tmp_path, environ=acme_environ
    )
    assert code == 0
    assert "\x1b[36mauth-service/acme_auth/tokens.py:70\x1b[0m" in sent
    assert "\x1b[1;4;92;49mverify_token\x1b[0m" in sent
    assert "70 " in sent


def test_no_color_leaves_the_colours_out(acme_environ: dict[str, str], tmp_path: Path) -> None:
    environ = {**acme_environ, "NO_COLOR": "1"}
    _, sent = in_terminal("search", "verify_token", "-k1", directory=tmp_path, environ=environ)
    assert "auth-service/acme_auth/tokens.py:70" in sent
    assert "\x1b[36m" not in sent


def test_a_terminal_gets_one_result_for_each_file_unless_asked_for_each_hit(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    place = re.compile(r"36m([\w-]+/[\w./-]+):\d+")

    def files(*options: str) -> list[str]:
        query = ("search", "verify a token", "--top-k", "20", *options)
        code, sent = in_terminal(*query, directory=tmp_path, environ=acme_environ)
        assert code == 0
        return place.findall(sent)

    assert len(set(files())) == len(files()) > 0
    single = files("--group-by", "none")
    assert len(set(single)) < len(single)


def test_a_pipe_and_json_are_as_the_api_unless_asked_for_files() -> None:
    service = Answering("search")
    for options in ([], ["--json"], ["--group-by", "file"], ["--group-by", "file", "--json"]):
        assert run(service, "search", "x", *options).exit_code == 0
    assert [asked.get("group_by") for asked in service.asked] == [None, None, "file", "file"]


def test_several_words_are_one_query_and_options_are_the_services() -> None:
    service = Answering("search")
    done = run(
        service, "search", "verify", "a", "token", "-k", "3", "-p", "a", "-p", "b", "--type",
        "method", "--exclude-project", "c", "--language", "python", "--exclude", "test|mock",
        "--expand", "2", "--mode", "lexical", "--path", "src/",
    )  # fmt: skip
    assert done.exit_code == 0
    assert service.asked == [
        {
            "query": "verify a token", "limit": 3, "mode": "lexical", "language": "python",
            "include_projects": ["a", "b"], "exclude_projects": ["c"], "chunk_type": "method",
            "path": "src/", "exclude": "test|mock", "expand": 2, "max_content": 20_000,
        }
    ]  # fmt: skip


def test_json_is_the_services_answer_and_standard_output_holds_nothing_else() -> None:
    done = run(Answering("search"), "search", "x", "--json")
    assert json.loads(done.stdout) == recorded("search")
    assert done.stdout.isascii()
    assert done.stderr == ""


@pytest.mark.parametrize(
    "wrong", [[" "], ["x", "-k", "0"], ["x", "-k", "51"], ["x", "--type", "verb"], ["y" * 20_001]]
)
def test_what_the_service_would_refuse_is_not_asked(wrong: list[str]) -> None:
    service = Answering("search")
    done = run(service, "search", *wrong)
    assert (done.exit_code, service.asked) == (2, [])
    assert done.stderr.startswith("Usage: ")


def test_an_empty_answer_explains_itself_and_ends_with_1() -> None:
    done = run(Answering("search_empty"), "search", "x", "--path", "no/such/folder")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "Nothing passed the filters." in done.stderr


def test_where_nothing_is_indexed_the_command_to_type_is_told() -> None:
    done = run(Answering("search_of_nothing"), "search", "x")
    assert done.exit_code == 3
    assert "codesearch init" in done.stderr


def test_filters_that_leave_no_repository_are_not_told_to_be_an_empty_index() -> None:
    done = run(Answering("search_of_nothing"), "search", "x", "--exclude-project", "shop")
    assert done.exit_code == 1
    assert "--exclude-project excludes every repository: remove one." in done.stderr


def test_a_repository_that_is_not_there_is_named() -> None:
    answer = recorded("search_of_nothing")
    answer["receipt"]["missing"] = [{"project": "shpo", "reason": "unknown_project"}]
    done = run(Answering(answer), "search", "x", "-p", "shpo")
    assert done.exit_code == 3
    assert "shpo (no such repository here: see `codesearch status`)" in done.stderr
    listed = "`codesearch status` lists the repositories.\n"
    assert done.stderr.endswith(f"No such repository: shpo. {listed}")
    answer["hint"] = "No repository in the search's scope is called shpo. Near names: shop."
    done = run(Answering(answer), "search", "x", "-p", "shpo")
    assert done.stderr.endswith(f"is called shpo. Near names: shop. {listed}")


def test_no_good_match_is_said_beside_the_results() -> None:
    weak = {"confidence": "none", "match": 0.02, "hint": "No good match: try a name."}
    answer = {**recorded("search"), **weak}
    done = run(Answering(answer), "search", "x")
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) == answer["count"]
    assert done.stderr.startswith("No good match: try a name.\nMatch: 0.02 of 1.\n")


def test_explain_says_why_each_hit_has_its_place(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    asked = ("search", "verify_token", "-k", "2", "--explain")
    done = codesearch(*asked, directory=tmp_path, environ=acme_environ)
    first, second = (line.split("\t")[1] for line in done.stdout.splitlines())
    assert "by words; " in first
    assert "definition +" in first
    assert "base +" in second
    _, sent = in_terminal(*asked, directory=tmp_path, environ=acme_environ)
    assert "    place " in sent
    exact = codesearch(
        "search", '"def verify_token"', "--explain", directory=tmp_path, environ=acme_environ
    )
    assert exact.stdout.endswith("\texact search: definitions first, then by path\n")


def test_a_snippet_inside_of_a_docstring_is_coloured_as_text(
    service: Service, make_repository: MakeRepository, tmp_path: Path
) -> None:
    """Its colours depend on the lines before it, which the snippet does not have."""
    inside = "\n".join(f"    Words of the docstring, {number}." for number in range(60))
    code = f'def documented():\n    """Say.\n\n{inside}\n\n    if needle and return:\n    """\n'
    organization = Organization(service, "doc", LocalToken(service.data_dir, "doc").bearer())
    index_here(organization, make_repository("docs", {"a.py": code}), "docs")
    environ = {
        "AETERNA_URL": service.url,
        "AETERNA_TOKEN": organization.token,
        "AETERNA_ORGANIZATION": "doc",
    }
    asked = ("search", '"needle and return"', "--expand", "1")
    _, sent = in_terminal(*asked, directory=tmp_path, environ=environ)
    line = next(one for one in sent.splitlines() if "needle" in one)
    assert "\x1b[94;49mif" not in line


class Reading(Answering):
    """Has the lines of files."""

    def __init__(self, answer: dict[str, Any] | IndexerError) -> None:
        super().__init__()
        self.answer = answer

    def read_file(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.append(parameters)
        if isinstance(self.answer, IndexerError):
            raise self.answer
        return self.answer


CONTENT = {"commit": "1", "content": "a\nb\n", "truncated": False}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (CONTENT, ""),
        ({**CONTENT, "commit": "2"}, "the repository was indexed again"),
        ({**CONTENT, "truncated": True}, "they are too long"),
        ({**CONTENT, "content": None}, "they are too long"),
        (CentralUnreachableError("no"), "the service did not answer"),
    ],
)
def test_what_is_before_a_snippet_is_read_or_it_is_said_why_not(answer: Any, reason: str) -> None:
    service = Reading(answer)
    one = {"project": "a", "file": "b", "commit": "1", "content_start_line": 3}
    before = lines_before(service, [{**one, "content_start_line": 2}, one])
    assert service.asked == [{"project": "a", "path": "b", "end_line": 2}]
    assert before["a", "b"].incomplete_reason == reason
    assert before["a", "b"].text == ("" if reason else "a\nb\n")


def test_of_uncommitted_work_and_of_a_file_s_beginning_nothing_is_read() -> None:
    service = Reading(CONTENT)
    one = {"project": "a", "file": "b", "commit": "1", "content_start_line": 1}
    assert lines_before(service, [one]) == {}
    local = lines_before(service, [{**one, "content_start_line": 3, "local": True}])
    assert local["a", "b"].incomplete_reason == "they may not be committed"
    assert service.asked == []


@pytest.fixture
def unindexed(make_repository: MakeRepository) -> Path:
    """A checkout that no service has."""
    return make_repository("brand-new", {"post.py": "def verify_stamp(letter):\n    return 1\n"})


def test_a_checkout_that_is_not_indexed_is_said_to_be(
    acme_environ: dict[str, str], unindexed: Path
) -> None:
    done = codesearch("search", "verify_token", directory=unindexed, environ=acme_environ)
    assert done.returncode == 0
    note = "brand-new (this checkout is not indexed: type `codesearch init`)"
    assert f"results may be missing from {note}" in done.stderr
    answer = codesearch("search", "x", "--json", directory=unindexed, environ=acme_environ).stdout
    receipt = json.loads(answer)["receipt"]
    assert receipt["complete"] is False
    missing = {"project": "brand-new", "reason": "checkout_not_indexed"}
    assert missing in receipt["missing"]


@pytest.mark.parametrize(
    "arguments", [["verify_token", "-p", "auth-service"], ["repo:auth-service verify_token"]]
)
def test_a_search_of_named_repositories_does_not_look_for_the_checkout(
    acme_environ: dict[str, str], make_repository: MakeRepository, arguments: list[str]
) -> None:
    own = make_repository("common-utils", {"a.py": "a = 1\n"})  # which is indexed
    done = codesearch("search", *arguments, directory=own, environ=acme_environ)
    assert done.returncode == 0
    assert "not indexed" not in done.stderr


def test_grep_says_it_too(acme_environ: dict[str, str], unindexed: Path) -> None:
    for options, says in (([], True), (["-p", "auth-service"], False)):
        done = codesearch(
            "grep", "verify_token", *options, directory=unindexed, environ=acme_environ
        )
        assert done.returncode == 0
        assert ("this checkout is not indexed" in done.stderr) is says


def test_a_trace_says_it_too(acme_environ: dict[str, str], unindexed: Path) -> None:
    for symbol, code in (("retry_call", 0), ("verify_stamp", 1)):
        done = codesearch("trace", "callers", symbol, directory=unindexed, environ=acme_environ)
        assert done.returncode == code, done.stderr
        assert "his checkout is not indexed" in done.stderr


@pytest.mark.parametrize("typed", ["y\n", "n\n"])
def test_on_a_terminal_it_offers_to_index_the_checkout(
    service: Service, make_repository: MakeRepository, typed: str
) -> None:
    name = f"offered-{typed.strip()}"
    root = make_repository(name, {"post.py": "def weigh_parcel(letter):\n    return 1\n"})
    environ = {"AETERNA_DATA_DIR": str(service.data_dir), "AETERNA_ORGANIZATION": name}
    code, sent = in_terminal("search", "weigh parcel", directory=root, environ=environ, typed=typed)
    assert "This checkout is not indexed: `codesearch init` indexes it. Index it now? [y/N]" in sent
    assert (root / ".codesearch.toml").exists() is (typed == "y\n")
    assert (code, "post.py" in sent) == ((0, True) if typed == "y\n" else (3, False))


def test_a_place_is_the_line_that_a_pipe_gets(acme_environ: dict[str, str], tmp_path: Path) -> None:
    place = "auth-service/acme_auth/tokens.py:70"
    done = codesearch("search", place, directory=tmp_path, environ=acme_environ)
    assert done.stdout.startswith(f"{place}: def verify_token(")
    assert "Read as a line of a file." in done.stderr
    code, sent = in_terminal("search", f"at {place}:5", directory=tmp_path, environ=acme_environ)
    assert code == 0
    assert "verify_token" in sent
    asked = codesearch("search", "who calls verify_token", directory=tmp_path, environ=acme_environ)
    assert "`codesearch trace callers verify_token`" in asked.stderr


def test_a_trace_is_read_from_standard_input_and_the_reading_is_told() -> None:
    answer = recorded("search")
    answer["reading"] = {"read_as": "stack_trace", "text": "Read as a stack trace of Python."}
    answer["results"][0]["note"] = "Line 3 is not in f."
    service = Answering(answer)
    trace = 'Traceback:\n  File "/app/x.py", line 3, in f\nKeyError: 1\n'
    done = CliRunner().invoke(codesearch_application(), ["search", "-"], trace, obj=service)
    assert done.exit_code == 0
    assert service.asked[0]["query"] == trace.strip()
    assert "Read as a stack trace of Python." in done.stderr
    assert "Read as" not in done.stdout
    empty = CliRunner().invoke(codesearch_application(), ["search", "-"], " \n", obj=service)
    assert empty.exit_code == Exit.USAGE
    assert len(service.asked) == 1


def test_a_quoted_text_that_is_nowhere_leaves_a_pipe_empty_and_exits_so() -> None:
    answer = recorded("search_empty")
    answer["instead"] = {"query": "verify a JWT", "results": recorded("search")["results"][:2]}
    done = run(Answering(answer), "search", '"verify a JWT"')
    assert (done.exit_code, done.stdout) == (Exit.NOTHING_FOUND, "")
    heading, *rows = done.stderr.splitlines()[:3]
    assert heading == "No line has this text. By its words:"
    assert all(re.match(r"[\w-]+/\S+:\d+: ", row) for row in rows)
