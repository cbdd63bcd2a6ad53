import pytest
from django.test import Client

from central.tenancy.models import Membership, Role
from tests.central.factories import MembershipFactory
from tests.central.protocol import Api


@pytest.fixture
def grace(client: Client) -> Membership:
    """An admin of acme, signed in."""
    membership = MembershipFactory.create(
        organization__slug="acme", user__username="grace", role=Role.ADMIN
    )
    client.force_login(membership.user)
    return membership


@pytest.fixture
def member(client: Client, api: Api) -> Client:
    """Somebody of acme who sees everything."""
    client.force_login(MembershipFactory.create(organization=api.organization).user)
    return client
