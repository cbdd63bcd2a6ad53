"""Routes below `/api/v1/map`."""

from django.urls import path

from central.codemap.views import MapView

urlpatterns = [
    path("map", MapView.as_view(), name="code-map"),
]
