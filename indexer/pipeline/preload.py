"""Modules and the model that worker processes share: imported before they are forked."""

import indexer.pipeline.worker  # noqa: F401 (importing it is the point)
from indexer.embedding.builtin import load_packaged

load_packaged()
