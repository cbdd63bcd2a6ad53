"""Routes below `/api/v1/map`."""

from django.urls import path

from central.codemap.views import ConsumersView, MapView, MostCalledView, UnusedView

urlpatterns = [
    path("map", MapView.as_view(), name="code-map"),
    path("map/consumers", ConsumersView.as_view(), name="code-consumers"),
    path("map/most-called", MostCalledView.as_view(), name="code-most-called"),
    path("map/unused", UnusedView.as_view(), name="code-unused"),
]
