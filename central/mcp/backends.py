"""Who answers the tools: the services here, or the sidecar that CODESEARCH_SIDECAR_URL names."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from django.conf import settings

from agents.backend import Backend
from central.common.threads import RequestThreads
from central.mcp.services import ServicesBackend


@asynccontextmanager
async def backend(threads: RequestThreads) -> AsyncIterator[Backend]:
    """The backend for the life of the process; it asks as the caller of each request."""
    if not settings.CODESEARCH_SIDECAR_URL:
        yield ServicesBackend(threads)
        return
    from central.mcp.proxy import sidecar_backend

    async with sidecar_backend(
        settings.CODESEARCH_SIDECAR_URL, timeout_seconds=settings.CODESEARCH_SIDECAR_SECONDS
    ) as through_sidecar:
        yield through_sidecar
