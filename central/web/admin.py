"""Keeps django-allauth's tables out of the admin: what is changed there leaves no audit row."""

from django.apps import apps
from django.contrib import admin

for label in ("account", "socialaccount"):
    if apps.is_installed(f"allauth.{label}"):
        for model in apps.get_app_config(label).get_models():
            if admin.site.is_registered(model):
                admin.site.unregister(model)
