"""`codesearch grep`: every matching line, from a real service."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.answering import Answering, run
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
    words = codesearch("grep", "-m", "query", "x", directory=tmp_path, environ=acme_environ)
    assert (words.returncode, words.stdout) == (2, "")
    assert words.stderr.endswith("write a /regular expression/, or choose another --mode.\n")
    refused = codesearch("grep", "-m", "regex", "x(", directory=tmp_path, environ=acme_environ)
    assert refused.returncode == 5
    assert "Column 1: RE2 does not accept" in refused.stderr


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ('"def verify_token"', "In the mode literal quotes are part of the text. Leave them out."),
        (r"def .*_token\(", "The text looks like a regular expression, but is not searched as one: "
         "add -m regex."),
        ("/def verify_token/", "add -m regex."),
        ("DEF VERIFY_TOKEN", "Upper and lower case differ: with -i there are matches."),
        ("nosuchthing_zzz", "No indexed file matches. `codesearch search` searches by meaning."),
        ("repo:auth-servise x", "Near names: auth-service."),
    ],
)  # fmt: skip
def test_an_empty_answer_says_why_in_the_words_of_this_command(
    acme_environ: dict[str, str], tmp_path: Path, pattern: str, hint: str
) -> None:
    done = codesearch("grep", pattern, directory=tmp_path, environ=acme_environ)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.rstrip().endswith(hint)


def test_context_is_printed_as_by_grep(acme_environ: dict[str, str], tmp_path: Path) -> None:
    asked = ("grep", "-C", "1", "repo:auth-service file:tokens.py def _")
    done = codesearch(*asked, directory=tmp_path, environ=acme_environ)
    lines = done.stdout.splitlines()
    matching = [line for line in lines if "tokens.py:" in line]
    around = [line for line in lines if "tokens.py-" in line]
    assert all("def _" in line for line in matching)
    assert len(around) > len(matching) > 1
    assert lines.count("--") == len(matching) - 1


def test_context_that_touches_is_one_block() -> None:
    around = [1, 3, 5, 8, 10]
    context = [{"line": one, "text": f"line {one}", "truncated": one == 10} for one in around]
    stream = Streaming([{**found([2, 4, 9]), "context": context}])
    done = run(stream, "grep", "-C", "1", "x")
    assert (stream.asked[0]["expand"], stream.asked[0]["max_content"]) == (1, 100_000)
    assert done.stdout == (
        "shop/a.py-1- line 1\nshop/a.py:2: x\nshop/a.py-3- line 3\nshop/a.py:4: x\n"
        "shop/a.py-5- line 5\n--\nshop/a.py-8- line 8\nshop/a.py:9: x\nshop/a.py-10- line 10…\n"
    )


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        (["-A", "1"], "a.py:2: x\na.py-3- line 3\n"),
        (["-B", "1"], "a.py-1- line 1\na.py:2: x\n"),
        (["-A1", "-B0"], "a.py:2: x\na.py-3- line 3\n"),
        (["-C", "1", "-A", "2"], "a.py-1- line 1\na.py:2: x\na.py-3- line 3\na.py-4- line 4\n"),
    ],
)
def test_lines_of_one_side_alone_are_printed(options: list[str], printed: str) -> None:
    expand = 2 if "2" in options else 1
    lines = [one for one in range(2 - expand, 3 + expand) if one > 0 and one != 2]
    context = [{"line": one, "text": f"line {one}", "truncated": False} for one in lines]
    stream = Streaming([{**found([2]), "context": context}])
    assert run(stream, "grep", *options, "x").stdout.replace("shop/", "") == printed
    assert stream.asked[0]["expand"] == expand


@pytest.mark.parametrize(
    ("options", "mode"),
    [
        (["-n"], "literal"),
        (["-F"], "literal"),
        (["-E"], "regex"),
        (["-En"], "regex"),
        (["-E", "-m", "regex"], "regex"),
    ],
)
def test_options_of_grep_mean_the_same_here(options: list[str], mode: str) -> None:
    stream = Streaming([found([1])])
    assert run(stream, "grep", *options, "x").stdout == "shop/a.py:1: x\n"
    assert stream.asked[0]["mode"] == mode


def test_context_that_is_left_out_is_said() -> None:
    context = [{"line": 1, "text": "a", "truncated": False}]
    cut = {**found([2]), "context": context, "truncated": True}
    done = run(Streaming([cut]), "grep", "-C", "9", "x")
    assert "left out: use fewer (-C, -A, -B)." in done.stderr


def test_counts_or_names_of_files_are_printed_alone(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    counts = codesearch("grep", "-c", "verify_token", directory=tmp_path, environ=acme_environ)
    assert "auth-service/acme_auth/tokens.py:1" in counts.stdout.splitlines()
    names = codesearch("grep", "-l", "verify_token", directory=tmp_path, environ=acme_environ)
    assert "auth-service/acme_auth/tokens.py" in names.stdout.splitlines()
    assert len(names.stdout.splitlines()) == len(counts.stdout.splitlines())


def test_case_is_ignored_where_it_is_said(acme_environ: dict[str, str], tmp_path: Path) -> None:
    exact = codesearch("grep", "DEF VERIFY_TOKEN", directory=tmp_path, environ=acme_environ)
    assert exact.returncode == 1
    done = codesearch("grep", "-i", "DEF VERIFY_TOKEN", directory=tmp_path, environ=acme_environ)
    assert done.stdout.startswith("auth-service/acme_auth/tokens.py:70: def verify_token(")


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["--limit", "2"], "shop/a.py:1: x\nshop/a.py:2: x\n"),
        (["--limit", "4"], "shop/a.py:1: x\nshop/a.py:2: x\nshop/a.py:3: x\nshop/b.py:1: x\n"),
        (["--limit", "1", "-l"], "shop/a.py\n"),
        (["--limit", "1", "-c"], "shop/a.py:3\n"),
    ],
)
def test_a_limit_ends_the_search_and_says_so(arguments: list[str], printed: str) -> None:
    stream = Streaming([found([1, 2, 3]), found([1, 2], "b.py"), found([1], "c.py")])
    done = run(stream, "grep", "x", *arguments)
    assert (done.exit_code, done.stdout) == (0, printed)
    assert "there may be more" in done.stderr
    assert "Searched" not in done.stderr


@pytest.mark.parametrize("limit", ["0", "3", "9"])
def test_a_limit_that_is_not_exceeded_has_its_receipt(limit: str) -> None:
    done = run(Streaming([found([1, 2, 3])]), "grep", "x", "--limit", limit)
    assert len(done.stdout.splitlines()) == 3
    assert done.stderr.startswith("Searched shop at ")


def test_a_lost_connection_repeats_nothing() -> None:
    stream = Streaming([found([1]), found([2], "b.py")], times=2)
    assert run(stream, "grep", "x").stdout == "shop/a.py:1: x\nshop/b.py:2: x\n"


def test_a_stream_without_its_end_says_that_lines_are_missing() -> None:
    done = run(Streaming([found([1])], has_receipt=False), "grep", "x")
    assert done.exit_code == 4
    assert "lines are missing" in done.stderr


@pytest.mark.parametrize(
    "wrong",
    [
        ["-c", "-l"],
        ["-c", "-C", "2"],
        ["-l", "-C", "1"],
        ["-i", "-m", "structural"],
        ["-C", "101"],
        ["-A", "101"],
        ["-c", "-A", "1"],
        ["-E", "-F"],
        ["-E", "-m", "structural"],
        ["-F", "-m", "regex"],
        ["--limit", "-1"],
    ],
)
def test_what_excludes_each_other_is_refused(wrong: list[str]) -> None:
    stream = Streaming([])
    assert run(stream, "grep", "x", *wrong).exit_code == 2
    assert stream.asked == []


def found(lines: list[int], file: str = "a.py") -> dict[str, Any]:
    line = {"text": "x", "ranges": [[0, 1]], "column": 1, "truncated": False, "defines": False}
    numbered = [{**line, "line": number} for number in lines]
    place = {"project": "shop", "file": file, "commit": "1" * 40, "start_line": lines[0]}
    return {**place, "lines": numbered, "matches": len(lines), "url": None, "truncated": False}


class Streaming(Answering):
    """Streams results, then the receipt, `times` times."""

    project = ""  # outside of a checkout

    def __init__(
        self, results: list[dict[str, Any]], *, times: int = 1, has_receipt: bool = True
    ) -> None:
        super().__init__()
        project = {"project": "shop", "commit": "1" * 40, "indexed_at": "2026-01-01T00:00:00Z"}
        receipt = {"complete": True, "took_ms": 1.0, "projects": [project], "missing": []}
        documents = [*results, *([{"receipt": receipt}] if has_receipt else [])]
        self._parts = [f"{json.dumps(one)}\n".encode() for one in documents]
        self._times = times

    def matches(
        self, body: Mapping[str, Any], receive: Callable[[Iterator[bytes], int | None], None]
    ) -> None:
        self.asked.append(body)
        for _ in range(self._times):
            receive(iter(self._parts), None)
