"""The tools' backend in front of a sidecar: shapes both ways, the caller's token passed on.

The knowledge graph is central's own and no sidecar has it: its tools ask the services here.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from aeterna_code_search.agents.backend import ToolError
from aeterna_code_search.agents.sidecar.answers import (
    AnswerModel,
    CalleesAnswer,
    CallersAnswer,
    GraphAnswer,
    SearchAnswer,
    StatusAnswer,
)
from aeterna_code_search.agents.sidecar.mapping import (
    api_graph,
    api_links,
    api_search,
    api_status,
    sidecar_arguments,
)
from central.errors import NotFoundError
from central.http.asgi import RequestThreads
from central.mcp.auth import caller, current_token
from central.mcp.service_backend import ServicesBackend
from central.mcp.sidecar.client import Answer, Sidecar

_Parameters = Mapping[str, Any]


class SidecarBackend(ServicesBackend):
    """What is asked of files and of the knowledge graph, the services answer."""

    def __init__(self, sidecar: Sidecar, threads: RequestThreads) -> None:
        super().__init__(threads)
        self._sidecar = sidecar

    async def search(self, body: _Parameters) -> Answer:
        """`codesearch_search`."""
        texts = body.get("queries") or [body.get("query", "")]
        read = partial(api_search, query=" | ".join(map(str, texts)))
        return await self._ask("search", body, read, SearchAnswer)

    async def trace(self, what: str, parameters: _Parameters) -> Answer:
        """`codesearch_trace_callers`, `_callees` or `_graph`; positions are of the services."""
        if what not in _TRACES:
            return await super().trace(what, parameters)
        read, model = _TRACES[what]
        read = partial(read, symbol=str(parameters.get("symbol", "")))
        return await self._ask(f"trace_{what}", parameters, read, model)

    async def status(self, parameters: _Parameters) -> Answer:
        """`codesearch_index_status`."""
        return await self._ask("index_status", parameters, api_status, StatusAnswer)

    async def _ask(
        self, tool: str, asked: _Parameters, read: Callable[[Any], Answer], model: type[AnswerModel]
    ) -> Answer:
        def checked(answer: Any) -> Answer:
            return model.model_validate(read(answer)).model_dump(exclude_unset=True)

        token, organization = _caller(asked.get("org_id"))
        arguments = sidecar_arguments({**asked, "org_id": organization})
        return await self._sidecar.call(f"codesearch_{tool}", arguments, token=token, read=checked)


_TRACES: Final[Mapping[str, tuple[Callable[..., Answer], type[AnswerModel]]]] = {
    "callers": (partial(api_links, what="callers"), CallersAnswer),
    "callees": (partial(api_links, what="callees"), CalleesAnswer),
    "graph": (api_graph, GraphAnswer),
}


@asynccontextmanager
async def sidecar_backend(
    url: str, *, timeout_seconds: float, threads: RequestThreads
) -> AsyncIterator[SidecarBackend]:
    """The backend for the sidecar at `url`, whose connections end with it."""
    sidecar = Sidecar(url, timeout_seconds=timeout_seconds)
    try:
        yield SidecarBackend(sidecar, threads)
    finally:
        await sidecar.close()


def _caller(org_id: object) -> tuple[str, str]:
    """Return the caller's token and organisation; refuses another organisation.

    Raises ToolError.
    """
    if org_id is not None:
        try:
            caller().require_organization(str(org_id))
        except NotFoundError as exc:
            raise ToolError(exc.message, code=exc.code, status=HTTPStatus.NOT_FOUND) from exc
    return current_token(), caller().organization.slug
