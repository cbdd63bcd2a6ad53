"""Routes below `/api/v1/map`."""

from django.urls import path

from central.codemap.views import MapView, UnusedView

urlpatterns = [
    path("map", MapView.as_view(), name="code-map"),
    path("map/unused", UnusedView.as_view(), name="code-unused"),
]
