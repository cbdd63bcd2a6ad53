"""JSON lines on standard output, each with the id of the request that caused it."""

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_request_id: ContextVar[str] = ContextVar("request_id", default="-")
_SECRET_WORDS = ("password", "token", "secret", "card_number", "cvc")


class JsonFormatter(logging.Formatter):
    """Writes a record as one JSON object and blanks the values of extras that look secret."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": self.formatTime(record),
            "level": record.levelname.lower(),
            "service": self._service,
            "request_id": _request_id.get(),
            "message": record.getMessage(),
            **redact(getattr(record, "fields", {})),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def redact(fields: dict[str, object]) -> dict[str, object]:
    """Replace values whose key looks like a secret, so that they never reach the log store."""
    return {
        key: "[redacted]" if any(word in key.lower() for word in _SECRET_WORDS) else value
        for key, value in fields.items()
    }


def configure_logging(service: str, level: str = "INFO") -> None:
    """Set up the root logger. Call it once, first thing in `main`."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonFormatter(service))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)


@contextmanager
def request_scope(request_id: str) -> Iterator[None]:
    """Everything logged inside carries this request id, across awaits and threads started with the context."""
    reset = _request_id.set(request_id)
    try:
        yield
    finally:
        _request_id.reset(reset)
