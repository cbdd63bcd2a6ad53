"""Static models of any kind that model2vec writes."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers

from indexer.embedding.static_model import (
    PACKAGED_FOLDER,
    PACKAGED_TOKENS,
    StaticModel,
    count_tokens,
    load_model,
)

VOCABULARY = {"[UNK]": 0, "red": 1, "green": 2, "blue": 3}
TABLE = np.array([[9, 9], [1, 0], [0, 2], [3, 3]], np.float32)


def write(folder: Path, arrays: dict[str, NDArray[np.generic]], **config: object) -> StaticModel:
    """A model of words between blanks."""
    tokenizer = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(folder / "tokenizer.json"))
    save_file(arrays, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config))
    return load_model(folder)


def sums(model: StaticModel, text: str) -> NDArray[np.generic]:
    tokens = model.tokens([text])
    return model.table[tokens.values].sum(axis=0)


def unit(*values: float) -> NDArray[np.float32]:
    vector = np.array(values, np.float32)
    return vector / np.linalg.norm(vector)


def test_a_model_with_a_tokenizer_of_its_own_reads_whole_texts(tmp_path: Path) -> None:
    model = write(tmp_path, {"embeddings": TABLE})
    assert not model.reads_words
    rows = model.vectors(model.tokens(["red green", "other", "blue red-green blue"]))
    np.testing.assert_allclose(rows, [unit(1, 2), [0, 0], unit(3, 3)], rtol=1e-6)


@pytest.mark.parametrize("weights", [None, np.array([1, 2, 1, 1], np.float32)])
def test_a_quantised_vocabulary_is_written_out(
    tmp_path: Path, weights: NDArray[np.float32] | None
) -> None:
    mapping = np.array([0, 1, 1, 2])
    arrays = {"embeddings": TABLE[:3], "mapping": mapping}
    model = write(tmp_path, arrays if weights is None else {**arrays, "weights": weights})
    factor = 1 if weights is None else 2
    np.testing.assert_array_equal(sums(model, "red green blue"), [1 + factor, 2])


def test_texts_are_cut_before_unknown_tokens_are_dropped(tmp_path: Path) -> None:
    model = write(tmp_path, {"embeddings": TABLE}, max_length=3)
    assert model.tokens(["x red blue green", "green"]).lengths.tolist() == [2, 1]
    whole = write(tmp_path, {"embeddings": TABLE}, max_length=None)
    assert whole.tokens(["x red blue green"]).lengths.tolist() == [3]


def test_a_table_of_another_vocabulary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="3 rows for 4 tokens"):
        write(tmp_path, {"embeddings": TABLE[:3]})


def test_the_packaged_tokenizer_has_the_tokens_that_are_not_counted() -> None:
    assert count_tokens(load_model(PACKAGED_FOLDER).tokenizer) == PACKAGED_TOKENS


def test_sums_of_many_small_integers_are_exact() -> None:
    packaged = load_model(PACKAGED_FOLDER)
    table = load_file(PACKAGED_FOLDER / "model.safetensors")["embeddings"]
    assert packaged.table.dtype == np.int8
    largest = int(np.abs(table).max(axis=1).argmax())
    token = packaged.tokenizer.id_to_token(largest).removeprefix("##")
    tokens = packaged.tokens([" ".join([token] * 400)])
    expected = table[tokens.values].astype(np.float64).mean(axis=0)
    np.testing.assert_allclose(
        packaged.vectors(tokens)[0], expected / np.linalg.norm(expected), rtol=1e-5
    )
