"""Trigrams are those of the folded text, and RE2 never matches across what is folded apart."""

import hashlib

import numpy as np
import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from central.corpus.trigrams.hashes import fold_table, folded_codes, trigram_hashes

# Of the fold and of the hash, which are in every stored index (central/corpus/trigrams/hashes.py).
TABLE_DIGEST = "c797d2d9ed08e076bc557d7d5b67abf87575891eb63cfa5fb7fbc8cf8254ffab"
HASHES_DIGEST = "3bd776333f0efd5d1c1a1e8405ca5c79aab54865f597e8f629a76100a804f36c"


def digest(array: "np.ndarray[tuple[int], np.dtype[np.uint32]]") -> str:
    return hashlib.sha256(array.astype("<u4").tobytes()).hexdigest()


def folded(text: str) -> str:
    return "".join(map(chr, folded_codes(text)))


def test_the_stored_format_is_what_it_was() -> None:
    """A change of these makes every stored index wrong: it needs a migration (decision 0038)."""
    assert digest(fold_table()) == TABLE_DIGEST
    assert (
        digest(trigram_hashes("Stra\u00dfe, \u017fet \u212a: def send_file(path)\n"))
        == HASHES_DIGEST
    )


CASED = r"\p{Lu}\p{Ll}\p{Lt}\p{Mn}\p{Nl}\p{So}"
BLOCK = 64


def test_what_re2_folds_has_one_representative() -> None:
    """For each character with a case: all that match it in any case."""
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    cased = re2.findall(f"[{CASED}]", everything)
    assert not re2.search(f"(?i)[{CASED}]", re2.sub(f"[{CASED}]", "", everything))
    pairs = 0
    for start in range(0, len(cased), BLOCK):
        block = cased[start : start + BLOCK]
        others = re2.findall(f"(?i)[{''.join(map(re2.escape, block))}]", "".join(cased))
        text = "".join(sorted({*block, *others}))
        for one in block:
            matching = re2.findall(f"(?i){re2.escape(one)}", text)
            assert {folded(other) for other in matching} == {folded(one)}, hex(ord(one))
            pairs += len(matching) - 1
    assert pairs > 2_000


@pytest.mark.parametrize(
    ("text", "other"),
    [("Kk\u212a", "kkk"), ("Ss\u017f", "sss"), ("\u00b5", "\u03bc"), ("\u1e9e", "\u00df")],
)
def test_cases_that_are_easily_forgotten_are_folded_together(text: str, other: str) -> None:
    assert folded(text) == folded(other)


@given(st.text(max_size=60))
def test_a_text_has_the_trigrams_of_its_parts_and_no_case(text: str) -> None:
    hashes = trigram_hashes(text)
    assert np.array_equal(hashes, np.unique(hashes))
    windows = {text[at : at + 3] for at in range(len(text) - 2)}
    assert set(hashes.tolist()) == {trigram_hashes(window)[0] for window in windows}
    assert np.array_equal(trigram_hashes(folded(text)), hashes)


@pytest.mark.parametrize("text", ["", "a", "ab", "\u00e9\u00e9"])
def test_a_short_text_has_none(text: str) -> None:
    assert len(trigram_hashes(text)) == 0
