"""The list of repositories: states, filters, pages, and a bounded number of queries."""

import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from central.repositories.listing import PAGE_SIZE
from central.repositories.models import Repository
from central.tenancy.models import Membership
from tests.central.factories import IndexRunFactory, MembershipFactory, RepositoryFactory

pytestmark = pytest.mark.django_db

COMMIT = "c0ffee" + "0" * 34
ADDRESS = "/o/acme/repositories"


@pytest.fixture
def membership() -> Membership:
    return MembershipFactory.create(organization__slug="acme")


@pytest.fixture
def member(client: Client, membership: Membership) -> Client:
    client.force_login(membership.user)
    return client


@pytest.fixture
def one_of_each(membership: Membership) -> None:
    """A repository in each state, named after it."""
    organization = membership.organization
    indexed = {"generation": 1, "last_indexed_commit": COMMIT}
    RepositoryFactory.create(organization=organization, name="never")
    RepositoryFactory.create(organization=organization, name="paused", paused=True)
    RepositoryFactory.create(
        organization=organization,
        name="current",
        web_url="https://forge.example/acme/current",
        languages={"python": 3, "go": 1},
        files=4,
        **indexed,
    )
    for trouble in ("failed", "behind"):
        RepositoryFactory.create(
            organization=organization,
            name=trouble,
            trouble=trouble,
            trouble_detail=f"It is {trouble}.",
            **indexed,
        )
    IndexRunFactory.create(
        repository=RepositoryFactory.create(organization=organization, name="indexing", **indexed)
    )


def page(client: Client, **query: object) -> str:
    response = client.get(ADDRESS, query)
    assert response.status_code == 200
    return response.content.decode()


def names(html: str) -> list[str]:
    return re.findall(r'<th scope="row"><a href="/o/acme/r/([^"]+)"', html)


def test_all_are_listed_by_name_with_commit_languages_and_error(
    one_of_each: None, member: Client
) -> None:
    html = page(member)
    assert names(html) == ["behind", "current", "failed", "indexing", "never", "paused"]
    assert f'href="https://forge.example/acme/current/commit/{COMMIT}"' in html
    assert 'aria-label="python 75\u00a0%, go 25\u00a0%"' in html
    assert "It is failed." in html


@pytest.mark.parametrize("state", ["behind", "current", "failed", "indexing", "never", "paused"])
def test_a_state_in_the_address_leaves_the_others_out(
    one_of_each: None, member: Client, state: str
) -> None:
    assert names(page(member, state=state)) == [state]


def test_trouble_comes_first_on_demand(one_of_each: None, member: Client) -> None:
    assert names(page(member, sort="trouble")) == [
        "failed",
        "behind",
        "never",
        "paused",
        "indexing",
        "current",
    ]


def test_a_part_of_the_name_chooses_and_what_fits_nothing_says_so(
    one_of_each: None, member: Client
) -> None:
    assert names(page(member, name="EVE")) == ["never"]
    assert "No matching repository" in page(member, name="%")


def test_what_is_no_state_and_no_page_is_not_heeded(one_of_each: None, member: Client) -> None:
    assert len(names(page(member, state="<script>", page="-1", name="\0"))) == 6


def test_an_organisation_without_repositories_says_how_to_index_one(member: Client) -> None:
    assert "python -m indexer run" in page(member)


def test_a_member_sees_those_of_the_membership_and_nothing_of_another_organisation(
    one_of_each: None, member: Client, membership: Membership
) -> None:
    RepositoryFactory.create(name="elsewhere")
    Membership.objects.update(repositories=["current"])
    assert names(page(member)) == ["current"]
    assert member.get("/o/organization-1/repositories").status_code == 404


def test_names_and_errors_are_shown_as_text(member: Client, membership: Membership) -> None:
    RepositoryFactory.create(
        organization=membership.organization,
        name='"><script>x',
        trouble="failed",
        trouble_detail="<script>y",
        languages={"<script>z": 1},
    )
    html = page(member, name="script")
    assert not [danger for danger in "xyz" if f"<script>{danger}" in html]
    assert "&lt;script&gt;y" in html


def test_thousands_take_as_many_queries_as_one_and_come_in_pages(
    member: Client, membership: Membership, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    Repository.objects.bulk_create(
        Repository(organization=membership.organization, name=f"r{number:04}", tracked_ref="x")
        for number in range(10 * PAGE_SIZE)
    )
    page(member)  # the session notes the organisation
    # session, user, organisation, membership, organisations of the frame, totals, the page
    with django_assert_num_queries(7):
        html = page(member, page=10)
    assert names(html)[0] == f"r{9 * PAGE_SIZE:04}"
    assert len(names(html)) == PAGE_SIZE
    assert 'rel="prev" href="?page=9"' in html
    assert 'rel="next"' not in html
    assert names(page(member, page=99_999)) == names(html)
