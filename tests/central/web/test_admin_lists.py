"""Every list of the admin, one that comes later included: bounded, unfold, read-only or audited."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin import autodiscover, site
from django.contrib.auth.admin import GroupAdmin as DjangosGroupAdmin
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from central.alerts.models import AlertDestination, Condition, RepositoryAlert
from central.github.models import GitHubDelivery, GitHubPolicy
from central.ingest.models import Delivery, IndexRun
from central.knowledge.models import Document, Edge, Policy
from central.onboarding.models import Backfill, BackfillRepository
from central.repositories.models import Repository
from central.saved_searches.models import SavedSearch
from central.tenancy.admin import AuditedAdmin
from central.tenancy.admin_base import ReadOnlyAdmin
from central.tenancy.audit import record
from central.tenancy.models import ApiToken, AuditEntry, Membership, Organization
from tests.central.admin import staff, superuser
from tests.central.factories import (
    ApiTokenFactory,
    DocumentFactory,
    EdgeFactory,
    IndexRunFactory,
    MembershipFactory,
    OrganizationFactory,
    PolicyFactory,
    RepositoryFactory,
    UserFactory,
)
from tests.central.onboarding.world import backfill_of, queued

pytestmark = pytest.mark.django_db

MOST_QUERIES = 14


def delivery() -> Delivery:
    run = IndexRunFactory.create()
    return Delivery.objects.create(
        organization=run.repository.organization, run=run, webhook_id=str(run.pk), digest=b"1" * 32
    )


# One row, with whatever it points at of its own.
def alert_destination() -> AlertDestination:
    return AlertDestination.objects.create(
        organization=OrganizationFactory.create(), sealed_address="", due_at=timezone.now()
    )


def repository_alert() -> RepositoryAlert:
    repository = RepositoryFactory.create()
    return RepositoryAlert.objects.create(
        organization=repository.organization,
        repository=repository,
        condition=Condition.FAILED,
        since=timezone.now(),
    )


def saved_search() -> SavedSearch:
    return SavedSearch.objects.create(
        organization=OrganizationFactory.create(),
        owner=UserFactory.create(),
        name="To do",
        request={},
    )


MAKERS: dict[type[Any], Callable[[], Any]] = {
    AlertDestination: alert_destination,
    RepositoryAlert: repository_alert,
    ApiToken: lambda: ApiTokenFactory.create(owner=UserFactory.create()),
    Backfill: lambda: backfill_of(OrganizationFactory.create()),
    BackfillRepository: lambda: queued(backfill_of(OrganizationFactory.create())),
    AuditEntry: lambda: record(actor="command", action="token.created", target="it"),
    Delivery: delivery,
    Document: DocumentFactory.create,
    Edge: EdgeFactory.create,
    GitHubDelivery: lambda: GitHubDelivery.objects.create(
        organization=OrganizationFactory.create(), delivery_id="1", event="push", outcome="done"
    ),
    GitHubPolicy: lambda: GitHubPolicy.objects.create(organization=OrganizationFactory.create()),
    Group: lambda: Group.objects.create(name=f"group {Group.objects.count()}"),
    IndexRun: IndexRunFactory.create,
    Membership: MembershipFactory.create,
    Organization: OrganizationFactory.create,
    Policy: PolicyFactory.create,
    Repository: RepositoryFactory.create,
    SavedSearch: saved_search,
    User: UserFactory.create,
}
autodiscover()
LISTS = [pytest.param(model, id=model.__name__) for model in site._registry]
SHOWN = [
    pytest.param(model, id=model.__name__) for model in site._registry if model not in (User, Group)
]


def values_of(row: Any) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def address_of(model: type[Any]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


@pytest.mark.parametrize("model", LISTS)
def test_a_list_asks_as_often_whatever_it_holds(model: type[Any]) -> None:
    client, address = superuser(), address_of(model)
    MAKERS[model]()
    client.get(address)
    counts = []
    for more in (0, 19):
        for _ in range(more):
            MAKERS[model]()
        with CaptureQueriesContext(
            connection,
        ) as queries:
            page = client.get(address)
        assert page.status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= MOST_QUERIES
    assert len(page.context["cl"].result_list) >= 20


@pytest.mark.parametrize("model", LISTS)
def test_a_row_s_page_is_there(model: type[Any]) -> None:
    client = superuser()
    MAKERS[model]()
    row = model._default_manager.first()
    assert client.get(f"{address_of(model)}{row.pk}/change/").status_code == 200


def test_only_people_and_groups_are_changed_in_the_admin() -> None:
    written = {
        model for model, admin in site._registry.items() if not isinstance(admin, ReadOnlyAdmin)
    }
    assert written == {User, Group}
    assert all(isinstance(site._registry[model], AuditedAdmin) for model in written)
    assert not any(admin.show_full_result_count for admin in site._registry.values())


def test_a_long_list_is_shown_in_pages_alone() -> None:
    client, organization = superuser(), OrganizationFactory.create()
    RepositoryFactory.create_batch(51, organization=organization)
    for query in ({}, {"all": ""}):
        page = client.get(address_of(Repository), query, follow=True)
        assert len(page.context["cl"].result_list) == 50
        assert "showall" not in page.content.decode()


@pytest.mark.parametrize("model", SHOWN)
def test_what_the_admin_shows_it_does_not_change(model: type[Any]) -> None:
    client, address = superuser(), address_of(model)
    MAKERS[model]()
    row = model._default_manager.first()
    assert client.get(f"{address}add/").status_code == 403
    assert client.post(f"{address}add/", {}).status_code == 403
    assert client.post(f"{address}{row.pk}/change/", {}).status_code == 403
    assert client.post(f"{address}{row.pk}/delete/", {"post": "yes"}).status_code == 403
    client.post(address, {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"})
    assert model._default_manager.filter(pk=row.pk).values().get() == values_of(row)
    page = client.get(f"{address}{row.pk}/change/").content.decode()
    assert "<textarea" not in page
    assert not re.findall(r'name="_(?:save|addanother|continue)"|deletelink', page)


@pytest.mark.parametrize("model", [AuditEntry, Delivery, GitHubDelivery, IndexRun, Edge])
def test_history_is_not_counted(model: type[Any]) -> None:
    client, address = superuser(), address_of(model)
    MAKERS[model]()
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    assert not [query for query in queries if "COUNT(*)" in query["sql"]]


@pytest.mark.parametrize("model", LISTS)
def test_a_list_is_for_those_who_have_the_right(model: type[Any]) -> None:
    client = staff("tenancy.view_organization")
    expected = 200 if model is Organization else 403
    assert client.get(address_of(model)).status_code == expected


def test_what_packages_bring_of_their_own_is_left_out() -> None:
    """It would change rows without an entry in the audit log."""
    site.register(GitHubPolicy, DjangosGroupAdmin)
    assert isinstance(site._registry[GitHubPolicy], ReadOnlyAdmin)


def test_the_audit_log_is_filtered_and_searched() -> None:
    client = superuser()
    OrganizationFactory.create(slug="acme")
    record(actor="user ada", action="token.created", target="ci", organization="acme")
    record(actor="user bob", action="user.created", target="eve")
    for query, found in (
        ({"of": "token"}, {"ci"}),
        ({"of": "user"}, {"eve"}),
        ({"organization": "acme"}, {"ci"}),
        ({"organization": "-"}, {"eve"}),
        ({"q": "bob"}, {"eve"}),
        ({"when": "hour"}, {"ci", "eve"}),
        ({"when": f"{timezone.now():%Y-%m}"}, {"ci", "eve"}),
        ({"when": "1999-12"}, set()),
    ):
        rows = client.get(address_of(AuditEntry), query).context["cl"].result_list
        assert {row.target for row in rows} == found


def test_runs_are_found_by_their_repository_or_their_commit() -> None:
    client = superuser()
    run = IndexRunFactory.create(repository__name="shop", commit_sha="abcdef0123" * 4)
    IndexRunFactory.create()
    for query in ("shop", "abcdef0"):
        found = client.get(address_of(IndexRun), {"q": query}).context["cl"].result_list
        assert list(found) == [run]


def test_moments_are_told_to_the_second_with_their_zone_as_other_logs_do() -> None:
    client = superuser()
    record(actor="user ada", action="token.created", target="ci")
    at = AuditEntry.objects.get().at
    assert f"{at:%Y-%m-%d %H:%M:%S} UTC" in client.get(address_of(AuditEntry)).content.decode()
