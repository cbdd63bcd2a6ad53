"""Invitations: codes that make people members of an organisation, once."""

import hashlib
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from central.errors import ConflictError, InvalidError, NotFoundError
from central.tenancy.audit import record, user_actor
from central.tenancy.models import Invitation, Membership, Organization, Role
from central.tenancy.services.memberships import add_member, create_person

if TYPE_CHECKING:
    from django.contrib.auth.models import User

INVITATIONS_OPEN: Final = 100  # of an organisation
INVITATION_DAYS: Final = 30  # that one is valid at most
CODE_PREFIX = "aei_"
_PREFIX_LENGTH = 12


def create_invitation(
    *, organization: Organization, created_by: "User", role: Role, name: str, expires_days: int
) -> str:
    """Create an invitation and return its code, which is not stored.

    `created_by` must be an admin of the organisation. Raises InvalidError, ConflictError
    (`too_many_invitations`).
    """
    if not 1 <= expires_days <= INVITATION_DAYS:
        raise InvalidError(f"An invitation is valid for 1 to {INVITATION_DAYS} days.")
    if not name.isprintable():
        raise InvalidError("Say who the invitation is for in plain characters.")
    code = CODE_PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
        if open_invitations().filter(organization=organization).count() >= INVITATIONS_OPEN:
            raise ConflictError(
                f"There are {INVITATIONS_OPEN} open invitations; revoke one that is not needed.",
                code="too_many_invitations",
            )
        invitation = Invitation.objects.create(
            organization=organization,
            role=role,
            name=name.strip(),
            prefix=code[:_PREFIX_LENGTH],
            digest=_digest(code),
            created_by=created_by,
            expires_at=timezone.now() + timedelta(days=expires_days),
        )
        _record(
            "invitation.created",
            invitation,
            created_by,
            {"role": str(role), "expires_at": invitation.expires_at.isoformat(timespec="seconds")},
        )
    return code


def open_invitations() -> QuerySet[Invitation]:
    """Return those that can be accepted: not over, and made by who is still an admin."""
    admins = Membership.objects.filter(
        organization=OuterRef("organization"),
        user=OuterRef("created_by"),
        role=Role.ADMIN,
        repositories=None,
        visibilities=None,
    )
    return Invitation.objects.filter(
        Q(created_by__is_superuser=True) | Exists(admins),
        created_by__is_active=True,
        organization__retired_at=None,
        accepted_at=None,
        revoked_at=None,
        expires_at__gt=timezone.now(),
    ).select_related("organization", "created_by")


def find_invitation(code: str) -> Invitation:
    """Return the open invitation with that code. Raises NotFoundError (`invitation_not_found`)."""
    found = open_invitations().filter(digest=_digest(code.strip())).first()
    if found is None:
        raise _not_found()
    return found


def open_invitation(invitation_id: object) -> Invitation:
    """Return an open invitation by its key. Raises NotFoundError (`invitation_not_found`)."""
    found = (
        open_invitations().filter(pk=invitation_id).first()
        if isinstance(invitation_id, int)
        else None
    )
    if found is None:
        raise _not_found()
    return found


@transaction.atomic
def accept_invitation(*, invitation_id: int, user: "User") -> Membership:
    """Use the invitation up: make the person a member, with its role.

    Raises NotFoundError (`invitation_not_found`), ConflictError (`already_a_member`): then it stays
    open.
    """
    Invitation.objects.select_for_update().filter(pk=invitation_id).first()  # one after the other
    invitation = open_invitation(invitation_id)
    organization = invitation.organization
    if Membership.objects.filter(user=user, organization=organization).exists():
        raise ConflictError(
            f"{user.get_username()} is a member of {organization} already; the invitation is still "
            "open for another person.",
            code="already_a_member",
        )
    invitation.accepted_at, invitation.accepted_by = timezone.now(), user
    invitation.save(update_fields=["accepted_at", "accepted_by"])
    _record("invitation.accepted", invitation, user)
    return add_member(
        user=user,
        organization=organization,
        actor=user_actor(user),
        role=Role(invitation.role),
    )


@transaction.atomic
def accept_as_new_person(*, invitation_id: int, username: str, password: str) -> "User":
    """Create the person and make it a member. Raises as `create_person`, `accept_invitation`."""
    invitation = open_invitation(invitation_id)
    user = create_person(
        username=username, password=password, actor=f"invitation {invitation.label}"
    )
    accept_invitation(invitation_id=invitation.pk, user=user)
    return user


@transaction.atomic
def revoke_invitation(*, organization: Organization, invitation_id: int, user: "User") -> bool:
    """End an invitation that was not accepted; False if it is over already.

    Raises NotFoundError (`invitation_not_found`).
    """
    invitation = (
        Invitation.objects.select_for_update()
        .filter(pk=invitation_id, organization=organization)
        .first()
    )
    if invitation is None:
        raise _not_found()
    if invitation.accepted_at or invitation.revoked_at:
        return False
    invitation.revoked_at = timezone.now()
    invitation.save(update_fields=["revoked_at"])
    _record("invitation.revoked", invitation, user)
    return True


def _digest(code: str) -> bytes:
    """Return what is stored of a code. 256 random bits need neither salt nor slow hashing."""
    return hashlib.sha256(code.encode(errors="replace")).digest()


def _not_found() -> NotFoundError:
    return NotFoundError(
        "This invitation cannot be used: it was used already, was revoked or has expired. Ask who "
        "sent it for a new one.",
        code="invitation_not_found",
    )


def _record(
    action: str, invitation: Invitation, user: "User", detail: dict[str, str] | None = None
) -> None:
    record(
        actor=user_actor(user),
        action=action,
        target=invitation.label,
        organization=invitation.organization,
        detail={"id": invitation.pk, **(detail or {})},
    )
