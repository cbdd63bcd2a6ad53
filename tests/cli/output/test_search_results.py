"""Results of a search, as text."""

import re
import signal
from typing import Any

import pytest

from aeterna_code_search.cli.output import highlighting, search_results
from aeterna_code_search.client.console import Console
from tests.agents.recorded import recorded

WIDE = Console(is_terminal=True, width=120)


@pytest.fixture(autouse=True)
def _a_terminal_that_knows_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")


def result(**changed: Any) -> dict[str, Any]:
    one: dict[str, Any] = recorded("search")["results"][0]
    return {**one, **changed}


def test_in_a_pipe_each_hit_is_one_line_with_its_place() -> None:
    one = result(
        project="shop",
        file="a.py",
        content="\n\tx = 1\ny = 2\n",
        content_start_line=7,
        start_line=7,
    )
    assert search_results.format_plain([one, one]) == "shop/a.py:8: \tx = 1\n" * 2


def test_in_a_pipe_the_lines_before_a_hit_are_not_its_line() -> None:
    shown = {"content": "a = 0\nx = 1\n", "content_start_line": 6, "start_line": 7}
    assert search_results.format_plain([result(project="p", file="a.py", **shown)]) == (
        "p/a.py:7: x = 1\n"
    )
    assert search_results.format_plain(
        [result(project="p", file="a.py", **shown | {"content": ""})]
    ) == ("p/a.py:7:\n")


@pytest.mark.parametrize(
    ("content", "matched", "line"),
    [
        ("@Test\ndef a():\n  retry = FIXME\n", ["fixme"], "9:   retry = FIXME"),
        ("a retry\nRetry FixMe\nfixme\n", ["fixme", "retry"], "8: Retry FixMe"),
        ("retry 1\nretry 2\n", ["retry"], "7: retry 1"),
        ("/**\n * Rules\n", [], "8:  * Rules"),
        ("{\n}\n", [], "7: {"),
        ("@default_retry(1)\ndef retry():\n", ["retry"], "8: def retry():"),
        ('@register("chord")\nclass _chord:\n', ["chord"], "8: class _chord:"),
        ("x\n" * 3 + "fixme (behind the hit)", ["fixme"], "7: x"),
    ],
)
def test_in_a_pipe_the_line_of_a_hit_holds_most_of_the_words(
    content: str, matched: list[str], line: str
) -> None:
    shown = {"content": content, "content_start_line": 7, "start_line": 7, "end_line": 9}
    one = result(project="p", file="a.py", matched=matched, name="a, _chord", **shown)
    assert search_results.format_plain([one]) == f"p/a.py:{line}\n"


def test_in_a_pipe_nothing_is_cut_to_a_width() -> None:
    assert "x" * 5_000 in search_results.format_plain([result(content="x" * 5_000)])


def test_a_terminal_gets_a_link_where_the_service_knows_the_page() -> None:
    address = "https://forge.example/acme/shop/blob/abc/a.py#L7"
    assert f";{address}\x1b\\" in search_results.render(WIDE, [result(url=address)])
    assert "\x1b]8;" not in search_results.render(WIDE, [result(url=None)])
    assert "\x1b]8;" not in search_results.render(WIDE, [result(url="https://a\x1b\\b")])
    assert "\x1b]8;" not in search_results.render(WIDE, [result(url="file:///etc/passwd")])


def test_neither_control_sequences_nor_markup_of_a_repository_are_obeyed() -> None:
    hostile = "\x1b]0;gone\x07[red]x[/red] \x9b2J\n"
    one = result(
        project="[b]p", file="\x1b[2Ja.py", name=hostile, content=hostile, language="\x1b[31m"
    )
    for text in (search_results.render(WIDE, [one]), search_results.format_plain([one])):
        assert "\x1b]0" not in text
        assert "\x1b[2J" not in text
        assert "\x9b" not in text
        assert "\x07" not in text
        assert "[b]p" in text
    assert "[red]x[/red]" in search_results.format_plain([one])


def test_further_hits_in_a_file_are_a_line_below_its_best_and_none_in_a_pipe() -> None:
    span = {"start_line": 12, "end_line": 20, "container": "Shop", "score": 0.5}
    spans = [
        {**span, "chunk_type": "method", "name": "pay"},
        {**span, "start_line": 31, "chunk_type": "comment", "name": "", "container": "\x1b[2J"},
    ]
    drawn = search_results.render(WIDE, [result(spans=spans)])
    assert "also at line 12 method Shop.pay, 31 comment" in drawn
    assert "\x1b[2J" not in drawn
    assert search_results.format_plain([result(spans=spans)]).count("\n") == 1


@pytest.mark.parametrize(("content", "said"), [("a\nb\n", True), ("a\nb\nc\n", False)])
def test_the_last_line_of_a_hit_is_told_unless_it_is_shown(content: str, said: bool) -> None:
    lines = {"content_start_line": 18, "start_line": 9, "end_line": 20}
    drawn = search_results.render(WIDE, [result(content=content, truncated=True, **lines)])
    assert ("… to line 20" in drawn) == said


def test_matched_words_are_marked_in_any_case() -> None:
    one = result(content="\tToken = verify(TOKEN)", matched=["token"], language="text")
    drawn = search_results.render(WIDE, [one])
    assert re.findall(r"\x1b\[1;4[;\d]*m(\w+)", drawn) == ["Token", "TOKEN"]


def test_a_text_that_takes_too_long_is_shown_without_colours_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hostile = result(content="if x: pass\n" * 5_000, language="python", matched=[])
    ordinary = result(content="if x: pass", language="python", matched=[])
    coloured = search_results.render(WIDE, [ordinary])  # imports the lexer, which takes time
    monkeypatch.setattr(highlighting, "COLOURING_CPU_SECONDS", 0.1)  # of a second or more
    drawn = search_results.render(WIDE, [hostile, ordinary])
    assert "without highlighting: it takes too long for this text" in drawn
    assert drawn.count("if x: pass") == 5_000
    assert drawn.endswith(coloured)
    assert coloured != search_results.render(WIDE, [{**ordinary, "language": "text"}])
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_what_is_not_committed_says_so() -> None:
    assert "not committed" in search_results.render(WIDE, [result(local=True)])


def test_no_results_draw_nothing() -> None:
    assert search_results.render(WIDE, []) == search_results.format_plain([]) == ""


def test_colours_take_the_lines_before_into_account_or_say_why_not() -> None:
    one = result(content="return\n", content_start_line=3, language="python", matched=[])
    alone = search_results.render(WIDE, [one])
    before = search_results.Before('x = """\n\n', last=2)
    known = search_results.render(WIDE, [one], {search_results.file_key(one): before})
    assert "\x1b[94;49mreturn" in alone
    assert "\x1b[94;49mreturn" not in known
    unread = search_results.Before(incomplete_reason="they are too long")
    told = search_results.render(WIDE, [one], {search_results.file_key(one): unread})
    assert "coloured without the lines before it: they are too long" in told


def test_two_hits_of_one_file_share_its_lines() -> None:
    first = result(content="a\n", content_start_line=2, language="text", matched=[])
    second = {**first, "content": "b\n", "content_start_line": 4}
    before = search_results.Before("1\n2\n3\n", last=3)
    drawn = search_results.render(WIDE, [first, second], {search_results.file_key(first): before})
    numbers = re.findall(r"(\d) \x1b\[0m", drawn)
    assert numbers == ["2", "4"]


@pytest.mark.parametrize(
    ("why", "told"),
    [
        (
            {
                "semantic_rank": 3,
                "lexical_rank": None,
                "rules": [
                    {"rule": "name_words", "adds": 0.5, "times": 1.0},
                    {"rule": "tests", "adds": 0.0, "times": 0.6},
                ],
            },
            "place 3 by meaning; name words +0.50; tests times 0.60",
        ),
        ({"semantic_rank": None, "lexical_rank": None, "rules": []}, "by name"),
        (None, "exact search: definitions first, then by path"),
    ],
)
def test_an_explanation_is_one_line(why: Any, told: str) -> None:
    one = result(why=why, content="x\n", content_start_line=1, start_line=1)
    assert search_results.format_plain([one], explained=True).endswith(f": x\t{told}\n")
