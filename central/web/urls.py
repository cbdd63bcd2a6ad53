"""Every page. An organisation's stand below /o/<slug>/, so that a link says whose it is."""

from django.urls import URLPattern, URLResolver

app_name = "web"
urlpatterns: list[URLPattern | URLResolver] = []
