"""Who answers the tools: the services here, or the sidecar that CODESEARCH_SIDECAR_URL names."""

from django.conf import settings

from agents.backend import Backend
from central.common.threads import RequestThreads
from central.mcp.services import ServicesBackend


def backend(threads: RequestThreads) -> Backend:
    """The backend for the life of the process; it asks as the caller of each request."""
    if settings.CODESEARCH_SIDECAR_URL:
        from central.mcp.proxy import sidecar_backend

        return sidecar_backend(settings.CODESEARCH_SIDECAR_URL)
    return ServicesBackend(threads)
