"""The API's schema, at a public address. It is the same for everybody and is made once."""

from functools import cache

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request


class SchemaView(SpectacularAPIView):
    """The schema in the format that is asked for."""

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        """Answer with the schema of the whole API."""
        renderer = request.accepted_renderer
        charset = f"; charset={renderer.charset}" if renderer.charset else ""
        name = f"{settings.SPECTACULAR_SETTINGS['TITLE']}.{renderer.format}"
        return HttpResponse(
            _document(renderer.media_type),
            content_type=f"{renderer.media_type}{charset}",
            headers={"Content-Disposition": f'inline; filename="{name}"'},
        )


@cache
def _document(media_type: str) -> str | bytes:
    """Return the rendered schema. To make one takes a tenth of a second of the processor."""
    (renderer,) = (
        renderer_class()
        for renderer_class in SchemaView.renderer_classes
        if renderer_class.media_type == media_type
    )
    return renderer.render(SchemaGenerator().get_schema(public=True))  # type: ignore[no-untyped-call]
