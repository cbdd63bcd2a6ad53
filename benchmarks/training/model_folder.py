"""A static model's folder, in the packaged format: read, tokenized with, written."""

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from benchmarks.training.tokens import Texts
from indexer.embedding.static_model import PACKAGED_FOLDER, StaticModel, load_model
from indexer.records.vectors import Matrix

PACKAGED = PACKAGED_FOLDER
_BATCH = 1024
_LEVELS = 127


@dataclass(frozen=True)
class Folder:
    """A model as it was read. `table` is float32 with rows of mean length 1."""

    path: Path
    config: dict[str, Any]
    model: StaticModel
    table: Matrix


def read_folder(path: Path) -> Folder:
    """The model in `path`."""
    config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    model = load_model(path)
    return Folder(path, config, model, scaled(model.table.astype(np.float32)))


def scaled(table: Matrix) -> Matrix:
    """With rows of mean length 1, those of zeros left out: the same cosines."""
    lengths = np.linalg.norm(table, axis=1)
    return table / np.float32(lengths[lengths > 0].mean())


def tokenize(folder: Folder, texts: Sequence[str]) -> Texts:
    """The texts' tokens, cut and chosen as the embedder does."""
    parts: list[NDArray[np.uint16]] = []
    for batch in _batches(texts):
        tokens = folder.model.tokens(batch)
        parts += np.split(tokens.values.astype(np.uint16), tokens.lengths.cumsum()[:-1])
    return Texts.joined(parts)


def write_folder(source: Folder, table: Matrix, target: Path, readme: str) -> None:
    """Write `table` as int8 of one scale, with the tokenizer and the configuration of `source`."""
    target.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "tokenizer.json", "modules.json"):
        shutil.copyfile(source.path / name, target / name)
    (target / "model.safetensors").write_bytes(save({"embeddings": quantized(table)}))
    (target / "README.md").write_text(readme, encoding="utf-8")


def quantized(table: Matrix) -> NDArray[np.int8]:
    """int8 of one scale; the packaged model's scale cuts the longest values too."""
    scale = _LEVELS / float(np.quantile(np.abs(table), 0.99999))
    levels: NDArray[np.int8] = np.clip(np.rint(table * scale), -_LEVELS, _LEVELS).astype(np.int8)
    return levels


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    left = iter(texts)
    while batch := list(islice(left, _BATCH)):
        yield batch
