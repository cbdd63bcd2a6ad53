"""Values of a JSON text are counted before it is parsed."""

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.json_values import has_more_values

texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
)


def count(value: object) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(count, value.values()))
    if isinstance(value, list):
        return 1 + sum(map(count, value))
    return 1


@given(values)
def test_no_more_values_are_parsed_than_were_counted(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False).encode()
    there = count(value)
    assert not has_more_values(text, 2 * there)
    if there > 4:
        assert has_more_values(text, (there - 4) // 2)


@given(st.binary())
def test_any_bytes_are_counted(text: bytes) -> None:
    assert not has_more_values(text, len(text))
    has_more_values(text, 0)


@pytest.mark.parametrize(
    "text",
    [
        b'"' + b'\\"' * 1_000_000 + b",,,",
        b'"' * 1_000_001 + b",,,",
        b'"\\' * 1_000_001 + b",,,",
        b"x" * 2_000_000 + b",,,",
        b'{"a":0},' * 200_000,
    ],
    ids=["escaped", "quotation marks", "backslashes", "none", "members"],
)
def test_a_text_is_gone_through_once_and_nothing_of_it_is_kept(text: bytes) -> None:
    tracemalloc.start()
    has_more_values(text, 2)
    has_more_values(text, 350_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000  # a quadratic search would not end either
