"""Static files of the admin and of the API's page, from the packages that bring them."""

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc] # it has no types
    """WhiteNoise with whole responses: a stream over a file would be read by the event loop."""

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        """The file, a part of it, or 304."""
        answer = static_file.get_response(request.method, request.META)
        content = b""
        if answer.file is not None:
            with answer.file as file:
                content = file.read()
        return HttpResponse(content, status=int(answer.status), headers=dict(answer.headers))
