"""People and their memberships, written and found."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from django.contrib.auth import get_user_model
from django.contrib.auth.password_validation import validate_password
from django.db import IntegrityError, transaction

from central.errors import ConflictError, NotFoundError, validating
from central.tenancy.audit import changed_fields, record
from central.tenancy.models import Membership, Organization, Role

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet


def create_person(
    *, username: str, password: str, actor: str, email: str = "", is_superuser: bool = False
) -> "User":
    """Create a user who may sign in. Raises InvalidError, ConflictError (`user_exists`)."""
    model = get_user_model()
    user = model(username=username, email=email, is_superuser=is_superuser, is_staff=is_superuser)
    with validating():
        user.clean_fields(exclude=["password"])
        validate_password(password, user)
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save(force_insert=True)
            record(
                actor=actor,
                action="user.created",
                target=username,
                detail={"email": email, "superuser": is_superuser},
            )
    except IntegrityError as exc:
        raise ConflictError(f"There is a user '{username}'.", code="user_exists") from exc
    return user


@transaction.atomic
def make_superuser(user: "User", *, actor: str) -> bool:
    """Give a person every organisation and the admin; False if nothing changes."""
    if user.is_superuser and user.is_staff:
        return False
    user.is_superuser = user.is_staff = True
    user.save(update_fields=["is_superuser", "is_staff"])
    record(
        actor=actor,
        action="user.changed",
        target=user.get_username(),
        detail={"superuser": {"before": False, "after": True}},
    )
    return True


@transaction.atomic
def set_password(user: "User", password: str, *, actor: str) -> None:
    """Set a person's password. Raises InvalidError for one that is easy to guess."""
    with validating():
        validate_password(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])
    record(actor=actor, action="user.password", target=user.get_username())


@transaction.atomic
def end_access(user: "User", *, actor: str) -> bool:
    """Refuse a person's sessions, tokens and sign-in from now on; False if they are already."""
    changes = changed_fields(user, {"is_active": False})
    if changes:
        record(actor=actor, action="user.changed", target=user.get_username(), detail=changes)
    return bool(changes)


@transaction.atomic
def limit_member(membership: Membership, *, actor: str, **limits: Collection[str] | None) -> None:
    """Set `repositories` or `visibilities`, which a member sees; None is all of them."""
    changes = changed_fields(
        membership, {name: values and sorted(set(values)) for name, values in limits.items()}
    )
    if changes:
        record(
            actor=actor,
            action="membership.changed",
            target=membership.user.get_username(),
            organization=membership.organization,
            detail=changes,
        )


@transaction.atomic
def add_member(
    *, user: "User", organization: Organization, actor: str, role: Role | None = None
) -> Membership:
    """Make a person a member, or change a member's role; `role` None keeps it.

    The limits on what a member sees stay.
    """
    membership, is_new = Membership.objects.select_for_update().get_or_create(
        user=user, organization=organization, defaults={"role": role or Role.MEMBER}
    )
    before = membership.role
    if is_new:
        action, detail = "membership.created", {"role": str(membership.role)}
    elif role is None or role == before:
        return membership
    else:
        membership.role = role
        membership.save(update_fields=["role"])
        action, detail = "membership.changed", {"before": before, "after": str(role)}
    record(
        actor=actor,
        action=action,
        target=user.get_username(),
        organization=organization,
        detail=detail,
    )
    return membership


@transaction.atomic
def remove_member(*, user: "User", organization: Organization, actor: str) -> None:
    """End a membership; the person's tokens are refused at once. Raises NotFoundError."""
    removed, _ = Membership.objects.filter(user=user, organization=organization).delete()
    if not removed:
        raise NotFoundError(
            f"{user.get_username()} is no member of {organization}.", code="not_a_member"
        )
    record(
        actor=actor,
        action="membership.deleted",
        target=user.get_username(),
        organization=organization,
    )


def find_member(*, organization: Organization, member_id: int) -> Membership:
    """Return a membership by its key. Raises NotFoundError (`not_a_member`)."""
    found = organization.memberships.select_related("user").filter(pk=member_id).first()
    if found is None:
        raise NotFoundError("There is no such member of the organisation.", code="not_a_member")
    return found


@transaction.atomic
def change_role(
    *, organization: Organization, member_id: int, role: Role, actor: str
) -> Membership:
    """Change a member's role. Raises NotFoundError, ConflictError (`last_admin`)."""
    membership = _locked_member(organization, member_id)
    if role != Role.ADMIN:
        _require_other_admin(membership)
    return add_member(user=membership.user, organization=organization, actor=actor, role=role)


@transaction.atomic
def dismiss_member(*, organization: Organization, member_id: int, actor: str) -> None:
    """End a membership, but never the last admin's. Raises NotFoundError, ConflictError."""
    membership = _locked_member(organization, member_id)
    _require_other_admin(membership)
    remove_member(user=membership.user, organization=organization, actor=actor)


def _locked_member(organization: Organization, member_id: int) -> Membership:
    """Return a member; two admins who leave at the same time wait for each other."""
    Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
    return find_member(organization=organization, member_id=member_id)


def _require_other_admin(membership: Membership) -> None:
    """Raise ConflictError if the organisation would have no administrator of all of it."""
    admins = admins_of(membership.organization)
    if admins.filter(pk=membership.pk).exists() and not admins.exclude(pk=membership.pk).exists():
        raise ConflictError(
            f"{membership.user.get_username()} is the last admin of {membership.organization}: "
            "make another member an admin first.",
            code="last_admin",
        )


def admins_of(organization: Organization) -> "QuerySet[Membership]":
    """Return the members who may administer the whole organisation."""
    return Membership.objects.filter(
        organization=organization,
        role=Role.ADMIN,
        repositories=None,
        visibilities=None,
        user__is_active=True,
    )


def user_named(username: str) -> "User":
    """Return the person with exactly that name. Raises NotFoundError."""
    user = get_user_model().objects.filter(username=username).first()
    if user is None:
        raise NotFoundError(
            f"There is no user '{username}'; make one with create_member.", code="user_not_found"
        )
    return user
