"""The addresses of the settings, below an organisation's, and those of who is invited."""

from typing import Final

from django.urls import URLPattern, path

from central.web.organization import (
    views_acceptance,
    views_alerts,
    views_backfills,
    views_invitations,
    views_keyless,
    views_members,
    views_overview,
    views_repositories,
    views_tokens,
)

_OF: Final = "o/<slug:organization>/settings"
urlpatterns: list[URLPattern] = [
    path("invitation", views_acceptance.invitation, name="invitation"),
    path("invitation/accept", views_acceptance.accept, name="accept-invitation"),
    path("invitation/account", views_acceptance.new_account, name="new-account"),
    path(_OF, views_overview.overview, name="settings-overview"),
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
    path(f"{_OF}/repositories", views_repositories.repositories, name="settings-repositories"),
    path(
        f"{_OF}/repositories/<str:project>",
        views_repositories.repository,
        name="settings-repository",
    ),
    path(
        f"{_OF}/repositories/<str:project>/remove",
        views_repositories.remove,
        name="settings-repository-remove",
    ),
    path(f"{_OF}/backfills", views_backfills.backfills, name="settings-backfills"),
    path(f"{_OF}/backfills/<uuid:backfill_id>", views_backfills.backfill, name="settings-backfill"),
    path(
        f"{_OF}/backfills/<uuid:backfill_id>/cancel",
        views_backfills.cancel,
        name="settings-backfill-cancel",
    ),
    path(f"{_OF}/keyless", views_keyless.keyless, name="settings-keyless"),
    path(f"{_OF}/keyless/remove", views_keyless.remove, name="settings-keyless-remove"),
    path(f"{_OF}/alerts", views_alerts.alerts, name="settings-alerts"),
    path(f"{_OF}/alerts/remove", views_alerts.remove, name="settings-alerts-remove"),
]
