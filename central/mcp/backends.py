"""Who answers the tools: the services here, or the sidecar that CODESEARCH_SIDECAR_URL names.

The knowledge graph is always asked of the services here.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from django.conf import settings

from agents.backend import GraphBackend
from central.common.threads import RequestThreads
from central.mcp.services import ServicesBackend


@asynccontextmanager
async def backend(threads: RequestThreads) -> AsyncIterator[GraphBackend]:
    """The backend for the life of the process; it asks as the caller of each request."""
    services = ServicesBackend(threads)
    if not settings.CODESEARCH_SIDECAR_URL:
        yield services
        return
    from central.mcp.proxy import sidecar_backend

    async with sidecar_backend(
        settings.CODESEARCH_SIDECAR_URL,
        timeout_seconds=settings.CODESEARCH_SIDECAR_SECONDS,
        services=services,
    ) as through_sidecar:
        yield through_sidecar
