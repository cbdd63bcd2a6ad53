"""The comment's body: bounded, with a marker, and free of others' markup and mentions."""

import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from indexer.forge.comments import _MARKER
from indexer.impact.job_summary import comment_body
from indexer.impact.queries import Caller, MissingProject, OwnerCount, Receipt
from indexer.limits import COMMENT_BYTES
from tests.indexer.impact.impacts import affected, call, impact, receipt, symbol

RUN = "https://forge.example/acme/shop/actions/runs/17"
PARSER = MarkdownIt("commonmark")
# GitHub's filters look for these in text outside of code, after the characters are decoded:
# https://github.com/gjtorikian/html-pipeline
ADDRESSED = re.compile(r"@\w|#\d|\bgh-\d|://|\bwww\.", re.IGNORECASE)


def text_outside_of_code(markdown: str) -> str:
    """The decoded text that GitHub's filters read."""
    shown, in_code = [], False
    for block in PARSER.parse(markdown):
        for token in block.children or []:
            if token.type == "html_inline":
                in_code = token.content == "<code>" or (in_code and token.content != "</code>")
            elif token.type == "text" and not in_code:
                shown.append(token.content)
        shown.append("\n")
    return "".join(shown)


def test_it_begins_with_the_marker_and_names_commit_and_job() -> None:
    body = comment_body(impact(symbol("charge", affected("web", call()))), RUN)
    assert _MARKER.match(body)
    assert "### Impact of the changes in <code>shop</code>" in body
    assert f"Of cccccccccccc, updated by [this job]({RUN})." in body


def test_only_callers_are_worth_a_first_comment() -> None:
    with_callers = comment_body(impact(symbol("charge", affected("web", call()))), RUN)
    without = comment_body(impact(symbol("idle")), RUN)
    assert [_MARKER.match(body)[2] for body in (with_callers, without)] == ["new", "update"]  # type: ignore[index]
    assert _MARKER.match(with_callers)[1] == _MARKER.match(without)[1]  # type: ignore[index]


def test_a_long_report_is_cut_within_githubs_limit() -> None:
    wide = [affected(f"p{n:04}", *(call(f"{'é' * 200}{i}.py") for i in range(20)), count=30)
            for n in range(400)]  # fmt: skip
    body = comment_body(impact(symbol("wide", *wide)), RUN)
    assert 50_000 < len(body.encode()) <= COMMENT_BYTES < 65_536
    told = body.count(": 30 callers\n")
    assert told > 3
    assert f"{30 * (400 - told):,} callers omitted: GitHub limits the length." in body
    assert body.endswith("</sub>\n")


@given(evil=st.text(min_size=1, max_size=40), times=st.integers(1, 200))
def test_no_name_makes_it_longer_than_github_takes(evil: str, times: int) -> None:
    name = evil * times
    projects = {f"{number}{name}": "c" * 40 for number in range(100)}
    missing = tuple(MissingProject(f"{n}{name}", "not_indexed") for n in range(30))
    found = impact(
        symbol(name, affected(name, call(name), count=9)),
        *(symbol(f"{name}{number}") for number in range(30)),
        project=name,
        unknown=tuple(f"{name}{number}" for number in range(30)),
        receipt=Receipt(projects, missing, 3, (name,) * 5),
    )
    assert len(comment_body(found, RUN).encode()) <= COMMENT_BYTES


@given(evil=st.text(max_size=40))
def test_no_name_mentions_anyone_or_refers_to_anything(evil: str) -> None:
    name = f"{evil}@acme/team #1 acme/x#2 GH-3 https://evil.example www.evil.example {evil}"
    found = impact(
        symbol(name, affected(name, call(name, caller=Caller(name, name, name, 1),
                                         pinned_version=name)), kind=name,
               owners=(OwnerCount(f"@{name}", 1),)),
        symbol(f"{name} idle"),
        unknown=(name,),
        project=name,
        receipt=receipt(MissingProject(name, name), cut=(name,)),
    )  # fmt: skip
    text = text_outside_of_code(comment_body(found, RUN))
    assert "acme" in text, "names stand outside of code too"
    assert ADDRESSED.findall(text) == []


def test_it_names_the_owners_of_the_callers_but_no_address() -> None:
    counts = (("@acme/web", 9), ("jane@acme.example", 2), ("joe@acme.example", 1), (None, 3))
    owners = tuple(OwnerCount(owner, count) for owner, count in counts)
    comment = comment_body(impact(symbol("charge", affected("web", call()), owners=owners)), RUN)
    named = "<code>&#64;acme/web</code> 9, <code>no owner</code> 3, "
    assert f"Callers by owner: {named}<code>an e&#45;mail address</code> 3\n" in comment
