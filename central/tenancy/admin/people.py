"""People and groups in the admin. Only a superuser grants permissions in it."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth import admin as auth_admin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from central.tenancy.admin_base import AuditedAdmin

_RIGHTS = ["is_staff", "is_superuser", "groups", "user_permissions"]


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
