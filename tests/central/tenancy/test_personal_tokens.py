"""Tokens of people: never more than their owner may do and see at the time."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from central.errors import NotFoundError, UnauthenticatedError
from central.repositories.models import Repository, Visibility
from central.repositories.visibility import visible_repositories
from central.tenancy.credentials import Credential, credential_of_member
from central.tenancy.models import ApiToken, Membership, Role, Scope
from central.tenancy.tokens import credential_of, credential_of_token, new_token
from tests.central.factories import (
    ApiTokenFactory,
    MembershipFactory,
    OrganizationFactory,
    RepositoryFactory,
    UserFactory,
)
from tests.property_settings import examples

NAMES = ["shop", "till", "web"]


def sight(credential: Credential) -> set[str]:
    return set(visible_repositories(credential=credential).values_list("name", flat=True))


def personal(membership: Membership, **fields: Any) -> tuple[str, ApiToken]:
    token = new_token()
    stored = ApiTokenFactory.create(
        organization=membership.organization, owner=membership.user, token=token, **fields
    )
    return token, stored


def restrictions(values: list[str]) -> st.SearchStrategy[list[str] | None]:
    return st.none() | st.lists(st.sampled_from(values), unique=True)


class TestNeverMoreThanTheOwner(TestCase):
    """Over all restrictions of both."""

    @examples(40)
    @given(
        role=st.none() | st.sampled_from(Role.values),
        is_active=st.booleans(),
        is_superuser=st.booleans(),
        scopes=st.lists(st.sampled_from(Scope.values), unique=True, min_size=1),
        limits=st.tuples(*[restrictions(NAMES), restrictions(Visibility.values)] * 2),
    )
    def test_in_scopes_and_in_sight(
        self,
        role: str | None,
        is_active: bool,
        is_superuser: bool,
        scopes: list[str],
        limits: tuple[Any, Any, Any, Any],
    ) -> None:
        user = UserFactory.create(is_active=is_active, is_superuser=is_superuser)
        organization = OrganizationFactory.create()
        for name, visibility in zip(NAMES, Visibility.values, strict=True):
            RepositoryFactory.create(organization=organization, name=name, visibility=visibility)
        if role is not None:
            MembershipFactory.create(
                user=user,
                organization=organization,
                role=role,
                repositories=limits[0],
                visibilities=limits[1],
            )
        token = new_token()
        stored = ApiTokenFactory.create(
            organization=organization,
            owner=user,
            token=token,
            scopes=scopes,
            repositories=limits[2],
            visibilities=limits[3],
        )
        try:
            owner = credential_of_member(user=user, slug=organization.slug)
        except NotFoundError:
            with pytest.raises(UnauthenticatedError) as refused:
                credential_of(token)
            assert refused.value.code == "token_owner_gone"
            assert sight(credential_of_token(stored)) == set()
            assert credential_of_token(stored).scopes == frozenset()
            return
        ApiToken.objects.filter(pk=stored.pk).update(owner=None)
        unowned = credential_of(token)
        ApiToken.objects.filter(pk=stored.pk).update(owner=user)
        cut = credential_of(token)
        assert cut.scopes == unowned.scopes & owner.scopes
        assert sight(cut) == sight(unowned) & sight(owner)
        assert credential_of_token(stored) == cut


@pytest.mark.django_db
def test_what_the_owner_loses_the_token_loses_at_its_next_use() -> None:
    membership = MembershipFactory.create(role=Role.ADMIN)
    RepositoryFactory.create(organization=membership.organization, name="shop")
    token, _ = personal(membership, scopes=["index", "search"])
    assert credential_of(token).scopes == {"index", "search"}
    Membership.objects.update(role=Role.MEMBER)
    assert credential_of(token).scopes == {"search"}
    assert sight(credential_of(token)) == {"shop"}
    Membership.objects.update(repositories=[])
    assert sight(credential_of(token)) == set()
    membership.delete()
    with pytest.raises(UnauthenticatedError, match="has left the organisation"):
        credential_of(token)


@pytest.mark.django_db
def test_a_membership_elsewhere_gives_a_token_nothing() -> None:
    elsewhere = MembershipFactory.create(role=Role.ADMIN)
    token = new_token()
    ApiTokenFactory.create(owner=elsewhere.user, token=token)
    with pytest.raises(UnauthenticatedError):
        credential_of(token)
    assert not Repository.objects.exists()


@pytest.mark.django_db
def test_a_personal_token_costs_no_further_query() -> None:
    token, _ = personal(MembershipFactory.create())
    credential_of(token)  # notes its use
    with CaptureQueriesContext(
        connection,
    ) as asked:
        credential_of(token)
    assert len(asked) == 1
