"""Receipts of answers about an organisation as one."""

import time
from collections.abc import Sequence

from central.codemap.answers import MapReceipt
from central.codemap.currency import Beside
from central.repositories.visibility import answering_projects, listed_missing
from central.trace.receipts import missing_projects
from central.trace.request_scope import TraceScope
from central.trace.resolve.engine import limits_met


def map_receipt(scope: TraceScope, beside: Beside, cut: Sequence[str] = ()) -> MapReceipt:
    """Build the receipt."""
    missing = missing_projects(scope)
    listed, more = listed_missing(missing)
    met = [*cut, *limits_met(scope.resolver)]
    return MapReceipt(
        complete=not (missing or beside.left_out or met),
        took_ms=round((time.perf_counter() - scope.started) * 1000, 1),
        projects=answering_projects(scope.repositories.values()),
        missing=listed,
        missing_more=more,
        files_left_out=beside.left_out,
        cut=met,
    )
