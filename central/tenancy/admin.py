"""Organisations, tokens and the audit log in the admin, read-only; people and groups.

Only a superuser grants permissions in the admin.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth import admin as auth_admin
from django.contrib.auth import get_permission_codename
from django.contrib.auth.models import Group, User
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.admin import TabularInline
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from central.tenancy.admin_base import BoundedAdmin, ReadOnly, ReadOnlyAdmin, when
from central.tenancy.audit import form_changes, form_values, record, user_actor
from central.tenancy.models import ApiToken, AuditEntry, Membership, Organization


class MembershipInline(ReadOnly, TabularInline):  # type: ignore[misc] # unfold has no types
    model = Membership
    fields = ["user", "role", "repositories", "visibilities"]
    per_page = 20
    hide_title = True


@admin.register(Organization)
class OrganizationAdmin(ReadOnlyAdmin):
    """Organisations, which are the tenants."""

    paginator = Paginator
    list_display = ["slug", "github_owner_id", "embedder", "direct_uploads", "created_at"]
    search_fields = ["slug"]
    fields = [
        *("slug", "github_owner_id", "embedder", "direct_uploads", "author_policy"),
        *("branches", "branches_most"),
    ]
    inlines = [MembershipInline]


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    paginator = Paginator
    list_display = ["user", "organization", "role", "sees", "created_at"]
    list_filter = ["role", "organization"]
    list_select_related = ["user", "organization"]
    search_fields = ["user__username", "user__email", "organization__slug"]
    fields = ["user", "organization", "role", "repositories", "visibilities"]

    @admin.display(description="sees")
    def sees(self, membership: Membership) -> str:
        limits: list[Any] = [membership.visibilities, membership.repositories]
        if [] in limits:
            return "nothing"
        return "; ".join(", ".join(limit) for limit in limits if limit) or "everything"


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
class ApiTokenAdmin(ReadOnlyAdmin):
    paginator = Paginator
    list_display = [
        *("prefix", "name", "organization", "owner", "scopes"),
        *("expires_at", "revoked_at", "last_used_at"),
    ]
    list_filter = [LifetimeFilter, "organization", ("revoked_at", admin.EmptyFieldListFilter)]
    list_select_related = ["organization", "owner"]
    search_fields = ["prefix", "name", "owner__username"]
    fields = [
        *("organization", "name", "scopes", "repositories", "visibilities", "expires_at"),
        *("owner", "created_at", "revoked_at", "last_used_at"),
        *("bound_repository_id", "bound_project", "bound_ref", "bound_commit"),
    ]


_NONE = "-"  # no slug: what is of no organisation


class ActionFilter(admin.SimpleListFilter):
    """A filter by the noun of the action; a list of all actions would read the whole log."""

    title = "of"
    parameter_name = "of"
    nouns = (
        *("organization", "membership", "invitation", "user", "group", "token"),
        *("repository", "backfill", "github_policy", "vectors", "backup"),
    )

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(noun, noun.replace("_", " ")) for noun in self.nouns]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> Any:
        noun = self.value()
        return queryset.filter(action__startswith=f"{noun}.") if noun else queryset


class SlugFilter(admin.SimpleListFilter):
    """A filter by present organisation; the search finds entries of former ones."""

    title = "organization"
    parameter_name = "organization"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        slugs = Organization.objects.values_list("slug", flat=True)
        return [(_NONE, "none"), *((slug, slug) for slug in slugs)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> Any:
        if (slug := self.value()) is None:
            return queryset
        return queryset.filter(organization="" if slug == _NONE else slug)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ["at", "actor", "action", "organization", "target", "changes"]
    list_filter = [when("at"), ActionFilter, SlugFilter]
    search_fields = ["actor", "action", "organization", "target", "request_id"]
    search_help_text = "Actor, action, organisation, what was changed, or the request's id"
    fields = ["at", "actor", "action", "organization", "target", "values", "request_id"]
    readonly_fields = ["values"]

    @admin.display(description="changes")
    def changes(self, entry: AuditEntry) -> str:
        return ", ".join(entry.detail)

    @admin.display(description="detail")
    def values(self, entry: AuditEntry) -> SafeString:
        return format_html("<pre>{}</pre>", json.dumps(entry.detail, indent=2, ensure_ascii=False))


_RIGHTS = ["is_staff", "is_superuser", "groups", "user_permissions"]


class AuditedAdmin(BoundedAdmin):
    """An admin that writes the audit log in the transaction of the change."""

    def audit(
        self, request: HttpRequest, obj: Any, verb: str, detail: Mapping[str, Any] | None = None
    ) -> None:
        """Write one entry: `verb` in the past ("changed"), `detail` without secrets."""
        record(
            actor=user_actor(request.user),  # type: ignore[arg-type] # always a signed-in user
            action=f"{self.opts.model_name}.{verb}",
            target=str(obj),
            detail=detail,
        )

    def save_related(
        self, request: HttpRequest, form: "ModelForm[Any]", formsets: Any, change: bool
    ) -> None:
        """Audit an add or change, as the last step of both."""
        super().save_related(request, form, formsets, change)
        if not change:
            self.audit(request, form.instance, "created", form_values(form))
        elif changes := form_changes(form):
            self.audit(request, form.instance, "changed", changes)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete it, and record the rows that were deleted with it."""
        _, gone = obj.delete()
        self.audit(request, obj, "deleted", {"rows": gone})

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Delete one by one, each with its entry."""
        for obj in queryset:
            self.delete_model(request, obj)

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> HttpResponseBase | None:
        """Run an action on all chosen rows, with their entries, or on none."""
        with transaction.atomic():
            answer: HttpResponseBase | None = super().response_action(request, queryset)
        return answer


@admin.register(User)
class UserAdmin(auth_admin.UserAdmin, AuditedAdmin):  # type: ignore[type-arg]
    """People who may sign in. Memberships decide their organisations."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ["username", "email", "is_active", "is_staff", "is_superuser", "last_login"]
    list_filter = ["is_active", "is_staff", "is_superuser", "groups"]

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        """Fix permissions, so that staff who edit people cannot extend their own."""
        stamps = ["last_login", "date_joined"]
        return stamps if _is_superuser(request) else [*stamps, *_RIGHTS]

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse people above: their password gives their permissions in the admin."""
        return not _is_above(request, obj) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse people above, as for changing."""
        return not _is_above(request, obj) and super().has_delete_permission(request, obj)

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[Any, Any], set[Any], list[Any]]:
        """Let what the admin only shows go with its person, where Django permits to delete it."""
        gone, counts, names, protected = super().get_deleted_objects(objs, request)
        kept = {
            model._meta.verbose_name
            for model in self.admin_site._registry
            if not request.user.has_perm(
                f"{model._meta.app_label}.{get_permission_codename('delete', model._meta)}"
            )
        }
        return gone, counts, names & kept, protected

    def user_change_password(
        self, request: HttpRequest, id: str, form_url: str = ""
    ) -> HttpResponse:
        """Audit a change of password, whose page does not call `save_related`."""
        person = self.get_object(request, unquote(id))  # None: Django answers 404
        people = User.objects.filter(pk=person.pk) if person else User.objects.none()
        with transaction.atomic():
            before = people.values_list("password", flat=True).first()
            answer: HttpResponse = super().user_change_password(request, id, form_url)
            if (user := people.exclude(password=before or "").first()) is not None:
                self.audit(request, user, "password")
        return answer


@admin.register(Group)
class GroupAdmin(auth_admin.GroupAdmin, AuditedAdmin):
    """Permissions in the admin that several people share."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Require a superuser, because groups are permissions."""
        return _is_superuser(request) and super().has_change_permission(request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Require a superuser, as for changing."""
        return _is_superuser(request) and super().has_add_permission(request)


def _is_above(request: HttpRequest, person: User | None) -> bool:
    """Return whether only a superuser may change the person: staff other than oneself."""
    if person is None or _is_superuser(request):
        return False
    return person.is_superuser or (person.is_staff and person.pk != request.user.pk)


def _is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_superuser)
