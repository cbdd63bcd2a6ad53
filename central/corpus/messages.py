"""What a search of commits needs of their messages: terms by words, vectors by meaning.

Vectors are the packaged embedder's, whatever the organisation embeds files with: subjects are
sentences, and no service is paid for them.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from central.corpus.backends import embedder
from central.corpus.embeddings import pack_direction, pack_terms
from indexer.embedding.catalogue import PACKAGED
from indexer.lexical import document_terms
from indexer.records.vectors import FLOAT32, UINT32, TermVector
from indexer.words import split_words

_NO_TERMS: Final = pack_terms(TermVector(np.zeros(1, UINT32), np.zeros(1, FLOAT32)))


def message_terms(messages: Sequence[tuple[str, str]]) -> list[bytes]:
    """Return the packed terms of subjects and bodies; a subject's words weigh more.

    None of them is empty, as those of a commit are that is stored by an older version: without a
    word, they are the term 0, which no word has, of no weight.
    """
    words = [split_words(f"{subject}\n{body}") for subject, body in messages]
    terms = document_terms(path="", names=[subject for subject, _ in messages], words=words)
    return [pack_terms(own) or _NO_TERMS for own in terms]


def subject_vectors(subjects: Sequence[str]) -> list[bytes | None]:
    """Return the packed directions of subjects; None of one without a known word."""
    if not subjects:
        return []
    return [pack_direction(vector) for vector in embedder(PACKAGED).embed_documents(subjects)]
