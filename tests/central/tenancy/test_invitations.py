"""Invitations: used once, by an account that exists or a new one, while their maker is an admin."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from central.errors import ConflictError, InvalidError, NotFoundError
from central.tenancy.models import AuditEntry, Invitation, Membership, Organization, Role
from central.tenancy.services.invitations import (
    INVITATION_DAYS,
    INVITATIONS_OPEN,
    accept_as_new_person,
    accept_invitation,
    create_invitation,
    find_invitation,
    open_invitations,
    revoke_invitation,
)
from central.tenancy.services.memberships import dismiss_member, remove_member
from tests.central.factories import InvitationFactory, MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> Membership:
    return MembershipFactory.create(
        organization__slug="acme", user__username="grace", role=Role.ADMIN
    )


def invite(admin: Membership, role: Role = Role.MEMBER, days: int = 7, name: str = "Bob") -> str:
    return create_invitation(
        organization=admin.organization,
        created_by=admin.user,
        role=role,
        name=name,
        expires_days=days,
    )


def test_it_makes_a_person_a_member_with_its_role(admin: Membership) -> None:
    bob = UserFactory.create(username="bob")
    found = find_invitation(invite(admin, Role.ADMIN))
    membership = accept_invitation(invitation_id=found.pk, user=bob)
    assert (membership.organization, membership.role) == (admin.organization, Role.ADMIN)
    found.refresh_from_db()
    assert found.accepted_by == bob


def test_it_makes_a_new_person(admin: Membership) -> None:
    found = find_invitation(invite(admin))
    user = accept_as_new_person(
        invitation_id=found.pk, username="bob", password="seven wonders of the sea"
    )
    assert user.check_password("seven wonders of the sea")
    assert (user.is_staff, user.is_superuser) == (False, False)
    assert Membership.objects.get(user=user).role == Role.MEMBER


def test_it_works_once(admin: Membership) -> None:
    code = invite(admin)
    found = find_invitation(code)
    accept_invitation(invitation_id=found.pk, user=UserFactory.create())
    with pytest.raises(NotFoundError):
        find_invitation(code)
    with pytest.raises(NotFoundError):
        accept_invitation(invitation_id=found.pk, user=UserFactory.create())
    with pytest.raises(NotFoundError):
        accept_as_new_person(
            invitation_id=found.pk, username="eve", password="seven wonders of the sea"
        )
    assert not User.objects.filter(username="eve").exists()


def _expire(admin: Membership, invitation: Invitation) -> None:
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


def _revoke(admin: Membership, invitation: Invitation) -> None:
    assert revoke_invitation(
        organization=admin.organization, invitation_id=invitation.pk, user=admin.user
    )


def _remove(admin: Membership, invitation: Invitation) -> None:
    remove_member(user=admin.user, organization=admin.organization, actor="command")


def _demote(admin: Membership, invitation: Invitation) -> None:
    Membership.objects.update(role=Role.MEMBER)


def _limit(admin: Membership, invitation: Invitation) -> None:
    Membership.objects.update(repositories=["shop"])


def _deactivate(admin: Membership, invitation: Invitation) -> None:
    User.objects.update(is_active=False)


def _end_superuser(admin: Membership, invitation: Invitation) -> None:
    User.objects.update(is_superuser=True)
    admin.delete()
    assert open_invitations().filter(pk=invitation.pk).exists()
    User.objects.update(is_superuser=False)


def _retire(admin: Membership, invitation: Invitation) -> None:
    Organization.all_objects.update(retired_at=timezone.now())


@pytest.mark.parametrize(
    "end",
    [_expire, _revoke, _remove, _demote, _limit, _deactivate, _end_superuser, _retire],
)
def test_it_is_over(admin: Membership, end: Callable[[Membership, Invitation], None]) -> None:
    code = invite(admin)
    found = find_invitation(code)
    end(admin, found)
    with pytest.raises(NotFoundError):
        find_invitation(code)
    with pytest.raises(NotFoundError):
        accept_invitation(invitation_id=found.pk, user=UserFactory.create())
    assert not open_invitations().exists()


def test_a_member_does_not_use_it_up(admin: Membership) -> None:
    found = find_invitation(invite(admin))
    with pytest.raises(ConflictError) as refused:
        accept_invitation(invitation_id=found.pk, user=admin.user)
    assert refused.value.code == "already_a_member"
    assert Membership.objects.get().role == Role.ADMIN  # it does not lower a role, either
    assert open_invitations().filter(pk=found.pk).exists()


def test_the_code_is_stored_nowhere(admin: Membership) -> None:
    code = invite(admin)
    find_invitation(code)
    stored = str([*Invitation.objects.values(), *AuditEntry.objects.values()])
    assert code not in stored
    assert code[:12] in stored


@pytest.mark.parametrize("days", [0, INVITATION_DAYS + 1])
def test_it_is_valid_for_some_days(admin: Membership, days: int) -> None:
    with pytest.raises(InvalidError):
        invite(admin, days=days)


def test_there_is_an_end_to_open_ones(admin: Membership) -> None:
    InvitationFactory.create_batch(
        INVITATIONS_OPEN, organization=admin.organization, created_by=admin.user
    )
    with pytest.raises(ConflictError) as refused:
        invite(admin)
    assert refused.value.code == "too_many_invitations"
    Invitation.objects.update(revoked_at=timezone.now())
    invite(admin)


def test_another_organisation_s_is_not_revoked(admin: Membership) -> None:
    other = InvitationFactory.create()
    with pytest.raises(NotFoundError):
        revoke_invitation(organization=admin.organization, invitation_id=other.pk, user=admin.user)
    other.refresh_from_db()
    assert other.revoked_at is None


def test_what_happens_is_audited(admin: Membership) -> None:
    used, revoked = find_invitation(invite(admin)), find_invitation(invite(admin, name=""))
    accept_invitation(invitation_id=used.pk, user=UserFactory.create(username="bob"))
    _revoke(admin, revoked)
    assert not revoke_invitation(
        organization=admin.organization, invitation_id=used.pk, user=admin.user
    )
    assert [
        (entry.actor, entry.action, entry.organization)
        for entry in AuditEntry.objects.order_by("pk")
    ] == [
        ("user grace", "invitation.created", "acme"),
        ("user grace", "invitation.created", "acme"),
        ("user bob", "invitation.accepted", "acme"),
        ("user bob", "membership.created", "acme"),
        ("user grace", "invitation.revoked", "acme"),
    ]


@pytest.mark.django_db(transaction=True)
def test_two_people_at_once_do_not_both_join(admin: Membership) -> None:
    found = find_invitation(invite(admin))
    people = [UserFactory.create(), UserFactory.create()]
    barrier = threading.Barrier(len(people))

    def accept(user: User) -> bool:
        try:
            barrier.wait(timeout=60)
            accept_invitation(invitation_id=found.pk, user=user)
        except NotFoundError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(len(people)) as pool:
        assert sorted(pool.map(accept, people)) == [False, True]
    assert Membership.objects.filter(user__in=people).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_last_admins_do_not_both_leave(admin: Membership) -> None:
    other = MembershipFactory.create(organization=admin.organization, role=Role.ADMIN)
    barrier = threading.Barrier(2)

    def leave(membership: Membership) -> bool:
        try:
            barrier.wait(timeout=60)
            dismiss_member(
                organization=admin.organization, member_id=membership.pk, actor="command"
            )
        except ConflictError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(leave, [admin, other])) == [False, True]
    assert Membership.objects.get().role == Role.ADMIN
