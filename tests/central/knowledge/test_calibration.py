"""What a weight means: proven on labelled pairs that it was not fitted to, by the real model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.graph.fitting import fit
from benchmarks.graph.pairs import Pair, measured_pairs, read_chunks, read_documents
from benchmarks.graph.proof import judge, ranking
from central.knowledge.calibration import LINKED, calibration_of, min_cosine, weight_of
from central.knowledge.resemblance import Resemblance, code_words, resemblance, words_of

BUILTIN = "builtin/aeterna-static-1/256"
OTHER = "openai/text-embedding-3-small/1536"

RESEMBLANCES = st.builds(
    Resemblance,
    cosine=st.floats(-1, 1, allow_nan=False),
    shared=st.integers(0, 200),
    named=st.integers(0, 20),
    is_test=st.booleans(),
)


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return measured_pairs()


@given(found=RESEMBLANCES, more=st.floats(0, 1), words=st.integers(0, 50))
def test_a_weight_falls_with_nothing_that_speaks_for_a_pair(
    found: Resemblance, more: float, words: int
) -> None:
    for embedder in (BUILTIN, OTHER):
        weight = weight_of(found, embedder=embedder)
        assert 0 <= weight <= 1
        for better in (
            found._replace(cosine=found.cosine + more),
            found._replace(shared=found.shared + words),
            found._replace(named=found.named + words),
            found._replace(is_test=False),
        ):
            assert weight_of(better, embedder=embedder) >= weight


@given(found=RESEMBLANCES)
def test_nothing_below_the_least_cosine_is_a_link(found: Resemblance) -> None:
    for embedder in (BUILTIN, OTHER):
        if found.cosine < min_cosine(embedder=embedder):
            assert weight_of(found, embedder=embedder) <= LINKED


def test_an_embedder_without_a_calibration_keeps_its_cosine() -> None:
    assert weight_of(Resemblance(0.9, 50, 5, False), embedder=OTHER) == 0.9


def test_the_calibration_is_what_the_first_half_gives(pairs: list[Pair]) -> None:
    assert calibration_of(BUILTIN) == fit([pair for pair in pairs if not pair.is_held_out])


def test_links_are_right_four_times_in_five_on_the_other_half(pairs: list[Pair]) -> None:
    calibration = calibration_of(BUILTIN)
    assert calibration is not None
    held_out = [pair for pair in pairs if pair.is_held_out]
    found = judge(held_out, calibration)
    assert found.linked >= 40
    assert found.precision >= 0.8
    assert found.recall >= 0.2
    assert ranking(held_out, lambda pair: calibration.score(pair.found)) >= 0.7


def test_the_pairs_are_many_and_none_is_labelled_twice() -> None:
    documents, chunks = read_documents(), read_chunks()
    labelled = [(one["id"], place) for one in documents for place in _places(one)]
    assert len(labelled) == len(set(labelled)) >= 1_000
    assert len({one["id"] for one in documents}) == len(documents) >= 120
    assert {place for _, place in labelled} == set(chunks)


def _places(document: dict[str, list[str]]) -> list[str]:
    return [*document["related"], *document["unrelated"]]


def test_words_are_of_the_subject_alone() -> None:
    assert words_of("The retry policy has a back-off, and getUserName() returns None") == {
        "retry",
        "policy",
        "getusername",
        "get",
        "user",
    }


def test_words_of_names_count_apart() -> None:
    code = code_words(
        path="payments/tests/refunds.py", container="Ledger", name="give_back", text="amount = 1"
    )
    prose = words_of("The ledger gives an amount back: a refund.")
    assert resemblance(0.5, prose, code) == Resemblance(0.5, shared=2, named=1, is_test=True)
