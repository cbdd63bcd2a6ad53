"""Repositories in the admin: tracked branch, visibility, pause, and purging."""

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse

from central.repositories.models import Repository
from central.repositories.services import retire_repository
from central.tenancy.models import Organization


@admin.register(Repository)
class RepositoryAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Only what people decide can be changed; the rest is what runs have found."""

    list_display = ["name", "organization", "tracked_ref", "indexed_at", "trouble", "paused"]
    list_filter = [
        "organization",
        "trouble",
        "paused",
        ("retired_at", admin.EmptyFieldListFilter),
    ]
    list_select_related = ["organization"]
    search_fields = ["name"]
    actions = ["purge"]
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
        """Its points would stay in the vector store: it is purged instead."""
        del request, obj
        return False

    def has_purge_permission(self, request: HttpRequest) -> bool:
        """Whoever may delete repositories, as Django names that right."""
        return request.user.has_perm("repositories.delete_repository")

    @admin.action(description="Purge selected repositories", permissions=["purge"])
    def purge(
        self, request: HttpRequest, queryset: QuerySet[Repository]
    ) -> TemplateResponse | None:
        """Retire the repositories once that is confirmed; the sweeper deletes what they hold."""
        if not request.POST.get("post"):
            return TemplateResponse(
                request,
                "admin/repositories/repository/purge_confirmation.html",
                {
                    **self.admin_site.each_context(request),
                    "title": "Purge repositories",
                    "opts": self.opts,
                    "queryset": queryset,
                    "action_checkbox_name": ACTION_CHECKBOX_NAME,
                },
            )
        chosen = list(queryset.order_by("organization", "pk"))
        for repository in chosen:
            _retire(repository)
            self.log_change(request, repository, "Purged.")
        self.message_user(request, f"{len(chosen)} repositories are gone.", messages.SUCCESS)
        return None


@transaction.atomic
def _retire(repository: Repository) -> None:
    Organization.objects.select_for_update(no_key=True).get(pk=repository.organization_id)
    retire_repository(repository)
