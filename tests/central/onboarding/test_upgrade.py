"""`manage.py upgrade_index`: which repositories it queues, once, and what it says of the others."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from central.onboarding.management.commands import upgrade_index
from central.onboarding.models import Backfill, BackfillRepository, ListState, WorkState
from central.onboarding.services.queue import CloneClaim
from central.repositories.models import IndexedBy, Repository
from central.tenancy.audit import COMMAND
from central.tenancy.models import AuditEntry, Organization
from indexer.pipeline.versions import NEWEST
from tests.central.onboarding.world import acme, backfill_of, queued

pytestmark = pytest.mark.django_db


@pytest.fixture
def backfill() -> Backfill:
    return backfill_of(acme())


def upgrade(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("upgrade_index", *arguments, stdout=out)
    return out.getvalue().splitlines()


def older(organization: Organization, name: str, **members: object) -> Repository:
    """A repository that an older extractor has read."""
    values = {"generation": 1, "extractor": NEWEST.shared, "indexed_by": IndexedBy.CENTRAL}
    return Repository.objects.create(
        organization=organization, name=name, tracked_ref="refs/heads/main", **values | members
    )


def cloned(backfill: Backfill, name: str, **members: object) -> BackfillRepository:
    """One that the service has cloned."""
    state = members.pop("state", WorkState.DONE)
    repository = older(backfill.organization, name, **members)
    return queued(backfill, name, state=state, repository=repository)


def test_it_queues_what_is_older_once(backfill: Backfill) -> None:
    cloned(backfill, "shop")
    cloned(backfill, "failed", state=WorkState.FAILED)
    cloned(backfill, "current", extractor=str(NEWEST))
    cloned(backfill, "never", generation=0)
    assert upgrade() == ["acme: 2 repositories are older: 2 in the queue. Queued now: 2."]
    requested = set(BackfillRepository.objects.values_list("name", "requested_at"))
    assert upgrade() == ["acme: 2 repositories are older: 2 in the queue. Queued now: 0."]
    assert set(BackfillRepository.objects.values_list("name", "requested_at")) == requested
    states = dict(BackfillRepository.objects.values_list("name", "state"))
    assert states == {"shop": "queued", "failed": "queued", "current": "done", "never": "done"}
    entry = AuditEntry.objects.get(action="index.upgrade_requested")
    assert (entry.actor, entry.detail) == (COMMAND, {"repositories": 2})


def test_what_a_run_may_use_stays_as_its_backfill_has_it(backfill: Backfill) -> None:
    cloned(backfill, "shop")
    upgrade()
    claim = CloneClaim.next()
    assert claim is not None
    assert claim.row.backfill == backfill
    assert claim.row.requested_by == COMMAND
    assert not claim.row.backfill.may_use_credentials


def test_a_dry_run_counts_and_queues_nothing(backfill: Backfill) -> None:
    cloned(backfill, "shop")
    assert upgrade("--dry-run") == ["acme: 1 repository is older: 1 due. Queued now: 0."]
    assert BackfillRepository.objects.get().state == WorkState.DONE


def test_the_limit_is_of_all_organisations(backfill: Backfill) -> None:
    other = backfill_of(Organization.objects.create(slug="other"))
    for number in range(2):
        cloned(backfill, f"shop-{number}")
        cloned(other, f"cart-{number}")
    assert upgrade("--limit", "3") == [
        "acme: 2 repositories are older: 2 in the queue. Queued now: 2.",
        "other: 2 repositories are older: 1 due, 1 in the queue. Queued now: 1.",
    ]


def test_only_the_named_organisations_are_asked(backfill: Backfill) -> None:
    cloned(backfill, "shop")
    Organization.objects.create(slug="other")
    assert upgrade("--organization", "other") == ["other: every repository is up to date."]
    with pytest.raises(CommandError):
        upgrade("--organization", "nobody")


def test_it_says_what_to_do_where_the_service_clones_nothing(backfill: Backfill) -> None:
    address = "https://github.com/acme/shop"
    cloned(backfill, "paused", paused=True)
    cloned(backfill, "large", state=WorkState.SKIPPED)
    BackfillRepository.objects.filter(name="large").update(error="It has 9 GiB.")
    older(acme(), "shop", indexed_by=IndexedBy.ACTION, web_url=address)
    cancelled = backfill_of(acme())
    cloned(cancelled, "left")
    Backfill.objects.filter(pk=cancelled.pk).update(state=ListState.CANCELLED)
    assert upgrade() == [
        "acme/large: it was skipped: It has 9 GiB.",
        "acme/left: its backfill was cancelled: request it again, or add a workflow.",
        "acme/paused: indexing of it is paused: resume it.",
        "acme/shop: its own workflow indexes it, so run that: "
        "gh workflow run code-index.yml --repo github.com/acme/shop",
        "acme: 4 repositories are older: 1 paused, 1 for their own workflow, 1 that nothing "
        "indexes, 1 skipped. Queued now: 0.",
    ]
    assert not BackfillRepository.objects.filter(state=WorkState.QUEUED).exists()


def test_without_an_address_it_may_be_a_checkout(backfill: Backfill) -> None:
    older(acme(), "desk", indexed_by=IndexedBy.ACTION)
    advice = "acme/desk: type `codesearch index` in a checkout of it, or run its workflow."
    assert upgrade()[0] == advice


def test_it_waits_until_the_queue_is_done(
    backfill: Backfill, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [cloned(backfill, name) for name in ("shop", "cart")]

    def work(_: float) -> None:
        row = rows.pop()
        Repository.objects.filter(pk=row.repository_id).update(extractor=str(NEWEST))
        BackfillRepository.objects.filter(pk=row.pk).update(state=WorkState.DONE)

    monkeypatch.setattr(upgrade_index.time, "sleep", work)
    assert upgrade("--wait")[1:] == ["2 in the queue", "1 in the queue", "0 in the queue"]
