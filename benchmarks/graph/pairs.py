"""The labelled pairs of documents.toml and chunks.ndjson, with what the product sees of each."""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from central.knowledge.resemblance import Resemblance, code_words, resemblance, words_of
from indexer.embedding import open_embedder
from indexer.embedding.builtin import SPEC
from indexer.records.vectors import embedder_input

HERE: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Pair:
    """`document` counts from 0 in the order of the file."""

    document: int
    found: Resemblance
    is_related: bool

    @property
    def is_held_out(self) -> bool:
        """Every second document's pairs are for proof."""
        return self.document % 2 == 1


def read_documents() -> list[dict[str, Any]]:
    """In the order of the file."""
    documents: list[dict[str, Any]] = tomllib.loads(
        (HERE / "documents.toml").read_text(encoding="utf-8")
    )["document"]
    return documents


def read_chunks() -> dict[str, dict[str, str]]:
    """By place."""
    lines = (HERE / "chunks.ndjson").read_text(encoding="utf-8").splitlines()
    return {chunk["place"]: chunk for chunk in map(json.loads, lines)}


def prose_of(document: dict[str, Any]) -> str:
    """As the product embeds it."""
    return f"{document['title']}\n\n{document['body']}"


def measured_pairs() -> list[Pair]:
    """Every labelled pair, embedded by the model that ships with the product."""
    documents, chunks = read_documents(), read_chunks()
    embedder = open_embedder(SPEC)
    prose = [prose_of(document) for document in documents]
    places = sorted(chunks)
    cosines = (
        embedder.embed_documents(prose)
        @ embedder.embed_documents([_input(chunks[place]) for place in places]).T
    )
    columns = {place: column for column, place in enumerate(places)}
    found = []
    for row, document in enumerate(documents):
        words = words_of(prose[row])
        for label, is_related in (("related", True), ("unrelated", False)):
            for place in document[label]:
                chunk = chunks[place]
                code = code_words(
                    path=_path(place),
                    container=chunk["container"],
                    name=chunk["name"],
                    text=chunk["text"],
                )
                cosine = float(cosines[row, columns[place]])
                found.append(Pair(row, resemblance(cosine, words, code), is_related))
    return found


def _path(place: str) -> str:
    return place.rpartition(":")[0]


def _input(chunk: dict[str, str]) -> str:
    return embedder_input(
        path=_path(chunk["place"]), container=chunk["container"], text=chunk["text"]
    )


def labels_of(pairs: Sequence[Pair]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """One for each pair."""
    return np.array([pair.is_related for pair in pairs])
