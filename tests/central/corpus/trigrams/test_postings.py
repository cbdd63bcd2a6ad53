"""A segment's rows say exactly which files have which trigrams, whatever its size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.corpus.trigrams import postings
from central.corpus.trigrams.hashes import Hashes, trigram_hashes
from central.corpus.trigrams.postings import (
    bucket_count,
    bucket_of,
    encode_segment,
    posting_count,
    row_keys,
    segment_matches,
)
from central.corpus.trigrams.tree import (
    EVERYTHING,
    Tree,
    Trigram,
    all_of,
    any_of,
    matching_bits,
    restricted,
    tree_hashes,
)
from tests.central.corpus.trigrams.scan import satisfies

HASHES = st.lists(st.integers(0, 2**32 - 1), max_size=30).map(
    lambda values: np.unique(np.array(values, np.uint32))
)


def read(files: list[Hashes]) -> set[tuple[int, int]]:
    """All postings of a segment, each row of which is in its bucket."""
    buckets, rows = encode_segment(files)
    found: set[tuple[int, int]] = set()
    assert [row.bucket for row in rows] == sorted({row.bucket for row in rows})
    for row in rows:
        hashes, ordinals = row_keys(row.data)
        assert posting_count(row.data) == len(hashes) == len(ordinals)
        assert {bucket_of(value, buckets) for value in hashes.tolist()} == {row.bucket}
        found |= set(zip(hashes.tolist(), ordinals.tolist(), strict=True))
    return found


@given(files=st.lists(HASHES, max_size=8))
def test_rows_hold_what_was_encoded(files: list[Hashes]) -> None:
    assert read(files) == {
        (value, ordinal) for ordinal, hashes in enumerate(files) for value in hashes.tolist()
    }


@given(files=st.lists(HASHES, min_size=1, max_size=8))
def test_many_buckets_and_parts_change_nothing(files: list[Hashes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "_ROW_BYTES", 16)
        patch.setattr(postings, "_PART_POSTINGS", 4)
        test_rows_hold_what_was_encoded.hypothesis.inner_test(files)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("size", "buckets"),
    [(0, 1), (1, 1), (1_377, 1), (4_000, 2), (100_000, 64), (6_400_000, 1_024), (10**9, 4_096)],
)
def test_rows_have_some_8_to_16_kilobytes(size: int, buckets: int) -> None:
    assert bucket_count(size) == buckets


def test_a_trigram_of_all_files_of_the_largest_segment() -> None:
    files = [np.array([7], np.uint32)] * postings.SEGMENT_FILES
    buckets, rows = encode_segment(files)
    found = segment_matches(Trigram(7), buckets, rows)
    assert np.array_equal(found, np.arange(postings.SEGMENT_FILES))


TREES = st.recursive(
    st.integers(0, 9).map(lambda value: Trigram(value << 28)),
    lambda parts: st.one_of(
        st.lists(parts, min_size=1, max_size=3).map(all_of),
        st.lists(parts, min_size=1, max_size=3).map(any_of),
    ),
)


@given(
    tree=TREES,
    files=st.lists(st.sets(st.integers(0, 9)), min_size=1, max_size=12),
)
def test_a_tree_is_evaluated_as_a_scan_would(tree: Tree, files: list[set[int]]) -> None:
    hashes = [{value << 28 for value in file} for file in files]
    buckets, rows = encode_segment([np.array(sorted(one), np.uint32) for one in hashes])
    expected = [ordinal for ordinal, one in enumerate(hashes) if satisfies(tree, one)]
    assert segment_matches(tree, buckets, rows).tolist() == expected


@given(
    tree=TREES,
    chosen=st.sets(st.integers(0, 9).map(lambda value: value << 28)),
    file=st.sets(st.integers(0, 9).map(lambda value: value << 28)),
)
def test_a_text_that_satisfies_a_tree_satisfies_what_it_requires_of_any_trigrams(
    tree: Tree, chosen: set[int], file: set[int]
) -> None:
    part = restricted(tree, chosen)
    assert satisfies(part, file) or not satisfies(tree, file)
    bits = {value: int(value in file) for value in chosen}
    assert matching_bits(tree, bits) == (-1 if part == EVERYTHING else satisfies(part, file))
    assert restricted(tree, set(tree_hashes(tree))) == tree


def test_everything_is_no_question_for_a_segment() -> None:
    with pytest.raises(ValueError, match="requires no trigram"):
        segment_matches(EVERYTHING, 1, [])


@pytest.mark.parametrize("cut", [0, 3, 5, 9, -1])
def test_a_broken_row_is_refused(cut: int) -> None:
    _, [row] = encode_segment([trigram_hashes("abcdef")])
    with pytest.raises(ValueError, match="buffer"):
        row_keys(row.data[:cut] if cut else b"\xff\xff\xff\xff")
