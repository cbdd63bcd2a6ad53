"""Tokens and memberships, as the admin shows them."""

import pytest

from tests.central.admin import superuser
from tests.central.factories import ApiTokenFactory, MembershipFactory

pytestmark = pytest.mark.django_db

TOKENS = "/admin/tenancy/apitoken/"


def test_tokens_of_jobs_are_listed_when_asked_for() -> None:
    admin = superuser()
    ApiTokenFactory.create(name="of-ci")
    ApiTokenFactory.create(name="of-a-job", is_short_lived=True)
    for made, listed in (("", {"of-ci"}), ("job", {"of-a-job"}), ("all", {"of-ci", "of-a-job"})):
        page = admin.get(TOKENS, {"made": made} if made else {})
        text = page.content.decode()
        assert {name for name in ("of-ci", "of-a-job") if name in text} == listed


def test_a_token_is_shown_without_what_it_is_checked_with() -> None:
    token = ApiTokenFactory.create(name="ci")
    page = superuser().get(f"{TOKENS}{token.pk}/change/").content.decode()
    assert "ci" in page
    assert "digest" not in page.lower()


def test_a_membership_that_sees_nothing_is_shown_as_that() -> None:
    """The empty list and "everything" look alike."""
    admin = superuser()
    for limits, shown in (([], "nothing"), (None, "everything"), (["shop"], "shop")):
        membership = MembershipFactory.create(repositories=limits)
        row = admin.get("/admin/tenancy/membership/", {"q": membership.user.username})
        assert f">{shown}<" in row.content.decode()
        page = admin.get(f"/admin/tenancy/organization/{membership.organization_id}/change/")
        assert membership.user.username in page.content.decode()
