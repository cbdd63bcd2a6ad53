"""What an answer is of, and why it may be empty, in sentences."""

import pytest

from aeterna_code_search.cli.output.errors import format_error
from aeterna_code_search.client import receipt
from central.query.errors import QueryError
from central.query.parser import parse
from indexer.errors import CentralRefusedError, CentralUnreachableError
from indexer.exits import Exit
from tests.agents.recorded import recorded


def test_one_repository_is_told_with_its_commit_and_age() -> None:
    answer = recorded("search")
    answer["receipt"] |= {"missing": [], "projects": answer["receipt"]["projects"][:1]}
    commit = answer["receipt"]["projects"][0]["commit"]
    (line,) = receipt.receipt_notes(answer)
    assert line.startswith(f"Searched auth-service at {commit[:10]}, indexed ")
    assert line.endswith(" ms).")


def test_what_is_missing_is_named_with_its_reason() -> None:
    (line,) = receipt.receipt_notes(recorded("search"))
    assert (
        "results may be missing from support-desk (never indexed: type `codesearch index` in it)"
        in (line)
    )


def test_many_that_are_missing_are_counted() -> None:
    answer = recorded("search")
    answer["receipt"]["missing"] = [{"project": f"p{n}", "reason": "failed"} for n in range(9)]
    assert "p4 (its last run failed: see `codesearch status`) and 4 more." in next(
        iter(receipt.receipt_notes(answer))
    )


def test_work_that_is_not_committed_is_told() -> None:
    answer = recorded("search")
    answer["receipt"]["local"] = {
        "project": "auth-service", "commit": "a" * 40, "base_commit": "b" * 40, "files": 2,
        "indexed_at": None,
    }  # fmt: skip
    assert "2 changed files of auth-service as in this checkout" in next(
        iter(receipt.receipt_notes(answer))
    )


@pytest.mark.parametrize(
    ("files", "at_least", "cursor", "said"),
    [
        (1, False, "", None),
        (1_200, False, "next", "Shown: 1 of 1,200 files. --limit shows more, "),
        (1, True, "next", "Shown: 1 of at least 1 files. "),
    ],
)
def test_files_of_an_exact_search_that_are_not_shown_are_counted(
    files: int, at_least: bool, cursor: str, said: str | None
) -> None:
    total = {"matches": 3_000, "files": files, "at_least": at_least}
    answer = recorded("search")
    answer |= {"results": answer["results"][:1], "total": total, "next_cursor": cursor}
    notes = list(receipt.receipt_notes(answer))[1:]
    assert len(notes) == bool(said)
    assert not said or notes[0].startswith(said)


def test_what_could_not_be_resolved_is_told_once() -> None:
    answer = {"receipt": recorded("callers_empty")["receipt"] | {"unresolved": {"count": 2}}}
    told = "2 references of that name could not be resolved"
    lists = "; --min-confidence low includes matches by name only."
    link = {"confidence": "low"}
    for more, line in (
        ({"callers": []}, told + lists),
        ({"callers": [link]}, told + "."),
        ({"callees": []}, told.replace("of that name", "inside of it") + lists),
    ):
        assert line in list(receipt.receipt_notes(answer | more))
    empty = answer | {"callers": [], "hint": "2 references by that name are of something unknown."}
    assert not any("resolved" in line for line in receipt.receipt_notes(empty))


def test_hints_speak_of_options() -> None:
    answer = recorded("callers_empty") | {"hint": "try min_confidence=medium."}
    code, why = receipt.exit_status(answer, count=0)
    assert (code, why) == (Exit.NOTHING_FOUND, "try --min-confidence medium.")


def test_an_error_of_the_question_is_told_without_the_transport() -> None:
    problem = {"detail": "No definition is called so.", "near": ["verify_token", "\x1b[2J"]}
    error = CentralRefusedError("long", code="symbol_not_found", status=404, problem=problem)
    assert format_error(error) == (
        "error: No definition is called so. Similar names: verify_token, �[2J"
    )


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("count:all x", "--limit says how many results are shown, and `codesearch grep -m query` "),
        ("patterntype:regexp x", "or give --mode regex, literal or structural."),
    ],
)
def test_what_to_write_instead_of_a_filter_of_other_tools_is_told_in_options(
    query: str, said: str
) -> None:
    with pytest.raises(QueryError) as refused:
        parse(query)
    problem = {"detail": str(refused.value)}
    error = CentralRefusedError("long", code="invalid_query", status=400, problem=problem)
    told = format_error(error)
    assert told.startswith("error: ")
    assert said in told


def test_an_unknown_name_is_told_of_a_command_and_of_no_address() -> None:
    detail = "No definition is called so. Search for it, or see /api/v1/index/status for more."
    error = CentralRefusedError(
        "long", code="symbol_not_found", status=404, problem={"detail": detail}
    )
    assert format_error(error).endswith("Search for it, or see `codesearch status` for more.")


def test_other_errors_keep_what_to_do() -> None:
    assert format_error(CentralUnreachableError("no answer: check AETERNA_URL\nand more")) == (
        "error: no answer: check AETERNA_URL\nand more"
    )


@pytest.mark.parametrize(
    ("count", "more", "said"),
    [
        (0, False, []),
        (1, False, ["Bound to something else: 1 further reference."]),
        (9_000, True, ["Bound to something else: at least 9,000 further references."]),
    ],
)
def test_references_that_are_bound_to_something_else_are_counted(
    count: int, more: bool, said: list[str]
) -> None:
    answer = recorded("callers")
    answer["receipt"]["elsewhere"] = {"count": count, "more": more}
    lines = receipt.receipt_notes(answer)
    assert [line for line in lines if line.startswith("Bound")] == said


def test_what_an_older_version_has_read_and_manifests_that_were_not_are_told() -> None:
    answer = recorded("callers")
    before = list(receipt.receipt_notes(answer))
    unread = {"project": "shop", "file": "go.mod", "problem": "too_large"}
    answer["receipt"] |= {
        "older_extractor": {"count": 7, "sample": ["a", "b", "c", "d", "e", "f"]},
        "unread_manifests": [unread],
    }
    assert [line for line in receipt.receipt_notes(answer) if line not in before] == [
        "More may depend on manifests that could not be read whole: shop:go.mod (too large).",
        "Read by an older version, which may find less, until their next run: a, b, c, d, e and 2 "
        "more.",
    ]


def test_callers_are_counted_by_owner_if_somebody_owns_them() -> None:
    answer = recorded("callers")
    unowned = {"owner": None, "count": 2, "known": True}
    answer["owners"] = [{"owner": "@acme/web\x1b[2J", "count": 1_200, "known": True}, unowned]
    notes = list(receipt.receipt_notes(answer))
    assert any(one.startswith("By owner: @acme/web") for one in notes)
    assert any(one.endswith("1,200, no owner 2.") for one in notes)
    assert not any("\x1b" in one for one in notes)
    answer["owners"] = [unowned]
    assert not any("By owner" in one for one in receipt.receipt_notes(answer))
