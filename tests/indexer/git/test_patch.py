"""Hunks against git itself: what is parsed rebuilds the file, what is moved keeps its lines."""

import re
from collections.abc import Iterator, Sequence
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.git.parse import cut_lines
from indexer.git.patch import Hunk, Span, changed_ranges, map_range, parse_patch
from indexer.git.repository import Repository
from tests.indexer.repositories import Sandbox
from tests.property_settings import examples

# Lines that look like a patch's own, are cut by other readers, or hold nothing.
_LINES = st.sampled_from(
    [b"a", b"b", b"    c", b"", b"@@ -1,2 +3,4 @@", b"-- a/x", b"++ b/x", b"diff --git a/x b/x",
     b"\\ No newline at end of file", b"x\ry", b"y\x0cz", "é\u2028".encode(), b"\xff", b"\r"]
)  # fmt: skip
_FILES = st.tuples(st.lists(_LINES, max_size=12), st.sampled_from([b"", b"\n"])).map(
    lambda made: b"\n".join(made[0]) + made[1]
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    repository = Repository(Sandbox(tmp_path_factory.mktemp("hunks")).path)
    yield repository
    repository.close()


def patch_of(repository: Repository, pairs: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
    """Git's patch, in lines, between trees that hold the first and the second of each pair."""

    def tree(contents: Sequence[bytes]) -> str:
        blobs = [
            repository.run("hash-object", "-w", "--stdin", stdin=content).decode().strip()
            for content in contents
        ]
        listing = "".join(f"100644 blob {blob}\t{i:03}\0" for i, blob in enumerate(blobs))
        return repository.run("mktree", "-z", stdin=listing.encode()).decode().strip()

    old, new = (tree([pair[side] for pair in pairs]) for side in (0, 1))
    return list(repository.diff("-p", "-U0", "--text", old, new, split=cut_lines))


def hunks_between(repository: Repository, old: bytes, new: bytes) -> tuple[Hunk, ...]:
    sections = parse_patch(patch_of(repository, [(old, new)]))
    return (sections[0] or ()) if sections else ()


def lines_of(content: bytes) -> list[bytes]:
    """Lines as git counts them, each with its end."""
    return re.findall(rb"[^\n]*\n|[^\n]+\Z", content)


@examples(60)
@given(pairs=st.lists(st.tuples(_FILES, _FILES), min_size=1, max_size=6))
def test_the_hunks_make_the_new_file_out_of_the_old_one(
    repository: Repository, pairs: list[tuple[bytes, bytes]]
) -> None:
    differing = [pair for pair in pairs if pair[0] != pair[1]]
    sections = parse_patch(patch_of(repository, pairs))
    assert len(sections) == len(differing)
    for (old, new), hunks in zip(differing, sections, strict=True):
        before, after = lines_of(old), lines_of(new)
        rebuilt, place = [], 0
        for hunk in hunks or ():
            rebuilt += before[place : hunk.old.low] + after[hunk.new.low : hunk.new.high]
            place = hunk.old.high
        assert rebuilt + before[place:] == after


@st.composite
def _edits(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Lines, all different, and what is left of them with others put in between."""
    old = list(range(draw(st.integers(0, 12))))
    new: list[int] = []
    for line in [*old, None]:
        if draw(st.integers(0, 3)) == 0:
            new += [100 * (len(new) + 1) + n for n in range(draw(st.integers(1, 3)))]
        if line is not None and draw(st.booleans()):
            new.append(line)
    return old, new


@examples(80)
@given(edit=_edits())
def test_a_moved_span_holds_the_lines_that_are_left_of_it_and_no_other_old_line(
    repository: Repository, edit: tuple[list[int], list[int]]
) -> None:
    old, new = edit
    text = [b"".join(b"line %d\n" % line for line in lines) for lines in edit]
    hunks = hunks_between(repository, text[0], text[1])
    kept = {line + 1: new.index(line) + 1 for line in old if line in new}
    for low in range(len(old) + 1):
        for high in range(low, len(old) + 1):
            at = map_range(Span(low, high), hunks)
            assert 0 <= at.low <= at.high <= len(new)
            for before, after in kept.items():
                assert (before <= low) == (after <= at.low)
                assert (before > high) == (after > at.high)
            assert at == at._replace(**_edges(low, high, kept))


def _edges(low: int, high: int, kept: dict[int, int]) -> dict[str, int]:
    """Where a span must begin and end, as far as the lines at its edges are still there.

    Of what was inserted there nothing is in it; a place between lines is just below the upper one.
    """
    edges = {}
    if low == high:
        if low in kept or not low:
            edges = dict.fromkeys(("low", "high"), kept.get(low, 0))
        elif low + 1 in kept:
            edges = dict.fromkeys(("low", "high"), kept[low + 1] - 1)
        return edges
    if low + 1 in kept:
        edges["low"] = kept[low + 1] - 1
    if high in kept:
        edges["high"] = kept[high]
    return edges


def test_a_changed_line_with_a_zero_byte_makes_the_file_binary(repository: Repository) -> None:
    pairs = [(b"\0\1\n", b"\0\2\n"), (b"a\n", b"b\n")]
    assert parse_patch(patch_of(repository, pairs)) == [None, (Hunk(Span(0, 1), Span(0, 1)),)]


# What is changed by an insertion

TWO = b"def f():\n    return 1\ndef g():\n    return 2\n"
F, G = (1, 2), (3, 4)


def touched(repository: Repository, old: bytes, new: bytes, *, python: bool = True) -> list[str]:
    """Which of f and g, as they stand in TWO, the change touches."""
    lines = old.split(b"\n") if python else None
    spans = changed_ranges(hunks_between(repository, old, new), lines)
    return [
        name for name, place in (("f", F), ("g", G)) if any(span.touches(*place) for span in spans)
    ]


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param(b"def f():\n    x = 1\n    return 1\ndef g():\n    return 2\n", ["f"],
                     id="inside of f"),
        pytest.param(b"def f():\n    return 1\ndef new():\n    pass\ndef g():\n    return 2\n", [],
                     id="a function between them"),
        pytest.param(b"# first\n" + TWO, [], id="above the first line"),
        pytest.param(TWO + b"def new():\n    pass\n", [], id="below the last line"),
        pytest.param(TWO + b"    return 3\n", ["g"], id="at the end of g's block"),
        pytest.param(b"def f():\n    return 1\n    return 3\ndef g():\n    return 2\n", ["f"],
                     id="at the end of f's block"),
        pytest.param(b"def f():\n    return 1\n@cached\ndef g():\n    return 2\n", ["g"],
                     id="a decorator of g"),
        pytest.param(b"def f():\n    return 1\ndef g():\n    return 5\n", ["g"],
                     id="a line replaced"),
        pytest.param(b"def f():\ndef g():\n    return 2\n", ["f"], id="a line removed"),
        pytest.param(b"", ["f", "g"], id="everything removed"),
    ],
)  # fmt: skip
def test_an_insertion_touches_what_is_around_it_and_no_neighbour(
    repository: Repository, new: bytes, expected: list[str]
) -> None:
    assert touched(repository, TWO, new) == expected


def test_where_braces_end_a_block_indentation_says_nothing(repository: Repository) -> None:
    old = b"f() {\n}\ng() {\n}\n"
    assert touched(repository, old, b"f() {\n}\n    h();\ng() {\n}\n", python=False) == []
    assert touched(repository, old, b"f() {\n    h();\n}\ng() {\n}\n", python=False) == ["f"]


def test_lines_below_an_inner_block_belong_to_the_block_around_it(repository: Repository) -> None:
    old = b"class C:\n    def m(self):\n        if x:\n            y()\n\nz = 1\n"
    inserted = b"class C:\n    def m(self):\n        if x:\n            y()\n%b\nz = 1\n"
    method, other = (
        changed_ranges(hunks_between(repository, old, inserted % text), old.split(b"\n"))
        for text in (b"        z()\n", b"    def n(self): ...\n")
    )
    assert method == [Span(1, 2)], "the line of def m"
    assert other == [Span(0, 1)], "the line of class C"


def test_many_thousand_edits_of_one_file_take_no_minutes() -> None:
    number = 20_000
    old = [b"DATA = {", *([b"    1: 2,", b""] * (number // 2)), b"}", b""]
    hunks = [
        Hunk(Span(at, at), Span(2 * at - 1, 2 * at), (b"    3: 4,",)) for at in range(1, number)
    ]
    began = monotonic()
    spans = changed_ranges(hunks, old)
    assert {map_range(span, hunks) for span in spans} == {Span(0, 1)}, "the line of DATA"
    assert map_range(Span(number - 1, number), hunks) == Span(2 * number - 2, 2 * number - 1)
    assert monotonic() - began < 5, "seconds; a comparison of all with all takes a minute"


def test_central_is_asked_about_both_neighbours_of_an_insertion() -> None:
    assert Span(3, 3).lines == (3, 4)
    assert Span(0, 0).lines == (1, 1)
    assert Span(3, 5).lines == (4, 5)
