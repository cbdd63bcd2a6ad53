"""Registration with Django."""

from django.apps import AppConfig


class SavedSearchesConfig(AppConfig):
    """The `saved_searches` app; see central.extensions."""

    name = "central.saved_searches"
    default_auto_field = "django.db.models.BigAutoField"
    deletions = ("central.saved_searches.retention.DELETIONS",)
    exports = ("central.saved_searches.retention.export_members",)
