"""Repositories in the admin: their state, and administrators' actions."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet, URLField
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.timesince import timesince
from django.utils.translation import ngettext
from unfold.decorators import display

from central.repositories import admin_actions
from central.repositories.models import Repository
from central.repositories.states import LIVE_RUN_STATES, IndexState, RunState, with_states
from central.tenancy.admin_base import AuditedAdmin
from central.tenancy.audit import user_actor

RETIRED = "purging"
NOTHING_TO_DO = "nothing to do"  # how a run is shown that had nothing to do
_LABELS: Final[dict[str, str]] = {  # of states of indexes and of runs, by their name
    **dict.fromkeys((IndexState.CURRENT, RunState.APPLIED, NOTHING_TO_DO), "success"),
    **dict.fromkeys((IndexState.INDEXING, *LIVE_RUN_STATES), "info"),
    **dict.fromkeys((IndexState.BEHIND, IndexState.NEVER), "warning"),
    **dict.fromkeys((RunState.STALE, RunState.EXPIRED), "warning"),
    IndexState.FAILED: "danger",
    **dict.fromkeys((IndexState.PAUSED, RETIRED, RunState.ABANDONED), "default"),
}
state_label: Callable[..., Callable[[Any], Any]] = partial(display, label=_LABELS)
_SHOWN_ERROR = 120
_REINDEX = (
    "Re-index requested for {of}: the next merge to each has every file processed. To start it "
    "now, run the repository's workflow by hand (on GitHub: Actions, Code index, Run workflow)."
)


class StateFilter(admin.SimpleListFilter):
    """A filter by the state of the index."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return every state, and that of retired repositories."""
        del request, model_admin
        return [*((state.value, state.value) for state in IndexState), (RETIRED, RETIRED)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the repositories in the state."""
        del request
        if (state := self.value()) is None:
            return queryset
        if state == RETIRED:
            return queryset.filter(retired_at__isnull=False)
        return queryset.filter(retired_at=None, index_state=state)


class RequestedFilter(admin.EmptyFieldListFilter):
    """A filter by whether a re-index is requested."""

    def choices(self, changelist: Any) -> Any:
        """Name the choices."""
        for choice, name in zip(super().choices(changelist), ("All", "No", "Yes"), strict=True):
            yield {**choice, "display": name}


@admin.register(Repository)
class RepositoryAdmin(AuditedAdmin):
    """Repositories. Only administrators' decisions can be edited, not what runs have written."""

    list_display = [
        "name",
        "organization",
        "state",
        "commit",
        "age",
        "chunks",
        "reindex",
        "last_error",
    ]
    list_filter = [StateFilter, ("reindex_requested_at", RequestedFilter), "organization"]
    list_select_related = ["organization"]
    search_fields = ["name"]
    actions = ["reindex_selected", "pause", "resume", "purge"]
    _decided = ["web_url", "tracked_ref", "visibility", "paused"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add the state of each in the same query."""
        return with_states(super().get_queryset(request))

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Complete an address without a scheme with https."""
        if isinstance(db_field, URLField):
            kwargs["assume_scheme"] = "https"
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def target_of(self, obj: Repository) -> str:
        """Return the name, as the services record it."""
        return obj.name

    def get_readonly_fields(self, request: HttpRequest, obj: Repository | None = None) -> list[str]:
        """Return every field that is no administrator's decision."""
        del request, obj
        names = [field.name for field in Repository._meta.fields]
        return [name for name in names if name not in self._decided]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse it: a repository is created by its first run."""
        del request
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Repository | None = None) -> bool:
        """Refuse it: points would stay in the vector store. Purging removes them."""
        del request, obj
        return False

    def has_purge_permission(self, request: HttpRequest) -> bool:
        """Require Django's permission to delete repositories."""
        return request.user.has_perm("repositories.delete_repository")

    def view_on_site(self, obj: Repository) -> str | None:
        """Return the address of its page, which a retired repository does not have."""
        if obj.retired_at:
            return None
        return reverse("web:repository", args=[obj.organization.slug, obj.name])

    @state_label(description="state", ordering="index_state")
    def state(self, repository: Any) -> str:
        """Return the state for a badge."""
        return RETIRED if repository.retired_at else repository.index_state

    @admin.display(description="commit", ordering="last_indexed_commit")
    def commit(self, repository: Repository) -> str:
        """Return the indexed commit, shortened."""
        return repository.last_indexed_commit[:10] or "-"

    @admin.display(description="indexed", ordering="indexed_at")
    def age(self, repository: Repository) -> str:
        """Return how long ago it was indexed."""
        return _ago(repository.indexed_at)

    @admin.display(description="re-index requested", ordering="reindex_requested_at")
    def reindex(self, repository: Repository) -> str:
        """Return how long ago a re-index was requested."""
        return _ago(repository.reindex_requested_at)

    @admin.display(description="last error")
    def last_error(self, repository: Repository) -> str:
        """Return the beginning of the problem."""
        return Truncator(repository.trouble_detail).chars(_SHOWN_ERROR)

    @admin.action(description="Re-index selected repositories", permissions=["change"])
    def reindex_selected(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        """Request a re-index; the next merge or a manual run starts it."""
        done = self._order(request, queryset, admin_actions.request_reindex, "Re-index requested.")
        self.message_user(request, _REINDEX.format(of=_repositories(done)), messages.SUCCESS)

    @admin.action(description="Pause indexing of selected repositories", permissions=["change"])
    def pause(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        """Pause indexing; the present index stays searchable."""
        done = self._order(request, queryset, admin_actions.pause, "Paused.")
        self.message_user(
            request, f"Indexing of {_repositories(done)} is paused now.", messages.SUCCESS
        )

    @admin.action(description="Resume indexing of selected repositories", permissions=["change"])
    def resume(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        """Resume indexing with the next merge."""
        done = self._order(request, queryset, admin_actions.resume, "Resumed.")
        self.message_user(request, f"Indexing of {_repositories(done)} goes on.", messages.SUCCESS)

    @admin.action(description="Purge selected repositories", permissions=["purge"])
    def purge(
        self, request: HttpRequest, queryset: QuerySet[Repository]
    ) -> TemplateResponse | None:
        """Retire the repositories after confirmation; the worker deletes their data."""
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
        done = self._order(request, queryset, admin_actions.purge, "Purged.")
        message = f"{_repositories(done)} cannot be seen any more; what is left is being deleted."
        self.message_user(request, message, messages.SUCCESS)
        return None

    def _order(
        self,
        request: HttpRequest,
        queryset: QuerySet[Repository],
        order: Callable[..., bool],
        message: str,
    ) -> int:
        """Run an action on each repository and return how many it changed."""
        actor = user_actor(request.user)  # type: ignore[arg-type] # always a signed-in user
        chosen = list(queryset.select_related("organization").order_by("organization", "pk"))
        done = [repository for repository in chosen if order(repository, actor=actor)]
        for repository in done:
            self.log_change(request, repository, message)
        return len(done)


def _repositories(number: int) -> str:
    return f"{number:,} {ngettext('repository', 'repositories', number)}"


def _ago(at: datetime | None) -> str:
    return f"{timesince(at, depth=1)} ago" if at else "-"
