"""Each digest of a run is asked for once, and embedded once if central does not know it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from indexer.errors import EmbedderUnavailableError
from indexer.pipeline import embed
from indexer.pipeline.embed import EmbeddingCache
from indexer.records.vectors import embedding_digest


@dataclass
class World:
    """A central that knows some digests, and an embedder that may give out."""

    known: dict[bytes, bytes | None] = field(default_factory=dict)
    questions: list[list[bytes]] = field(default_factory=list)
    embedded: list[str] = field(default_factory=list)
    gives_out_after: int | None = None

    def ask(self, digests: Collection[bytes]) -> Mapping[bytes, bytes | None]:
        self.questions.append(list(digests))
        return {digest: self.known[digest] for digest in digests if digest in self.known}

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        if self.gives_out_after is not None:
            done = {index: vector(text) for index, text in enumerate(texts)}
            kept = {index: done[index] for index in list(done)[: self.gives_out_after]}
            raise EmbedderUnavailableError("it is away", done=kept)
        self.embedded += texts
        return [vector(text) for text in texts]


def vector(text: str) -> bytes:
    return text.encode().ljust(8, b"\0")


def inputs(*texts: str) -> dict[bytes, str]:
    return {embedding_digest(text): text for text in texts}


def digest(text: str) -> bytes:
    return embedding_digest(text)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def found(world: World) -> Iterator[EmbeddingCache]:
    with closing(
        EmbeddingCache(lookup=world.ask, max_digests=2, embed=world.embed, size=8)
    ) as found:
        yield found


def test_what_central_knows_is_not_embedded(world: World, found: EmbeddingCache) -> None:
    world.known = {digest("a"): None}
    answer = found.vectors(inputs("a", "b"))
    assert answer.vectors == {digest("a"): None, digest("b"): vector("b")}
    assert answer.computed == {digest("b")}
    assert world.embedded == ["b"]


def test_what_came_before_is_neither_asked_for_nor_embedded_again(
    world: World, found: EmbeddingCache
) -> None:
    world.known = {digest("a"): None}
    found.vectors(inputs("a", "b"))
    answer = found.vectors(inputs("b", "c", "a"))
    assert answer.vectors == {
        digest("a"): None,
        digest("b"): vector("b"),
        digest("c"): vector("c"),
    }
    assert answer.computed == {digest("c")}
    assert world.embedded == ["b", "c"]
    assert sorted(one for question in world.questions for one in question) == sorted(
        map(digest, "abc")
    )


def test_vectors_beyond_what_memory_takes_come_back_from_disk(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "_IN_MEMORY_BYTES", 20)
    with closing(
        EmbeddingCache(lookup=world.ask, max_digests=9, embed=world.embed, size=8)
    ) as found:
        for text in "abcdefgh":
            found.vectors(inputs(text))
        again = found.vectors(inputs(*"hgfedcba"))
    assert again.vectors == {digest(text): vector(text) for text in "abcdefgh"}
    assert world.embedded == list("abcdefgh")


def test_no_question_is_longer_than_central_allows(world: World, found: EmbeddingCache) -> None:
    found.vectors(inputs(*"abcde"))
    assert [len(question) for question in world.questions] == [2, 2, 1]


def test_a_vector_that_central_gives_is_given_on_also_later(
    world: World, found: EmbeddingCache
) -> None:
    world.known = {digest("a"): vector("z")}
    for _ in range(2):
        assert found.vectors(inputs("a")).vectors == {digest("a"): vector("z")}


def test_of_an_embedder_that_gives_out_what_is_done_is_kept(
    world: World, found: EmbeddingCache
) -> None:
    world.gives_out_after = 1
    answer = found.vectors(inputs("a", "b"))
    assert answer.vectors == {digest("a"): vector("a")}
    assert answer.computed == {digest("a")}
    assert answer.problem
