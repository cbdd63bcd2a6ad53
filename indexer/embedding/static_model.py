"""A static model: a table of token vectors. The vector of a text is the mean of its tokens'.

The format of the folder and the arithmetic are those of model2vec (MIT licence, version 0.10).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from indexer.records.vectors import Matrix
from indexer.words import WordTable, split_words

PACKAGED_FOLDER: Final = Path(__file__).parent / "model"
_MAX_TOKENS: Final = 512  # the default if a model's configuration has none
_INT16_ROWS: Final = 256  # sums of so many int8 values fit into 16 bits
_LEAST_LENGTH: Final = 1e-32


@dataclass(frozen=True)
class StaticModel:
    """A model's table and tokenizer. Thread-safe.

    `table` has a row for each token. A text is cut at `max_characters` and `max_tokens`. `unknown`
    is the token that is left out, -1 if there is none. With `reads_words`, the tokens of a text are
    those of its words, one after the other.
    """

    table: NDArray[np.generic]
    tokenizer: Tokenizer
    unknown: int
    max_tokens: int | None
    max_characters: int | None
    reads_words: bool

    @property
    def dimensions(self) -> int:
        """The length of the vectors."""
        return int(self.table.shape[1])

    def tokens(
        self, texts: Sequence[str], words: Sequence[Sequence[str]] | None = None
    ) -> list[NDArray[np.int64]]:
        """Return the known tokens of each text. `words`: of each text, if they are split."""
        cut = [text[: self.max_characters] for text in texts]
        if not self.reads_words:
            return [self._known(np.array(ids, np.int64)) for ids in self._encoded(cut)]
        if words is None:
            words = [split_words(text) for text in cut]
        else:
            words = [
                split if len(short) == len(text) else split_words(short)
                for text, short, split in zip(texts, cut, words, strict=True)
            ]
        rows = self._words.rows(list(chain.from_iterable(words)))
        ends = np.concatenate(([0], rows.lengths.cumsum()))[np.cumsum([0, *map(len, words)])]
        return [self._known(rows.values[start:end]) for start, end in pairwise(ends.tolist())]

    def vectors(self, tokens: Sequence[NDArray[np.int64]]) -> Matrix:
        """Return the normalised means of the tokens' rows; zero for a text without tokens."""
        means = np.zeros((len(tokens), self.dimensions), np.float32)
        for row, ids in zip(means, tokens, strict=True):
            if len(ids):
                row[:] = self._sum(ids) / len(ids)
        lengths = np.linalg.norm(means, axis=1, keepdims=True) + _LEAST_LENGTH
        normalised: Matrix = means / lengths
        return normalised

    def _sum(self, ids: NDArray[np.int64]) -> NDArray[np.generic]:
        rows = self.table.take(ids, axis=0)
        if rows.dtype != np.int8:
            return np.add.reduce(rows, dtype=np.float32)
        return np.add.reduce(rows, dtype=np.int16 if len(ids) <= _INT16_ROWS else np.int32)

    def _known(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        ids = ids[: self.max_tokens]
        return ids[ids != self.unknown]

    @cached_property
    def _words(self) -> WordTable:
        return WordTable(self._encoded)

    def _encoded(self, texts: Sequence[str]) -> list[list[int]]:
        # The tokenizer refuses lone surrogates; pasted text may hold one.
        clean = [text.encode(errors="replace").decode() for text in texts]
        encodings = self.tokenizer.encode_batch_fast(clean, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]


def load_model(folder: Path) -> StaticModel:
    """Read the model in `folder`. Raises OSError, ValueError, KeyError and the tokenizer's errors.

    Of a model whose vocabulary is quantised, the table is written out.
    """
    config = json.loads((folder / "config.json").read_text("utf-8"))
    arrays = load_file(folder / "model.safetensors")
    tokenizer_bytes = (folder / "tokenizer.json").read_bytes()
    tokenizer = Tokenizer.from_buffer(tokenizer_bytes)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    vocabulary = tokenizer.get_vocab()
    table = arrays["embeddings"]
    if "mapping" in arrays:
        table = table[arrays["mapping"]]
    if "weights" in arrays:
        table = table * arrays["weights"][:, None]
    if len(table) != len(vocabulary):
        raise ValueError(f"the table has {len(table)} rows for {len(vocabulary)} tokens")
    max_tokens = config.get("max_length", _MAX_TOKENS)
    return StaticModel(
        table=table,
        tokenizer=tokenizer,
        unknown=_unknown_token(tokenizer),
        max_tokens=max_tokens,
        max_characters=max_tokens and max_tokens * int(np.median(list(map(len, vocabulary)))),
        reads_words=tokenizer_bytes == (PACKAGED_FOLDER / "tokenizer.json").read_bytes(),
    )


def _unknown_token(tokenizer: Tokenizer) -> int:
    model = tokenizer.model
    if hasattr(model, "unk_token"):
        found = None if model.unk_token is None else tokenizer.token_to_id(model.unk_token)
    else:  # a unigram model
        found = json.loads(tokenizer.to_str())["model"].get("unk_id")
    return -1 if found is None else int(found)
