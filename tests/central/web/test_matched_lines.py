"""Lines of an exact result as parts of their file."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.contract.search import Result, SearchRequest
from central.repositories.visibility import RepositorySnapshot
from central.search.exact.files import CandidateFile
from central.search.exact.hits import FileHit
from central.search.exact.matching import EXACT_LINE_CHARACTERS, file_matches
from central.search.exact.text_pattern import TextPattern
from central.search.line_search import exact_result
from central.web.matched_lines import CONTEXT_LINES, MatchedFile, ShownLine, matched_file

TEXTS = st.text(alphabet="ab \té\n", max_size=60)


def result_of(content: str, wanted: str = "a") -> Result:
    file = CandidateFile(1, 1, "x.py", "python", 0, 1.0)
    spans = file_matches(content.encode(), TextPattern(wanted)).spans
    fields: dict[str, Any] = dict.fromkeys(FileHit.__dataclass_fields__, 0)
    found = {"file": file, "content": content.encode(), "spans": spans, "defining": frozenset()}
    repository = RepositorySnapshot(**dict.fromkeys(RepositorySnapshot._fields, ""))
    request = SearchRequest(queries=(wanted,), expand=CONTEXT_LINES, max_content=10_000)
    hit = FileHit(**{**fields, **found})
    return exact_result(hit, request=request, repository=repository, lines=20)[0]


def shown(file: MatchedFile) -> list[list[tuple[int, str]]]:
    return [
        [(line.number, file.text[line.start : line.end]) for line in block] for block in file.blocks
    ]


def marked(file: MatchedFile, line: ShownLine) -> list[str]:
    return [file.text[line.start + first : line.start + last] for first, last in line.marks]


def test_lines_have_context_and_those_that_meet_are_one_block() -> None:
    content = "\n".join(["x1", "a2", "x3", "x4", "x5", "a6", "x7", "x8", "x9", "x10", "x11", "a12"])
    file = matched_file(result_of(content), content, limit=5, asked=20)
    assert [[number for number, _ in block] for block in shown(file)] == [
        list(range(1, 9)),
        [10, 11, 12],
    ]
    assert (file.more, file.language) == (0, "python")


def test_a_block_neither_begins_nor_ends_with_blank_lines() -> None:
    content = "x\n\n  \na\r\n\n\ny\n"
    assert shown(matched_file(result_of(content), content, limit=5, asked=20)) == [[(4, "a")]]


def test_what_is_left_out_is_counted() -> None:
    content = "a a\n" * 9
    file = matched_file(result_of(content), content, limit=2, asked=20)
    assert (file.more, file.has_more) == (10, False)
    assert [number for block in shown(file) for number, _ in block] == [1, 2, 3, 4]


def test_a_long_line_is_cut_with_its_marks_and_so_are_those_around_it() -> None:
    long = "x" * 3 * EXACT_LINE_CHARACTERS
    content = f"{long}\n{long}needle{long}\n"
    file = matched_file(result_of(content, "needle"), content, limit=5, asked=20)
    before, line = file.blocks[0]
    assert before.end - before.start == line.end - line.start == EXACT_LINE_CHARACTERS
    assert before.is_cut
    assert line.is_cut
    assert marked(file, line) == ["needle"]


def test_a_file_that_has_changed_since_shows_what_was_searched() -> None:
    result = result_of("a1\nx\nx\nx\na3\n")
    for content in ("", "x\nb1\nx\na3\n", "a1\n"):
        file = matched_file(result, content, limit=1, asked=20)
        assert shown(file) == [[(1, "a1"), (2, "x"), (3, "x")]]
        assert file.language == ""


def test_lines_that_match_beyond_the_limit_leave_no_gaps() -> None:
    content = "a\n" * 5 + "\n" + "a\n" * 20
    file = matched_file(result_of(content), content, limit=5, asked=20)
    assert shown(file) == [[(number, "" if number == 6 else "a") for number in range(1, 8)]]


def test_nothing_is_left_out_where_all_lines_are_shown() -> None:
    content = "a\n\n\na\n"
    file = matched_file(result_of(content, "\n\n"), content, limit=5, asked=20)
    assert file.more == 0


@given(content=TEXTS)
def test_each_line_is_what_the_file_has_at_its_number(content: str) -> None:
    result = result_of(content)
    file = matched_file(result, content, limit=3, asked=20)
    lines = content.split("\n")
    for block in file.blocks:
        for line in block:
            assert file.text[line.start : line.end] == lines[line.number - 1]
            if line.matched:
                assert marked(file, line) == ["a"] * len(line.marks)
    matches = [line.number for block in file.blocks for line in block if line.matched]
    assert {line.line for line in result.lines[:3]} <= set(matches)
    if len(matches) < len(result.lines):
        assert file.more == (result.matches or 0) - len(
            [1 for b in file.blocks for x in b for _ in x.marks]
        )
