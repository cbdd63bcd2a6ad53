"""What is said of an impact: totals, honest zeros, what may be lacking."""

import json
from dataclasses import replace

import pytest

from indexer.git.edits import EditedFile, Edits
from indexer.impact.assessment import Impact, Lines
from indexer.impact.job_summary import impact_summary
from indexer.impact.queries import (
    Caller,
    IndexedBranch,
    LastChange,
    MissingProject,
    OwnerCount,
)
from indexer.impact.report import as_json, format_text, summary_line, warnings
from tests.indexer.impact.impacts import INDEXED, affected, call, impact, receipt, symbol

TOP_LEVEL = Caller("", "", "", 0)
REACHING = symbol("charge", affected("web", call()), affected("till", call()))


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (impact(REACHING), "1 changed function is called in 2 other repositories."),
        (
            impact(REACHING, symbol("pay", affected("web", call())), symbol("idle")),
            "2 changed functions are called in 2 other repositories.",
        ),
        (
            impact(symbol("Card", affected("web", call()), kind="class")),
            "1 changed definition is called in 1 other repository.",
        ),
        (
            impact(symbol("charge", affected("shop", call()))),
            "1 changed function is called in this repository only.",
        ),
        (
            impact(symbol("a"), symbol("b")),
            "2 changed functions are called in none of the searched repositories.",
        ),
        (impact(), "the changed lines are outside of all indexed definitions."),
        (
            impact(edits=Edits((), 2)),
            "no existing file is changed; 2 files are new.",
        ),
        (
            impact(indexed_commit=None),
            "this project is not indexed, so the callers of changed definitions are unknown.",
        ),
    ],
)  # fmt: skip
def test_the_result_in_a_sentence(found: Impact, sentence: str) -> None:
    assert summary_line(found) == sentence


def test_a_whole_answer_needs_no_note() -> None:
    assert warnings(impact(REACHING)) == []


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (impact(lines=Lines.APPROXIMATE), "dddddddddddd, which could not be compared"),
        (impact(unknown=("a.py", "b.py")), "2 changed files are not in the index"),
        (impact(unknown=("a.py",)), "1 changed file is not in the index"),
        (
            impact(
                receipt=receipt(MissingProject("web", "behind"), MissingProject("till", "failed"))
            ),
            "Callers may be missing in 2 repositories: web (behind), till (failed).",
        ),
        (impact(receipt=receipt(cut=("The first 3.",))), "The trace is incomplete: The first 3."),
        (impact(receipt=receipt(unresolved=1_200)), "1,200 references to these names"),
        (impact(visibilities=("public",)), "Only public repositories were searched"),
        (impact(visibilities=("internal", "public")), "Only public and internal repositories"),
        (impact(indexed_commit=None), "AETERNA_PROJECT"),
    ],
)
def test_what_may_be_lacking_is_said(found: Impact, words: str) -> None:
    (sentence,) = warnings(found)
    assert words in sentence


@pytest.mark.parametrize(
    ("branch", "words"),
    [
        (IndexedBranch(INDEXED, "release/1"), "those of the index of release/1"),
        (IndexedBranch(INDEXED, not_indexed="release/2"), "release/2 is not indexed, so these"),
    ],
)
def test_the_branch_that_was_asked_is_named(branch: IndexedBranch, words: str) -> None:
    [note] = warnings(impact(branch=branch))
    assert words in note


def test_a_credential_that_sees_all_lacks_nothing() -> None:
    assert warnings(impact(visibilities=("internal", "private", "public"))) == []


def test_many_names_are_cut() -> None:
    (sentence,) = warnings(impact(unknown=tuple(f"{n}.py" for n in range(1_030))))
    assert sentence.endswith("18.py, 19.py and 1,010 more.")


def test_the_text_names_every_place() -> None:
    lagging = call("till.py", 7, pinned_version="1.2", indexed_version="1.3", lags=True)
    found = impact(
        symbol(
            "charge",
            affected("shop", call("own.py", 2, caller=TOP_LEVEL), count=300),
            affected("till", lagging, call("till.py", 9, pinned_version="1.3", candidates=2)),
            affected("web", call(rule="receiver_type", confidence="medium")),
            owners=(OwnerCount("@acme/web", 2), OwnerCount("jane@acme.example", 1)),
        ),
        symbol("refund", owners=(OwnerCount("@acme/web", 5), OwnerCount(None, 1, known=False))),
        symbol("idle"),
    )
    assert format_text(found).splitlines() == [
        "impact of shop bbbbbbbbbbbb..cccccccccccc: "
        "1 changed function is called in 2 other repositories.",
        "  function charge (lib.py:1)",
        "    in till: 2 callers, pinned to 1.2 (older than 1.3), 1.3",
        "      at till.py:7 in main (high, import)",
        "      at till.py:9 in main (high, import, one of 2 candidates)",
        "    in web: 1 caller",
        "      at app.py:5 in main (medium, receiver_type)",
        "    in shop: 300 callers",
        "      at own.py:2 (high, import)",
        "      and 299 more",
        "  callers by owner: @acme/web 7, jane@acme.example 1, not known 1",
        "  searched: 2 repositories, all in the credential's scope",
    ]


def test_no_line_of_the_text_is_a_command_to_a_terminal_or_to_githubs_runner() -> None:
    evil = "::error::\n::set-env name=x::##[add-mask]y\x1b[2J\u202e"
    found = impact(
        symbol(evil, affected(evil, call(evil, caller=Caller(evil, evil, evil, 1))), file=evil),
        unknown=(evil,),
        project=evil,
    )
    text = format_text(found)
    assert not any(line.lstrip().startswith("::") for line in text.split("\n"))
    assert "##[" not in text
    assert all(char.isprintable() or char == "\n" for char in text)


def test_json_has_everything_by_the_apis_names() -> None:
    found = json.loads(json.dumps(as_json(impact(REACHING, edits=Edits((EditedFile("a"),), 3)))))
    assert found["files"] == {"changed": 1, "added": 3}
    assert found["lines"] == "exact"
    assert found["count"] == 2
    (charge,) = found["symbols"]
    assert charge["count"] == 2
    assert charge["definition"]["qualified_name"] == "charge"
    assert [row["project"] for row in charge["projects"]] == ["web", "till"]
    assert charge["projects"][0]["callers"][0]["caller"]["name"] == "main"
    assert found["receipt"]["complete"] is True
    assert found["receipt"]["projects"] == [
        {"project": "shop", "commit": "d" * 40},
        {"project": "web", "commit": "c" * 40},
    ]
    assert found["receipt"]["unresolved"] == {"count": 0}


def test_a_caller_has_its_last_change() -> None:
    changed = LastChange("a" * 40, "2026-10-03T00:00:00Z", "Why", "https://forge.example/c/a")
    called = symbol("verify", affected("till", call(last_change=changed), call()))
    found = impact(called)
    found = replace(found, answer=replace(found.answer, last_changes_left_out=2))
    text = format_text(found)
    assert "(high, import), last changed 2026-10-03 in aaaaaaaaaa\n" in text
    assert text.count("last changed 2026-10-03") == 1
    assert "When 2 callers last changed was not looked up" in text
    summary = impact_summary(found)
    assert (
        "), [last changed 2026&#45;10&#45;03 in aaaaaaaaaa](https://forge.example/c/a)" in summary
    )
