"""A child's module that does on purpose what hostile input makes a library do.

A request that holds one of the words below gets it done; any other one gets its real answer.
"""

import json
import os
import time
from importlib import import_module
from typing import Any

from central.limited_process import CHILD_MEMORY_BYTES

NAME = __name__
SPIN, SLEEP, ALLOCATE, ABORT, FLOOD = (
    f"stand-in:{what}" for what in ("spin", "sleep", "allocate", "abort", "flood")
)
ENVIRONMENT = "stand-in:environment"
_REAL = {
    "text": "central.search.exact.child",
    "structure": "central.search.exact.child",
    "syntax": "central.search.exact.child",
    "match": "central.knowledge.matching",
    "mentions": "central.knowledge.matching",
    "validate": "central.knowledge.matching",
}


def answer(request: Any) -> Any:
    """Obey, or answer as the module whose request it is."""
    text = json.dumps(request)
    while SPIN in text:
        pass
    if SLEEP in text:
        time.sleep(3600)
    if ALLOCATE in text:
        return len(bytearray(2 * CHILD_MEMORY_BYTES))
    if ABORT in text:  # as native code does that gets no memory
        os.abort()
    if FLOOD in text:
        return "x" * 2_000_000
    if ENVIRONMENT in text:
        return dict(os.environ)
    return import_module(_REAL.get(request[0], "central.web.colouring_child")).answer(request)
