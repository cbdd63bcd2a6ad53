"""Any text is read in processor time that grows with its length alone."""

import time

from hypothesis import given
from hypothesis import strategies as st

from central.query.pasted.error_message import parse_error
from central.query.pasted.places import parse_place
from central.query.pasted.stack_trace import condensed, parse_trace
from indexer.limits import PASTED_CHARACTERS, QUERY_CHARACTERS
from tests.property_settings import examples

PARTS = (
    "a", "at ", 'File "', "a/", "x.go:1", "#1 ", "(", "in ", "[", "'", '"', "at a(", "a.", "a::",
    "node_modules/", "0", ":line ", "Error: ", "panicked at ", "http://", "@http://", "\\",
    "created by ", ".php in ", "error in ", "\n", " ", ".java:1)", ":in '", "File a", ", line 3",
)  # fmt: skip
CHARACTERS = st.text(alphabet="aE1.:# L()<>{}[]'\"/\\=@-f0h\n", max_size=40)


@examples(60)
@given(
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=4),
    st.lists(st.sampled_from(PARTS), max_size=6),
)
def test_any_trace_is_read_soon(repeated: list[str], begin: list[str]) -> None:
    text = ("".join(begin) + "".join(repeated) * PASTED_CHARACTERS)[:PASTED_CHARACTERS]
    started = time.process_time()
    parse_trace(text)
    condensed(text)
    assert time.process_time() - started < 2.0


@examples(120)
@given(CHARACTERS, st.integers(1, 200))
def test_any_place_or_error_is_read_soon(part: str, count: int) -> None:
    text = (part * count)[:QUERY_CHARACTERS]
    started = time.process_time()
    parse_place(text)
    parse_error(f"Error: {text}")
    parse_error(text)
    assert time.process_time() - started < 1.0
