"""Statements as Django's connections send them: each with where it comes from and its time."""

import pickle
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from psycopg import ClientCursor
from psycopg.client_cursor import ClientCursorMixin

_SOURCES = ("/central/", "/indexer/")
_WAYS = ("/central/db.py", "/central/http/asgi.py")
_KEPT = 3  # of one statement: the first, and each that takes longer than all before


class Sent(NamedTuple):
    """A statement as it was sent. `is_prepared`: one plan may be for all parameters.

    `text` is the same with the values in it, where Django wrote them there; else `parameters` has
    them.
    """

    sql: str
    text: str
    parameters: tuple[Any, ...]
    is_prepared: bool
    origin: str
    seconds: float


class Recorder:
    """Keeps of each statement the parameters with which it took the longest."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab")
        self._lock = threading.Lock()
        self._longest: dict[str, tuple[int, float]] = {}

    def attach(self, *, connection: Any, **_: Any) -> None:
        """Receiver of `connection_created`."""
        if self not in connection.execute_wrappers:
            connection.execute_wrappers.append(self)

    def __call__(
        self,
        execute: Callable[..., Any],
        sql: str,
        parameters: Any,
        many: bool,
        context: dict[str, Any],
    ) -> Any:
        """Send the statement on and write it down."""
        started = time.perf_counter()
        answer = execute(sql, parameters, many, context)
        self._note(sql, parameters, context, time.perf_counter() - started)
        return answer

    def _note(self, sql: Any, parameters: Any, context: dict[str, Any], seconds: float) -> None:
        text = sql if isinstance(sql, str) else repr(sql)
        with self._lock:
            kept, longest = self._longest.get(text, (0, -1.0))
            if seconds <= longest or kept >= 100 * _KEPT:
                return
            self._longest[text] = (kept + 1, seconds)
            cursor = context["cursor"].cursor
            is_bound = isinstance(cursor, ClientCursorMixin)  # by the client: Django's way
            sent = Sent(
                text,
                ClientCursor(cursor.connection).mogrify(sql, parameters) if is_bound else text,
                () if is_bound else tuple(parameters or ()),
                type(cursor).__name__ == "_PreparedCursor",
                _origin(),
                seconds,
            )
            pickle.dump(sent, self._file)
            self._file.flush()


def read_statements(path: Path) -> list[list[Sent]]:
    """For each statement the slowest times that it was sent."""
    by_text: dict[str, list[Sent]] = {}
    with path.open("rb") as file:
        while True:
            try:
                sent = pickle.load(file)  # noqa: S301 - our own
            except EOFError:
                break
            by_text.setdefault(sent.sql, []).append(sent)
    return [sorted(several, key=lambda sent: -sent.seconds)[:_KEPT] for several in by_text.values()]


def _origin() -> str:
    """The innermost line of ours that is not the way statements go."""
    for frame in reversed(traceback.extract_stack()):
        path = frame.filename
        is_ours = any(source in path for source in _SOURCES) and "site-packages" not in path
        if is_ours and not path.endswith(_WAYS):
            return f"{'/'.join(Path(path).parts[-3:])}:{frame.lineno} {frame.name}"
    return "Django"
