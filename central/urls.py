"""Every route, versioned: the map of the API."""

from django.urls import URLPattern, URLResolver, path

from central.search.views import SearchView

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/search", SearchView.as_view(), name="search"),
]
