"""`codesearch grep`: every matching line, from a real service."""

import json
from pathlib import Path

import pytest

from tests.cli.command import codesearch
from tests.cli.terminal import in_terminal


def test_every_line_that_holds_the_text_is_printed_with_its_place(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    done = codesearch("grep", "def verify_token", directory=tmp_path, environ=acme_environ)
    assert done.returncode == 0
    assert done.stdout.startswith("auth-service/acme_auth/tokens.py:70: def verify_token(")
    assert "Searched 2 repositories" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["-m", "regex", r"^def verify_\w+\("], "acme_auth/tokens.py:70: def verify_token("),
        (["-m", "query", '"def verify_token" -file:test'], "acme_auth/tokens.py:70: "),
        (["-m", "query", "file:tokens.py"], "auth-service/acme_auth/tokens.py\n"),
        (["-m", "structural", "json.loads($$$) lang:python"], "acme_auth/"),
    ],
)
def test_the_mode_says_what_the_pattern_is(
    acme_environ: dict[str, str], tmp_path: Path, arguments: list[str], line: str
) -> None:
    done = codesearch("grep", *arguments, directory=tmp_path, environ=acme_environ)
    assert line in done.stdout


def test_json_is_a_line_for_each_file(acme_environ: dict[str, str], tmp_path: Path) -> None:
    done = codesearch("grep", "--json", "token", directory=tmp_path, environ=acme_environ)
    files = [json.loads(line) for line in done.stdout.splitlines()]
    assert {one["project"] for one in files} >= {"auth-service"}
    assert all(one["lines"] for one in files)


def test_a_terminal_gets_the_matches_marked(acme_environ: dict[str, str], tmp_path: Path) -> None:
    code, sent = in_terminal("grep", "def verify_token", directory=tmp_path, environ=acme_environ)
    assert code == 0
    assert "auth-service/acme_auth/tokens.py:70" in sent
    assert "\x1b[1;4mdef verify_token\x1b[0m" in sent


def test_nothing_found_and_a_refused_pattern_have_codes_of_their_own(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    nothing = codesearch("grep", "nosuchthing_zzz", directory=tmp_path, environ=acme_environ)
    assert (nothing.returncode, nothing.stdout) == (1, "")
    refused = codesearch("grep", "-m", "regex", "x(", directory=tmp_path, environ=acme_environ)
    assert refused.returncode == 5
    assert "Column 1: RE2 does not accept" in refused.stderr
