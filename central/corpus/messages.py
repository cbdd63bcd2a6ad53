"""What a ranked search needs of commits: terms by words, and vectors by meaning.

Vectors are the packaged embedder's, whatever the organisation embeds files with: subjects are
sentences, and no service is paid for them.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from central.corpus.backends import embedder
from central.corpus.embeddings import pack_direction, pack_terms
from central.corpus.patches import changed_lines
from indexer.embedding.catalogue import PACKAGED
from indexer.lexical import field_terms
from indexer.records.history import Commit
from indexer.records.vectors import FLOAT32, UINT32, TermVector
from indexer.words import split_words

# Of a word in the subject, in the body, in a changed path, in a changed line. Measured with
# `python -m benchmarks history`: words of lines bring seven more of its commits on top.
_WEIGHTS: Final = (2.0, 1.0, 0.3, 0.3)
_LINE_WORDS: Final = 400  # of a commit, the first ones
_PATH_WORDS: Final = 100
_LINE_TEXT: Final = 8 * _LINE_WORDS  # characters that have these words, about
_NO_TERMS: Final = pack_terms(TermVector(np.zeros(1, UINT32), np.zeros(1, FLOAT32)))
_TRAILER: Final = re.compile(r"(?im)^(?:co-authored|signed-off|reviewed)-by:.*$")


class Message(NamedTuple):
    """What a commit says; `paths` and `lines` are those that it changed, one a line."""

    subject: str
    body: str
    paths: str = ""
    lines: str = ""


def message_of(commit: Commit) -> Message:
    """Return what a commit says."""
    lines = changed_lines(change.hunks for change in commit.changes)
    paths = "\n".join(change.path for change in commit.changes)
    return Message(commit.subject, commit.body, paths, "\n".join(lines))


def message_terms(messages: Sequence[Message]) -> list[bytes]:
    """Return the packed terms of commits.

    None of them is empty, as those of a commit are that is stored by an older version: without a
    word, they are the term 0, which no word has, of no weight.
    """
    documents = [
        (
            split_words(message.subject),
            split_words(_TRAILER.sub("", message.body)),
            split_words(message.paths)[:_PATH_WORDS],
            split_words(message.lines[:_LINE_TEXT])[:_LINE_WORDS],
        )
        for message in messages
    ]
    return [pack_terms(own) or _NO_TERMS for own in field_terms(documents, _WEIGHTS)]


def subject_vectors(subjects: Sequence[str]) -> list[bytes | None]:
    """Return the packed directions of subjects; None of one without a known word."""
    if not subjects:
        return []
    return [pack_direction(vector) for vector in embedder(PACKAGED).embed_documents(subjects)]
