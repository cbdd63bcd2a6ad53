"""Imported by the process that workers are forked from: what takes long and is the same for all."""

import indexer.pipeline.worker  # noqa: F401 (importing it is the point)
from indexer.embedding.builtin import load_model

load_model()
