"""An organisation that is purged: seen by nobody at once, and nothing is left but its audit log."""

from datetime import timedelta
from io import StringIO
from pathlib import Path
from uuid import UUID

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from central.corpus.backends import collection_of, vector_store
from central.corpus.dump import dump_lines
from central.errors import NotFoundError, UnauthenticatedError
from central.ingest.models import IndexRun
from central.ingest.services.claims import sweep
from central.maintenance.organization_deletion import (
    delete_scheduled_organizations,
    schedule_deletion,
)
from central.maintenance.repository_deletion import WRITERS_SECONDS
from central.repositories.models import Repository
from central.repositories.states import RunState
from central.tenancy.audit import COMMAND
from central.tenancy.credentials import credential_of_member, organizations_of
from central.tenancy.models import ApiToken, AuditEntry, Membership, Organization
from central.tenancy.services.organizations import create_organization
from central.tenancy.tokens import credential_of
from central.trace.stored.follower import CallEdges
from indexer.errors import StoreUnavailableError
from tests.central.factories import (
    ApiTokenFactory,
    MembershipFactory,
    OrganizationFactory,
    UserFactory,
)
from tests.central.protocol import Api, api_of, apply_run
from tests.central.trace.corpus import pyproject, repository

pytestmark = pytest.mark.django_db

SHAPES = {  # two packages, one of which has a class of the other
    "base/pyproject.toml": pyproject("shapes"),
    "base/shapes/shape.py": "class Shape: ...\n",
    "pyproject.toml": pyproject("squares", "shapes"),
    "squares/square.py": "from shapes.shape import Shape\nclass Square(Shape): ...\n",
}
FILES = {"a.py": "def a\ndef aa\n", "b.py": "def b\n"}


@pytest.fixture
def acme() -> Api:
    return api_of()


@pytest.fixture
def rival() -> Api:
    api = api_of(OrganizationFactory.create(slug="rival"))
    api.index(FILES)
    return api


def retire() -> Organization:
    return schedule_deletion(slug="acme", actor=COMMAND)


def wait_out_the_lease() -> None:
    earlier = timezone.now() - timedelta(seconds=WRITERS_SECONDS)
    Repository.objects.filter(retired_at__isnull=False).update(retired_at=earlier)


def purge_command() -> str:
    out = StringIO()
    call_command("purge_organization", "acme", "--confirm", "acme", stdout=out)
    return out.getvalue()


def rows() -> dict[str, int]:
    """How many rows each table has; the audit log aside."""
    return {
        model.__name__: model._base_manager.count()
        for model in apps.get_models()
        if model is not AuditEntry
        and model._meta.app_label
        in {"tenancy", "repositories", "corpus", "edges", "ingest", "github"}
    }


def dump(organization: Organization) -> list[str]:
    return dump_lines(
        Repository.objects.select_related("organization").get(organization=organization)
    )


def test_nothing_is_left_and_another_organisation_keeps_all_that_it_has(rival: Api) -> None:
    CallEdges().follow()
    own, rows_before = dump(rival.organization), rows()
    acme = api_of()
    acme.index(FILES)
    repository("shapes", SHAPES, organization=acme.organization)
    CallEdges().follow()
    edges = apps.get_app_config("edges").get_models()
    assert [model.__name__ for model in edges if not model._base_manager.exists()] == []
    acme.open("web")
    MembershipFactory.create(organization=acme.organization)
    shop = Repository.objects.select_related("organization").get(
        organization=acme.organization, name="shop"
    )
    collection = collection_of(shop)
    shards = Path(settings.DATA_DIR) / "edge"
    assert any("acme" in path.name for path in shards.iterdir())

    retire()
    wait_out_the_lease()
    assert "all of it is deleted" in purge_command()

    assert rows() == rows_before
    assert dump(rival.organization) == own
    assert list(vector_store().points(collection)) == []
    assert not any("acme" in path.name for path in shards.iterdir())
    kept = AuditEntry.objects.filter(organization="acme").values_list("action", flat=True)
    assert {"organization.retired", "organization.purged"} <= set(kept)


def test_from_the_mark_on_nobody_sees_it(acme: Api) -> None:
    token = ApiTokenFactory.create(organization=acme.organization, token="aet_" + "t" * 43)
    member = MembershipFactory.create(organization=acme.organization).user
    ApiTokenFactory.create(organization=acme.organization, owner=member)
    admin = UserFactory.create(is_superuser=True)
    browser = Client()
    retire()
    with pytest.raises(UnauthenticatedError):
        credential_of("aet_" + "t" * 43)
    answer = Client().get(
        "/api/v1/index/status?org_id=acme", headers={"Authorization": "Bearer aet_" + "t" * 43}
    )
    assert answer.status_code == 401
    for person in (member, admin):
        assert not organizations_of(person).exists()
        with pytest.raises(NotFoundError):
            credential_of_member(user=person, slug="acme")
        browser.force_login(person)
        assert "acme" not in browser.get("/account").content.decode()
    assert not Organization.objects.filter(slug="acme").exists()
    assert ApiToken.objects.filter(pk=token.pk).exists()
    assert Membership.objects.exists()


def test_a_run_under_way_ends_without_effect(acme: Api) -> None:
    opened = UUID(acme.open("shop").json()["run_id"])
    queued = UUID(acme.queue_full({"c.py": "def c\n"}, project="web")["run_id"])
    retire()
    sweep()
    assert apply_run(run_id=queued) is None
    states = IndexRun.objects.filter(pk__in=[opened, queued]).values_list("state")
    assert {state for (state,) in states} == {RunState.ABANDONED}


def test_the_slug_and_the_owner_may_be_used_again(acme: Api, rival: Api) -> None:
    Organization.objects.filter(slug="acme").update(github_owner_id=7)
    retire()
    Organization.objects.filter(slug="rival").update(github_owner_id=7)
    wait_out_the_lease()
    purge_command()
    create_organization(slug="acme", actor=COMMAND)
    again = api_of()
    again.index({"new.py": "def new\n"})
    assert [line for line in dump(again.organization) if '"path":"a.py"' in line] == []


def test_what_a_crash_interrupts_the_next_sweep_finishes(
    acme: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    organization = retire()
    wait_out_the_lease()

    def away(*_: object) -> None:
        raise StoreUnavailableError("away")

    with monkeypatch.context() as broken:
        broken.setattr(type(vector_store()), "drop_organization", away)
        with pytest.raises(CommandError, match="away"):
            purge_command()
    assert Organization.all_objects.filter(pk=organization.pk).exists()
    assert not Repository.objects.filter(organization=organization).exists()
    delete_scheduled_organizations()
    assert not Organization.all_objects.filter(pk=organization.pk).exists()


def test_without_the_slug_said_twice_nothing_happens(acme: Api) -> None:
    with pytest.raises(CommandError, match="--confirm acme"):
        call_command("purge_organization", "acme", "--confirm", "acne")
    with pytest.raises(CommandError, match="no organisation"):
        call_command("purge_organization", "nobody", "--confirm", "nobody")
    assert Organization.objects.filter(slug="acme").exists()
