"""Repositories in the admin: tracked branch, visibility, pause."""

from django.contrib import admin
from django.http import HttpRequest

from central.repositories.models import Repository


@admin.register(Repository)
class RepositoryAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Only what people decide can be changed; the rest is what runs have found."""

    list_display = ["name", "organization", "tracked_ref", "indexed_at", "trouble", "paused"]
    list_filter = ["organization", "trouble", "paused"]
    search_fields = ["name"]
    _decided = ["web_url", "tracked_ref", "visibility", "paused"]

    def get_readonly_fields(self, request: HttpRequest, obj: Repository | None = None) -> list[str]:
        """Everything but what people decide."""
        del request, obj
        names = [field.name for field in Repository._meta.fields]
        return [name for name in names if name not in self._decided]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A repository is created by its first run."""
        del request
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Repository | None = None) -> bool:
        """Its points would stay in the vector store."""
        del request, obj
        return False
