"""Tokens in the admin: created, shown once, revoked."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from central.tenancy.admin.forms import ScopesForm
from central.tenancy.admin_base import AuditedAdmin
from central.tenancy.audit import user_actor
from central.tenancy.models import ApiToken
from central.tenancy.services.tokens import issue_token, revoke_token


class LifetimeFilter(admin.SimpleListFilter):
    """A filter by origin; by default it hides the many short-lived tokens of jobs."""

    title = "made"
    parameter_name = "made"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("job", "for a job, of its id token"), ("all", "either way")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        first, *others = super().choices(changelist)
        yield {**first, "display": "by a person"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> QuerySet[ApiToken]:
        if self.value() == "all":
            return queryset
        return queryset.filter(is_short_lived=self.value() == "job")


@admin.register(ApiToken)
class ApiTokenAdmin(AuditedAdmin):
    noun = "token"
    form = ScopesForm
    list_display = [
        *("prefix", "name", "organization", "owner", "scopes"),
        *("expires_at", "revoked_at", "last_used_at"),
    ]
    list_filter = [LifetimeFilter, "organization", ("revoked_at", admin.EmptyFieldListFilter)]
    list_select_related = ["organization", "owner"]
    search_fields = ["prefix", "name", "owner__username"]
    actions = ["revoke"]
    autocomplete_fields = ["organization"]
    _decided = ["name", "scopes", "repositories", "visibilities", "expires_at"]
    _found = ["owner", "created_at", "revoked_at", "last_used_at"]
    _bound = ["bound_repository_id", "bound_project", "bound_ref", "bound_commit"]

    def target_of(self, obj: ApiToken) -> str:
        """Return the label, as the services record it."""
        return obj.label

    def get_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> list[str]:
        """Return the editable fields; those of a present token include its history."""
        if obj is None:
            return ["organization", *self._decided]
        return ["organization", *self._decided, *self._found, *self._bound]

    def get_readonly_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> list[str]:
        """Fix the organisation, and what a job's token is bound to, after creation."""
        if obj is None:
            return []
        fixed = ["organization", *self._found, *self._bound]
        return [*fixed, "visibilities"] if obj.is_short_lived else fixed

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        """Issue a new token, kept only on the object, for the answer."""
        if change:
            super().save_model(request, obj, form, change)
        else:
            obj.shown_once = issue_token(obj)  # type: ignore[attr-defined]

    def response_add(
        self, request: HttpRequest, obj: ApiToken, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the token once, in an answer that is not cached."""
        del post_url_continue
        answer = TemplateResponse(
            request,
            "admin/tenancy/apitoken/shown_once.html",
            {
                **self.admin_site.each_context(request),
                "title": "The token, shown this once",
                "opts": self.opts,
                "token": obj,
            },
        )
        answer.headers["Cache-Control"] = "no-store"
        return answer

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Require the permission to change tokens."""
        return bool(self.has_change_permission(request))

    @admin.action(description="Revoke selected tokens", permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        """Revoke tokens; they are refused from the next request on."""
        actor = user_actor(request.user)  # type: ignore[arg-type] # always a signed-in user
        chosen = list(queryset.select_related("organization"))
        done = [token for token in chosen if revoke_token(token, actor=actor)]
        for token in done:
            self.log_change(request, token, "Revoked.")
        self.message_user(request, f"{len(done):,} tokens are revoked.", messages.SUCCESS)
