"""The addresses of the settings, below an organisation's, and those of who is invited."""

from typing import Final

from django.urls import URLPattern, path

from central.web.organization import (
    views_acceptance,
    views_invitations,
    views_members,
    views_tokens,
)

_OF: Final = "o/<slug:organization>/settings"
urlpatterns: list[URLPattern] = [
    path("invitation", views_acceptance.invitation, name="invitation"),
    path("invitation/accept", views_acceptance.accept, name="accept-invitation"),
    path("invitation/account", views_acceptance.new_account, name="new-account"),
    path(f"{_OF}/members", views_members.members, name="settings-members"),
    path(f"{_OF}/members/<int:member_id>", views_members.member, name="settings-member"),
    path(
        f"{_OF}/members/<int:member_id>/remove",
        views_members.remove_member,
        name="settings-member-remove",
    ),
    path(f"{_OF}/invitations", views_invitations.invitations, name="settings-invitations"),
    path(
        f"{_OF}/invitations/<int:invitation_id>/revoke",
        views_invitations.revoke,
        name="settings-invitation-revoke",
    ),
    path(f"{_OF}/tokens", views_tokens.tokens, name="settings-tokens"),
    path(f"{_OF}/tokens/<int:token_id>/revoke", views_tokens.revoke, name="settings-token-revoke"),
]
