"""Routes at the product's own paths, some of which answer only when a test lets them go."""

import threading

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

from central import urls

LET_GO = threading.Event()
_started = threading.Lock()
STARTED: list[str] = []  # paths


def block(request: HttpRequest) -> HttpResponse:
    """Take a thread until LET_GO."""
    with _started:
        STARTED.append(request.path)
    LET_GO.wait(60)
    return HttpResponse("answered late")


def answer(request: HttpRequest) -> JsonResponse:
    """Answer at once."""
    return JsonResponse({"path": request.path})


urlpatterns = [
    path("api/v1/search", block),
    path("api/v1/search/stream", answer),
    path("api/v1/trace/callers", block),
    path("api/v1/index/status", answer),
    path("api/v1/index/updated", answer),
    path("o/acme/", answer),
    path("livez", answer),
    path("readyz", answer),
    *urls.urlpatterns,  # pages link to them
]
