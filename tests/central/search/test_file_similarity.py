"""A file counts as a whole: its vector beside those of its chunks."""

from uuid import UUID

import numpy as np
import pytest

from aeterna_code_search.contract.search import Mode, SearchRequest
from central.corpus.backends import embedder
from central.corpus.embeddings import pack_direction
from central.corpus.models import File
from central.search.candidates import Candidate, CandidateBatch, Lists
from central.search.query import parse_query
from central.search.query_preparation import PreparedQuery
from central.search.ranking.rules import FILE, WEIGHTS
from central.search.ranking.scoring import rerank
from central.search.retrieval import file_similarities
from central.search.service import search
from indexer.records.vectors import EmbedderSpec
from tests.central.search.corpus import credential_for, index_repository, organization_of

EAST, NORTH = np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32)
ONLY_FILES = dict.fromkeys(WEIGHTS, 0.0) | {FILE: 1.0}


SPEC, OTHER = (EmbedderSpec.parse(f"builtin/{name}/2") for name in ("small", "other"))


def query(vector: np.ndarray | None, text: str = "how is it retried") -> PreparedQuery:
    vectors = {} if vector is None else {SPEC: vector}
    return PreparedQuery(parse_query(text), vectors, None, {})


def chunk(key: int, path: str, vector: bytes | None) -> Candidate:
    return Candidate(
        *("shop", key, UUID(int=key), 1, path, "python", key, key + 9, "function", "", "", b""),
        is_reexport=False,
        file_vector=vector,
    )


def test_chunks_have_the_cosine_of_their_file() -> None:
    rows = {
        1: chunk(1, "a.py", pack_direction(EAST)),
        2: chunk(2, "a.py", pack_direction(EAST)),
        3: chunk(3, "b.py", pack_direction(EAST + NORTH)),
        4: chunk(4, "new.py", None),
        5: chunk(5, "other.py", b"\x7f\x00\x00"),
    }
    east, north = file_similarities(rows, [query(EAST), query(NORTH)], [SPEC])
    assert east == {1: 1.0, 2: 1.0, 3: pytest.approx(0.5**0.5)}
    assert north == {1: 0.0, 2: 0.0, 3: pytest.approx(0.5**0.5)}


def test_without_a_vector_there_is_nothing_to_compare() -> None:
    rows = {1: chunk(1, "a.py", None)}
    assert file_similarities(rows, [query(EAST)], [SPEC]) == [{}]
    rows = {1: chunk(1, "a.py", pack_direction(EAST))}
    assert file_similarities(rows, [query(None)], [SPEC]) == [{}]


def test_vectors_of_several_embedders_are_not_compared() -> None:
    rows = {1: chunk(1, "a.py", pack_direction(EAST))}
    assert file_similarities(rows, [query(EAST)], [SPEC, OTHER]) == [{}]


@pytest.mark.parametrize(("text", "first"), [("how is it retried", 2), ("retry_payment", 1)])
def test_a_similar_file_comes_first_unless_a_name_is_asked_for(text: str, first: int) -> None:
    rows = {1: chunk(1, "a.py", None), 2: chunk(2, "b.py", None)}
    lists = Lists(dense={1: 0.5, 2: 0.5}, files={1: 0.2, 2: 0.8})
    ranked = rerank(
        CandidateBatch(rows, [lists]),
        mode=Mode.HYBRID,
        queries=[query(None, text)],
        max_score=1.0,
        weights=ONLY_FILES,
    )
    assert ranked[0].id == first


def test_dropped_candidates_lose_the_similarity_of_their_file() -> None:
    lists = Lists(dense={1: 0.5, 2: 0.4}, files={1: 0.2, 2: 0.8})
    assert lists.renamed({2: 2}).files == {2: 0.8}


@pytest.mark.django_db
def test_of_equal_chunks_the_one_in_a_file_about_the_query_comes_first() -> None:
    acme = organization_of("acme")
    text = "how is a payment retried"
    (asked,) = embedder(EmbedderSpec.parse(acme.embedder)).embed_queries([text])
    for name in ("alpha", "beta"):
        index_repository(
            acme, name, {"jobs.py": "def attempt(payment):\n    return run(payment)\n"}
        )

    def projects(**vectors: bytes | None) -> list[str]:
        for name, vector in vectors.items():
            File.objects.filter(repository__name=name).update(vector=vector)
        results = search(
            credential=credential_for(acme), request=SearchRequest(queries=(text,))
        ).results
        return [result.project for result in results]

    similar, opposite = pack_direction(asked), pack_direction(-asked)
    assert projects(alpha=opposite, beta=similar) == ["beta", "alpha"]
    assert projects(alpha=similar, beta=opposite) == ["alpha", "beta"]
    assert projects(alpha=None, beta=None) == ["alpha", "beta"]  # as an older version left them
