"""What the error that ended an apply says: that a disk is full, or that something is away."""

import errno

from django.db import InterfaceError, OperationalError

from indexer.errors import StoreError, StoreFullError

_DISK_FULL = "53100"  # SQLSTATE
_PROGRAM_LIMITS = "54"  # SQLSTATE class: a row too large for its index, and the like


def is_full(exc: Exception) -> bool:
    """Whether a disk is full: that does not pass by itself, and a run that waits takes space."""
    sqlstate = getattr(exc.__cause__, "sqlstate", None)
    is_no_space = isinstance(exc, OSError) and exc.errno == errno.ENOSPC
    return isinstance(exc, StoreFullError) or sqlstate == _DISK_FULL or is_no_space


def is_outage(exc: Exception) -> bool:
    """Whether what failed is away, rather than refusing what it was asked for."""
    if isinstance(exc, StoreError):
        return exc.retryable
    sqlstate = getattr(exc.__cause__, "sqlstate", None) or ""
    return isinstance(exc, OperationalError | InterfaceError) and not sqlstate.startswith(
        _PROGRAM_LIMITS
    )
