"""The estimate of tokens beside true counts of o200k_base, which the benchmark has written."""

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.agents.tokens import estimate_tokens, pieces
from tests.agents.token_kinds import TABLE, texts_by_kind
from tests.property_settings import examples

COUNTED = json.loads(TABLE.read_text(encoding="utf-8"))
TEXTS = texts_by_kind()


def test_every_kind_has_been_counted_as_it_is() -> None:
    """Else run `python -m benchmarks agents count`."""
    digests = {kind: sha256(text.encode()).hexdigest() for kind, text in TEXTS.items()}
    assert {kind: row["sha256"] for kind, row in COUNTED.items()} == digests


@pytest.mark.parametrize("kind", COUNTED)
def test_an_estimate_is_not_below_the_tokens_and_at_most_15_percent_above(kind: str) -> None:
    tokens = COUNTED[kind]["tokens"]
    assert tokens <= estimate_tokens(TEXTS[kind]) <= 1.15 * tokens


@given(first=st.text(max_size=200), second=st.text(max_size=200))
@examples(100)
def test_more_text_is_not_fewer_tokens(first: str, second: str) -> None:
    estimate = estimate_tokens(f"{first}\n{second}")
    assert estimate >= estimate_tokens(first)


@given(text=st.text(max_size=500))
@examples(100)
def test_pieces_are_short_and_make_up_the_text(text: str) -> None:
    found = pieces(text)
    assert sum(len(piece) * count for piece, count in found.items()) == len(text)
    assert all(0 < len(piece) <= 100 for piece in found)


@pytest.mark.parametrize("character", ["x", "é", "漢", "\U0001f600", "-", " ", "\n", "\x00"])
def test_one_character_without_end_is_estimated(character: str) -> None:
    assert 0 < estimate_tokens(character * 100_000) <= 400_000


def test_white_space_that_changes_all_the_time_is_many_tokens() -> None:
    assert estimate_tokens(" \t" * 1_000) >= 1_900
    assert estimate_tokens("\n" + " " * 60) <= 4


def test_other_values_are_estimated_as_compact_json() -> None:
    assert estimate_tokens({"a": [1, 2]}) == estimate_tokens('{"a":[1,2]}')
