"""The pages. An app, though it owns no table: Django finds templates and static files in apps."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "central.web"
