"""WSGI entry point, for servers that do not speak ASGI. It has no /mcp: that needs ASGI."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")  # noqa: TID251
django.setup(set_prefix=False)

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.http.response import HttpResponseBase  # noqa: E402

from central.admission import admitted_bytes  # noqa: E402
from central.common.errors import ServiceError  # noqa: E402
from central.common.problems import response_to  # noqa: E402
from central.common.receiving import check_declared  # noqa: E402


class LimitedHandler(WSGIHandler):
    """Refuses a body that is too large, or a stranger's, before it is read.

    Django reads as much as Content-Length says and no more, so the header is all there is to ask.
    """

    def get_response(self, request: WSGIRequest) -> HttpResponseBase:  # type: ignore[override]
        """The response, or the refusal as a problem document."""
        try:
            limit = admitted_bytes(request.path_info, request.headers.get("Authorization"))
            declared = request.META.get("CONTENT_LENGTH") or ""
            check_declared({b"content-length": declared.encode("latin-1")}, limit)
        except ServiceError as exc:
            return response_to(request, exc) or HttpResponse(status=500)
        return super().get_response(request)


application = LimitedHandler()
