"""Lines of an exact result as parts of their file."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from central.search.answers import Result
from central.search.exact.matching import Lines, TextPattern, file_matches, matched_lines
from central.web.matched_lines import MatchedFile, ShownLine, matched_file
from indexer.limits import EXACT_LINE_CHARACTERS

TEXTS = st.text(alphabet="ab \té\n", max_size=60)


def result_of(content: str, wanted: str = "a") -> Result:
    encoded = content.encode()
    spans = file_matches(encoded, TextPattern(wanted)).spans
    lines = matched_lines(Lines(encoded), spans, limit=20)
    fields: dict[str, Any] = dict.fromkeys(Result.__dataclass_fields__, "")
    return Result(**{**fields, "language": "python", "lines": lines, "matches": len(spans)})


def shown(file: MatchedFile) -> list[list[tuple[int, str]]]:
    return [
        [(line.number, file.text[line.start : line.end]) for line in block] for block in file.blocks
    ]


def marked(file: MatchedFile, line: ShownLine) -> list[str]:
    return [file.text[line.start + first : line.start + last] for first, last in line.marks]


def test_lines_have_context_and_those_that_meet_are_one_block() -> None:
    content = "\n".join(["x1", "a2", "x3", "x4", "x5", "a6", "x7", "x8", "x9", "x10", "x11", "a12"])
    file = matched_file(result_of(content), content, limit=5)
    assert [[number for number, _ in block] for block in shown(file)] == [
        list(range(1, 9)),
        [10, 11, 12],
    ]
    assert (file.more, file.language) == (0, "python")


def test_a_block_neither_begins_nor_ends_with_blank_lines() -> None:
    content = "x\n\n  \na\r\n\n\ny\n"
    assert shown(matched_file(result_of(content), content, limit=5)) == [[(4, "a")]]


def test_what_is_left_out_is_counted() -> None:
    content = "a a\n" * 9
    file = matched_file(result_of(content), content, limit=2)
    assert (file.more, file.has_more) == (14, False)
    assert [number for block in shown(file) for number, _ in block] == [1, 2, 3, 4]


def test_a_long_line_is_cut_with_its_marks_and_so_are_those_around_it() -> None:
    long = "x" * 3 * EXACT_LINE_CHARACTERS
    content = f"{long}\n{long}needle{long}\n"
    file = matched_file(result_of(content, "needle"), content, limit=5)
    before, line = file.blocks[0]
    assert before.end - before.start == line.end - line.start == EXACT_LINE_CHARACTERS
    assert before.is_cut
    assert line.is_cut
    assert marked(file, line) == ["needle"]


def test_a_file_that_has_changed_since_shows_the_lines_alone() -> None:
    result = result_of("a1\nx\na3\n")
    for content in ("", "x\nb1\nx\na3\n", "a1\n"):
        file = matched_file(result, content, limit=5)
        assert shown(file) == [[(1, "a1")], [(3, "a3")]]
        assert file.language == ""


@given(content=TEXTS)
def test_each_line_is_what_the_file_has_at_its_number(content: str) -> None:
    result = result_of(content)
    file = matched_file(result, content, limit=3)
    lines = content.split("\n")
    for block in file.blocks:
        for line in block:
            assert file.text[line.start : line.end] == lines[line.number - 1]
            if line.matched:
                assert marked(file, line) == ["a"] * len(line.marks)
    matches = [line.number for block in file.blocks for line in block if line.matched]
    assert matches == sorted(line.line for line in result.lines[:3])
