"""The tools' backend inside central: the services behind the API, asked in the request threads.

Parsing, answers and errors are the API's own, so that the two cannot differ.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import structlog
from rest_framework.renderers import JSONRenderer

from aeterna_code_search.agents.backend import ToolError
from aeterna_code_search.agents.results import names_in
from central.codemap.consumers import consumers
from central.codemap.map import code_map
from central.codemap.requests import (
    ConsumersRequestSerializer,
    MapRequestSerializer,
    UnusedRequestSerializer,
)
from central.codemap.unused import unused
from central.db import statement_timeout
from central.files.content import read_lines
from central.files.history import read_history
from central.files.listing import list_files
from central.files.requests import (
    ContentRequestSerializer,
    HistoryRequestSerializer,
    ListRequestSerializer,
)
from central.http.asgi import RequestThreads
from central.http.lanes import Lane
from central.http.parameters import to_json
from central.http.problems import problem_for
from central.http.requests import RequestSerializer
from central.http.turns import in_lane
from central.knowledge.serializers import (
    ContextSerializer,
    LinkSerializer,
    ProjectQuestionSerializer,
    RelatedSerializer,
    TraverseSerializer,
    UnmigratedSerializer,
)
from central.knowledge.services.code_questions import unmigrated, violations
from central.knowledge.services.context import context
from central.knowledge.services.links import link
from central.knowledge.services.questions import edge_view, traverse
from central.knowledge.services.related import related
from central.mcp.auth import caller
from central.repositories.status import index_status
from central.repositories.views import StatusRequestSerializer
from central.search.service import search
from central.search.views import SearchRequestSerializer
from central.tenancy.credentials import Credential
from central.trace.graph import graph
from central.trace.position import definition_at
from central.trace.requests import (
    CalleesRequestSerializer,
    CallersRequestSerializer,
    GraphRequestSerializer,
    PositionSerializer,
    ReferencesRequestSerializer,
)
from central.trace.service import callees, callers, references

AGENT_ANSWER_SECONDS: Final = 30.0
STATEMENT_SECONDS = AGENT_ANSWER_SECONDS + 5  # statements end with the answer

_Parameters = Mapping[str, Any]
_Answers = Callable[[Credential, _Parameters], Any]

_STATUS = StatusRequestSerializer()
_LINK = LinkSerializer()

_log = structlog.get_logger(__name__)


class ServicesBackend:
    """`agents.backend.ServiceBackend` for the caller of the request that is being answered."""

    def __init__(self, threads: RequestThreads) -> None:
        self._threads = threads

    async def search(self, body: _Parameters) -> dict[str, Any]:
        """`POST /api/v1/search`."""
        with in_lane(Lane.SEARCHES):
            return await self._answer(_search, body)

    async def trace(self, what: str, parameters: _Parameters) -> dict[str, Any]:
        """`GET /api/v1/trace/{what}`: callers, callees, graph, definition or references."""
        with in_lane(Lane.TRACES):
            return await self._answer(_TRACES[what], parameters)

    async def status(self, parameters: _Parameters) -> dict[str, Any]:
        """`GET /api/v1/index/status`."""
        return await self._answer(_status, parameters)

    async def list_files(self, parameters: _Parameters) -> dict[str, Any]:
        """`GET /api/v1/files`."""
        return await self._answer(_list_files, parameters)

    async def read_file(self, parameters: _Parameters) -> dict[str, Any]:
        """`GET /api/v1/files/content`."""
        return await self._answer(_read_file, parameters)

    async def history(self, parameters: _Parameters) -> dict[str, Any]:
        """`GET /api/v1/files/history`."""
        return await self._answer(_history, parameters)

    async def graph(self, what: str, parameters: _Parameters) -> dict[str, Any]:
        """`GET /api/v1/graph/{what}`: traverse, violations, unmigrated, related or context."""
        with in_lane(Lane.TRACES):
            return await self._answer(_QUESTIONS[what], parameters)

    async def map(self, what: str, parameters: _Parameters) -> dict[str, Any]:
        """`/api/v1/{what}`: map, or what is below it."""
        with in_lane(Lane.TRACES):
            return await self._answer(_MAPS[what], parameters)

    async def graph_link(self, body: _Parameters) -> dict[str, Any]:
        """`POST /api/v1/graph/links`."""
        with in_lane(Lane.TRACES):
            return await self._answer(_link, body)

    async def _answer(self, answers: _Answers, parameters: _Parameters) -> dict[str, Any]:
        """The API's document. Raises ToolError for whatever goes wrong.

        Who is cancelled waits no longer; the thread is free when the query has ended.
        """
        asked = partial(_document, answers, caller(), parameters)
        try:
            async with asyncio.timeout(AGENT_ANSWER_SECONDS):
                return await self._threads.query(asked)
        except TimeoutError as exc:
            raise ToolError(
                f"There was no answer within {AGENT_ANSWER_SECONDS:.0f} s. Ask for less (one "
                "project, a smaller depth or limit), or try again shortly.",
                code="timed_out",
                status=504,
            ) from exc
        except Exception as exc:
            raise _refusal(exc) from exc


def _document(answers: _Answers, credential: Credential, given: _Parameters) -> dict[str, Any]:
    """What the API would answer, as JSON's types."""
    parameters = {name: value for name, value in given.items() if value is not None}
    org_id = parameters.setdefault("org_id", credential.organization.slug)
    if isinstance(org_id, str):  # else the serializer refuses it
        credential.require_organization(org_id)
    with statement_timeout(STATEMENT_SECONDS):
        answered = to_json(answers(credential, parameters))
    answer: dict[str, Any] = json.loads(JSONRenderer().render(answered))
    return answer


def _reading(
    asked: type[RequestSerializer], answers: Callable[..., Any], name: str = "request"
) -> _Answers:
    """Return what reads a request and answers it, which takes it as `name`."""
    serializer = asked()
    return lambda who, given: answers(credential=who, **{name: serializer.read(given)})


_search: Final = _reading(SearchRequestSerializer, search)


def _status(who: Credential, query: _Parameters) -> Any:
    return index_status(credential=who, request=_STATUS.read(query))


_list_files: Final = _reading(ListRequestSerializer, list_files)
_read_file: Final = _reading(ContentRequestSerializer, read_lines)
_history: Final = _reading(HistoryRequestSerializer, read_history)


def _link(who: Credential, body: _Parameters) -> Any:
    edge, _ = link(credential=who, asked=_LINK.read(body))
    return edge_view(edge)


_TRACES: Final[Mapping[str, _Answers]] = {
    "callers": _reading(CallersRequestSerializer, callers),
    "callees": _reading(CalleesRequestSerializer, callees),
    "graph": _reading(GraphRequestSerializer, graph),
    "definition": _reading(PositionSerializer, definition_at, "position"),
    "references": _reading(ReferencesRequestSerializer, references),
}
_MAPS: Final[Mapping[str, _Answers]] = {
    "map": _reading(MapRequestSerializer, code_map),
    "map/consumers": _reading(ConsumersRequestSerializer, consumers),
    "map/unused": _reading(UnusedRequestSerializer, unused),
}
_QUESTIONS: Final[Mapping[str, _Answers]] = {
    "traverse": _reading(TraverseSerializer, traverse, "asked"),
    "violations": _reading(ProjectQuestionSerializer, violations),
    "unmigrated": _reading(UnmigratedSerializer, unmigrated),
    "related": _reading(RelatedSerializer, related),
    "context": _reading(ContextSerializer, context),
}


def _refusal(exc: Exception) -> ToolError:
    """Return the error of a tool; for an unexpected one it only refers to the log."""
    found = problem_for(exc)
    if found is None:
        _log.error("tool_failed", exc_info=exc)
        request_id = structlog.contextvars.get_contextvars().get("request_id", "")
        return ToolError(
            f"This service failed. The log has the details under the request id {request_id}.",
            code="internal_error",
            status=500,
        )
    near = names_in(found.extra.get("near"))
    return ToolError(found.detail, code=found.code, status=found.status, near=near)
