"""A pytest plugin: which function each call reaches, as seen while the tests run.

It needs the standard library alone. CALLS_BELOW names the directory whose calls are kept,
CALLS_FILE where they are written: rows of [file, line, column, file, qualified name], the first
three of where the call expression ends (column in bytes), the others of what was reached.
"""

import json
import os
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

BELOW = os.environ["CALLS_BELOW"] + os.sep
CONSTRUCTOR = "__init__"
seen: dict[tuple[int, int, int], tuple[CodeType, int, CodeType, type | None]] = {}


def record(frame: FrameType, event: str, _argument: Any) -> None:
    """Keep what a call reaches, once for each place."""
    caller = frame.f_back
    if event != "call" or caller is None:
        return
    key = (id(caller.f_code), caller.f_lasti, id(frame.f_code))
    if key not in seen and caller.f_code.co_filename.startswith(BELOW):
        code = frame.f_code
        made = None
        if code.co_name == CONSTRUCTOR and code.co_varnames:
            made = type(frame.f_locals.get(code.co_varnames[0]))
        seen[key] = (caller.f_code, caller.f_lasti, code, made)  # the codes are kept, so ids stay


def pytest_configure() -> None:
    """Begin before any test module is imported."""
    threading.setprofile(record)
    sys.setprofile(record)


def pytest_unconfigure() -> None:
    """Write what was seen."""
    sys.setprofile(None)
    rows = set()
    for caller, instruction, code, made in seen.values():
        _, line, _, column = list(caller.co_positions())[instruction // 2]
        if line is None or column is None:
            continue
        file, name = code.co_filename, code.co_qualname
        if made is not None:
            file = getattr(sys.modules.get(made.__module__), "__file__", None) or file
            name = made.__qualname__
        rows.add((caller.co_filename, line, column, file, name.replace(".<locals>", "")))
    Path(os.environ["CALLS_FILE"]).write_text(json.dumps(sorted(rows)), encoding="utf-8")
