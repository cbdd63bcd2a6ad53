"""What a task's message takes along from whoever sends it: the request's id, and its trace."""

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, Final

import structlog
from celery.app.task import Context
from celery.signals import before_task_publish, setup_logging, task_postrun, task_prerun

from central.common.collector import bind_trace_id, carried, continued
from central.common.logs import bind_request_id, bound_request_id

_HEADER: Final = "aeterna"

# Of the task that this process, or this thread of it, is doing.
_open: dict[str, ExitStack] = {}


@setup_logging.connect
def keep_logging(**_: object) -> None:
    """A worker logs as every process does, AETERNA_LOG_LEVEL and all: this is why it is asked."""


@before_task_publish.connect
def put_in(headers: dict[str, Any], **_: object) -> None:
    """Put it in."""
    headers[_HEADER] = {"request_id": bound_request_id(), **carried()}


@task_prerun.connect
def take_out(task_id: str, task: Any, **_: object) -> None:
    """Give the lines of the task the id of the request that caused it, or one of their own."""
    sent = _sent(task.request)
    bind_request_id(sent.get("request_id", ""))
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id)
    stack = _open[task_id] = ExitStack()
    stack.enter_context(continued(sent))
    bind_trace_id()


@task_postrun.connect
def leave(task_id: str, **_: object) -> None:
    """The next task is another's."""
    if stack := _open.pop(task_id, None):
        stack.close()
    structlog.contextvars.clear_contextvars()


def _sent(request: Context) -> Mapping[str, str]:
    sent = request.get(_HEADER) or (request.headers or {}).get(_HEADER)
    return sent if isinstance(sent, dict) else {}
