"""The members of an organisation: their roles, and their end."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from central.tenancy.credentials import Credential
from central.tenancy.models import Membership, Role
from central.tenancy.services.memberships import (
    admins_of,
    change_role,
    dismiss_member,
    find_member,
)
from central.web.access import admin_page
from central.web.organization.forms import RoleForm
from central.web.organization.pages import actor_of, confirmation, page_of, settings_page


@admin_page
@require_safe
def members(request: HttpRequest, credential: Credential) -> HttpResponse:
    """List the members by name."""
    found = credential.organization.memberships.select_related("user").order_by("user__username")
    return settings_page(request, "members", members=page_of(request, found))


@admin_page
def member(request: HttpRequest, credential: Credential, member_id: int) -> HttpResponse:
    """Show a member and change its role."""
    organization = credential.organization
    membership = find_member(organization=organization, member_id=member_id)
    form = RoleForm(request.POST or None, initial={"role": membership.role})
    if request.method == "POST" and form.is_valid():
        changed = change_role(
            organization=organization,
            member_id=member_id,
            role=Role(form.cleaned_data["role"]),
            actor=actor_of(request),
        )
        name = membership.user.get_username()
        messages.success(request, f"{name} is {_role_words(changed)} of {organization} now.")
        if membership.user_id == request.user.pk and changed.role != Role.ADMIN:
            return redirect("web:search", organization=organization.slug)
        return redirect("web:settings-members", organization=organization.slug)
    return settings_page(
        request,
        "member",
        page="members",
        membership=membership,
        form=form,
        tokens=_tokens(membership),
        is_last_admin=_is_last_admin(membership),
    )


@admin_page
def remove_member(request: HttpRequest, credential: Credential, member_id: int) -> HttpResponse:
    """Ask, then end the membership. Raises ConflictError for the last admin."""
    organization = credential.organization
    membership = find_member(organization=organization, member_id=member_id)
    name, is_self = membership.user.get_username(), membership.user_id == request.user.pk
    members_page = reverse("web:settings-members", args=[organization.slug])

    def act() -> str:
        dismiss_member(organization=organization, member_id=member_id, actor=actor_of(request))
        return f"{name} is no longer a member of {organization}."

    return confirmation(
        request,
        act,
        page="members",
        title=f"Leave {organization}?" if is_self else f"Remove {name} from {organization}?",
        effects=[
            f"{name} loses access at once{_with(_tokens(membership))}.",
            f"Open invitations that {name} made cannot be used any more.",
            "Tokens of the organisation stay. Revoke those that this person knows.",
            f"The account of {name} stays; a new invitation makes it a member again.",
        ],
        button=f"Leave {organization}" if is_self else f"Remove {name}",
        back=reverse("web:settings-member", args=[organization.slug, member_id]),
        then=reverse("web:home") if is_self else members_page,
    )


def _role_words(membership: Membership) -> str:
    return "an admin" if membership.role == Role.ADMIN else "a member"


def _with(tokens: int) -> str:
    """Return what ends as well; "" without personal tokens."""
    if not tokens:
        return ""
    return f", also by {tokens} personal token{'' if tokens == 1 else 's'}"


def _tokens(membership: Membership) -> int:
    """Count the person's tokens of the organisation that are valid."""
    tokens = membership.user.api_tokens.filter(organization=membership.organization)
    return tokens.filter(revoked_at=None, expires_at__gt=timezone.now()).count()


def _is_last_admin(membership: Membership) -> bool:
    return [membership.pk for membership in admins_of(membership.organization)[:2]] == [
        membership.pk
    ]
