"""Upkeep of the vector store: what it puts off until somebody has minutes for it."""

import structlog

from central.corpus.vectors import vector_store
from indexer.errors import StoreError

_log = structlog.get_logger(__name__)


def maintain_store() -> None:
    """Do what is due, beside searches and applies; what fails is logged, and due again."""
    try:
        vector_store().maintain()
    except StoreError as exc:
        _log.warning("upkeep_failed", error=str(exc))
