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
from indexer.words import Rows, WordTable, split_words

PACKAGED_FOLDER: Final = Path(__file__).parent / "model"
_MAX_TOKENS: Final = 512  # the default if a model's configuration has none
_INT16_ROWS: Final = 256  # sums of so many int8 values fit into 16 bits
_LEAST_LENGTH: Final = 1e-32
# Of the packaged tokenizer: its tokens, and the median of their lengths. They take 15 ms to count.
PACKAGED_TOKENS: Final = (30_000, 7)


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

    def tokens(self, texts: Sequence[str], words: Sequence[Sequence[str]] | None = None) -> Rows:
        """Return the known tokens of each text. `words`: of each text, if they are split."""
        cut = [text[: self.max_characters] for text in texts]
        if not self.reads_words:
            encoded = self._encoded(cut)
            lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
            values = np.fromiter(chain.from_iterable(encoded), np.int64, lengths.sum())
            return self._known(Rows(values, lengths))
        if words is None:
            words = list(map(split_words, cut))
        else:
            words = [
                split if len(short) == len(text) else split_words(short)
                for text, short, split in zip(texts, cut, words, strict=True)
            ]
        rows = self._words.rows(list(chain.from_iterable(words)))
        return self._known(rows.joined(list(map(len, words))))

    def vectors(self, tokens: Rows) -> Matrix:
        """Return the normalised means of the tokens' vectors; zero for a text without tokens."""
        sums = np.zeros((len(tokens.lengths), self.dimensions), np.float32)
        ends = tokens.lengths.cumsum().tolist()
        for row, (start, end) in zip(sums, pairwise([0, *ends]), strict=True):
            self._add(tokens.values[start:end], row)
        means = sums / np.maximum(tokens.lengths, 1).astype(np.float32)[:, None]
        lengths = np.linalg.norm(means, axis=1, keepdims=True) + _LEAST_LENGTH
        normalised: Matrix = means / lengths
        return normalised

    def _add(self, tokens: NDArray[np.int64], total: Matrix) -> None:
        """Write the sum of the tokens' vectors to `total`; sums of int8 are exact."""
        rows = self.table.take(tokens, axis=0)
        if rows.dtype == np.int8:
            np.add.reduce(rows, out=total, dtype=np.int16 if len(rows) <= _INT16_ROWS else np.int32)
        else:
            np.add.reduce(rows, out=total, dtype=np.float32)

    def _known(self, tokens: Rows) -> Rows:
        """Cut long texts, then drop unknown tokens."""
        kept = tokens.values != self.unknown
        if self.max_tokens and tokens.lengths.max(initial=0) > self.max_tokens:
            kept &= tokens.positions() < self.max_tokens
        return tokens if kept.all() else tokens.only(kept)

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
    reads_words = tokenizer_bytes == (PACKAGED_FOLDER / "tokenizer.json").read_bytes()
    tokens, median = PACKAGED_TOKENS if reads_words else count_tokens(tokenizer)
    table = arrays["embeddings"]
    if "mapping" in arrays:
        table = table[arrays["mapping"]]
    if "weights" in arrays:
        table = table * arrays["weights"][:, None]
    if len(table) != tokens:
        raise ValueError(f"the table has {len(table)} rows for {tokens} tokens")
    max_tokens = config.get("max_length", _MAX_TOKENS)
    return StaticModel(
        table=table,
        tokenizer=tokenizer,
        unknown=_unknown_token(tokenizer),
        max_tokens=max_tokens,
        max_characters=max_tokens and max_tokens * median,
        reads_words=reads_words,
    )


def count_tokens(tokenizer: Tokenizer) -> tuple[int, int]:
    """Return how many tokens there are, and the median of their lengths."""
    lengths = list(map(len, tokenizer.get_vocab()))
    return len(lengths), int(np.median(lengths))


def _unknown_token(tokenizer: Tokenizer) -> int:
    model = tokenizer.model
    if hasattr(model, "unk_token"):
        found = None if model.unk_token is None else tokenizer.token_to_id(model.unk_token)
    else:  # a unigram model
        found = json.loads(tokenizer.to_str())["model"].get("unk_id")
    return -1 if found is None else int(found)
