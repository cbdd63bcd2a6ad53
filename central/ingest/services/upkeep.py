"""Upkeep of the vector store: what it puts off until somebody has minutes for it."""

import structlog
from django.db import connection

from central.corpus.vectors import vector_store
from indexer.errors import StoreError

_LOCK = 0x61657465726E61  # of PostgreSQL, for all processes of the service: "aeterna"

_log = structlog.get_logger(__name__)


def maintain_store() -> None:
    """Do what is due, beside searches and applies; what fails is logged, and due again.

    One process at a time: the others leave it to that one. Not in a transaction.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
        if not cursor.fetchone()[0]:
            return
        try:
            vector_store().maintain()
        except StoreError as exc:
            _log.warning("upkeep_failed", error=str(exc))
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])
