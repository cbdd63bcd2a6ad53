"""The nightly forgetting deletes what has had its time, and nothing else."""

import hashlib
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone

from central.corpus import commits
from central.corpus.models import CommitChange
from central.github.models import GitHubDelivery, IdTokenUse
from central.ingest.models import Delivery, IndexRun
from central.maintenance.retention import RetentionResult, apply_retention
from central.repositories.states import RunState
from central.tenancy.models import ApiToken, Invitation
from tests.central.commits import change, commit, store_commits
from tests.central.factories import (
    ApiTokenFactory,
    IndexRunFactory,
    InvitationFactory,
    OrganizationFactory,
    RepositoryFactory,
)
from tests.central.plans import rows_handled, statements_sent

pytestmark = pytest.mark.django_db

NOW = timezone.now()
NOTHING = RetentionResult(
    *(0 for _ in fields(RetentionResult)),
)


def test_there_may_be_nothing_to_forget() -> None:
    assert apply_retention(now=NOW) == NOTHING


def test_short_lived_tokens_go_a_day_after_they_expired_and_their_runs_stay() -> None:
    long_ago, lately = NOW - timedelta(hours=25), NOW - timedelta(hours=23)
    gone = ApiTokenFactory.create(is_short_lived=True, expires_at=long_ago)
    run = IndexRunFactory.create(api_token=gone)
    kept = [
        ApiTokenFactory.create(is_short_lived=True, expires_at=lately),
        ApiTokenFactory.create(is_short_lived=False, expires_at=long_ago),
        ApiTokenFactory.create(is_short_lived=False, expires_at=None),
    ]
    assert apply_retention(now=NOW).tokens == 1
    assert set(ApiToken.objects.all()) == set(kept)
    run.refresh_from_db()
    assert run.api_token is None


def test_an_id_token_is_remembered_until_it_could_not_be_used_again() -> None:
    for name, minutes in (("gone", -1), ("kept", 1)):
        IdTokenUse.objects.create(
            jti_digest=hashlib.sha256(name.encode()).digest(),
            forget_at=NOW + timedelta(minutes=minutes),
        )
    assert apply_retention(now=NOW).id_tokens == 1
    assert IdTokenUse.objects.get().forget_at > NOW


def test_an_invitation_is_kept_for_90_days_after_its_end() -> None:
    ended = [NOW - timedelta(days=91), NOW - timedelta(days=89), NOW + timedelta(days=1)]
    _, *kept = [InvitationFactory.create(expires_at=end) for end in ended]
    assert apply_retention(now=NOW).invitations == 1
    assert set(Invitation.objects.all()) == set(kept)


def test_a_session_goes_when_it_has_ended() -> None:
    for key, minutes in (("gone", -1), ("kept", 1)):
        ends = NOW + timedelta(minutes=minutes)
        Session.objects.create(session_key=key, session_data="", expire_date=ends)
    assert apply_retention(now=NOW).sessions == 1
    assert Session.objects.get().session_key == "kept"


def test_github_s_deliveries_go_after_half_a_year() -> None:
    organization = OrganizationFactory.create()
    for days in (179, 181):
        delivery = GitHubDelivery.objects.create(
            organization=organization, delivery_id=str(days), event="push", outcome=""
        )
        GitHubDelivery.objects.filter(pk=delivery.pk).update(received_at=NOW - timedelta(days=days))
    assert apply_retention(now=NOW).deliveries == 1
    assert GitHubDelivery.objects.get().delivery_id == "179"


def test_what_github_told_is_not_forgotten_before_it_is_done() -> None:
    delivery = GitHubDelivery.objects.create(
        organization=OrganizationFactory.create(), delivery_id="1", event="push", waiting={}
    )
    GitHubDelivery.objects.filter(pk=delivery.pk).update(received_at=NOW - timedelta(days=999))
    assert apply_retention(now=NOW) == NOTHING
    assert GitHubDelivery.objects.get() == delivery


def ended_runs(count: int, *, days: int, state: RunState = RunState.APPLIED) -> list[IndexRun]:
    """Runs of one repository that ended so long ago, newest first."""
    at = NOW - timedelta(days=days)
    repository = RepositoryFactory.create()
    runs = IndexRunFactory.create_batch(count, repository=repository, state=state, ended_at=at)
    for place, run in enumerate(runs):
        IndexRun.objects.filter(pk=run.pk).update(opened_at=at - timedelta(minutes=place))
    return runs


def test_old_runs_go_with_their_deliveries_but_each_repository_keeps_its_last() -> None:
    runs = ended_runs(23, days=91)
    few = ended_runs(3, days=400)
    for run in (runs[0], runs[-1]):
        Delivery.objects.create(
            organization=run.repository.organization,
            webhook_id=str(run.pk),
            digest=b"\0" * 32,
            run=run,
        )
    assert apply_retention(now=NOW).runs == 3
    assert set(IndexRun.objects.all()) == {*runs[:20], *few}
    assert Delivery.objects.get().run == runs[0]
    assert apply_retention(now=NOW) == NOTHING


def test_runs_within_the_retention_and_live_ones_stay() -> None:
    ended_runs(22, days=89)
    ended_runs(22, days=91, state=RunState.OPEN)
    assert apply_retention(now=NOW) == NOTHING


@pytest.mark.parametrize(
    ("kept", "days", "left"),
    [(10, 0, "abc"), (2, 0, "bc"), (10, 15, "c"), (1, 15, "c"), (0, 0, "")],
)
def test_commits_are_kept_by_number_and_age(settings: Any, kept: int, days: int, left: str) -> None:
    repository, other = RepositoryFactory.create_batch(2)
    for number, name in enumerate("abc"):
        at = int((NOW - timedelta(days=10 * (3 - number))).timestamp())
        made = commit(name, at=at, changes=[change(f"{name}.py")])
        for own in (repository, other):
            store_commits(own, name, made)
    settings.HISTORY_COMMITS, settings.HISTORY_DAYS = kept, days
    assert apply_retention(now=NOW).commits == 2 * (3 - len(left))
    assert apply_retention(now=NOW) == NOTHING
    changes = CommitChange.objects.filter(repository=repository)
    assert "".join(sorted(path[0] for path in changes.values_list("path", flat=True))) == left


def test_old_commits_of_a_repository_cost_no_look_at_those_of_others(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    large, small = RepositoryFactory.create_batch(2)
    store_commits(large, "300", *(commit(f"{number:03}", at=9) for number in range(300)))
    store_commits(small, "9", *(commit(str(number), at=number) for number in range(10)))
    settings.HISTORY_COMMITS = 300
    monkeypatch.setattr(commits, "_AT_ONCE", 1)
    with connection.cursor() as cursor:  # of a table of a page, it may read the whole
        cursor.execute("SET LOCAL enable_seqscan = off")
    with statements_sent() as sent:
        assert commits.delete_old_commits(older_than=datetime.fromtimestamp(9, UTC)) == 9
    deletions = [statement for statement in sent if statement.sql == commits._DELETE_OLD]
    assert sum(rows_handled(own, "force_custom_plan") for own in deletions) < 3_000
