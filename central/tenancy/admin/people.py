"""People and groups in the admin. Only a superuser says who else may do what in it."""

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
    """Those who may sign in. Memberships, not this, say of which organisations they are."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ["username", "email", "is_active", "is_staff", "is_superuser", "last_login"]
    list_filter = ["is_active", "is_staff", "is_superuser", "groups"]

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        """Whoever may edit people must not be able to make themselves more than that."""
        del obj
        stamps = ["last_login", "date_joined"]
        return stamps if _is_superuser(request) else [*stamps, *_RIGHTS]

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Another's password is the other's rights in the admin."""
        return not _is_above(request, obj) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """As for changing."""
        return not _is_above(request, obj) and super().has_delete_permission(request, obj)

    def user_change_password(
        self, request: HttpRequest, id: str, form_url: str = ""
    ) -> HttpResponse:
        """A page of its own in Django, which says nothing of it to `save_related`."""
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
    """Rights in the admin that several people have."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """They are rights."""
        return _is_superuser(request) and super().has_change_permission(request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """As for changing."""
        return _is_superuser(request) and super().has_add_permission(request)


def _is_above(request: HttpRequest, person: User | None) -> bool:
    """Whether it is for superusers to change them: who has rights here, other than oneself."""
    if person is None or _is_superuser(request):
        return False
    return person.is_superuser or (person.is_staff and person.pk != request.user.pk)


def _is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_superuser)
