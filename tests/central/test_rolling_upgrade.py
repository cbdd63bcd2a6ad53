"""While a new version is rolled out, processes of the one before go on with the new tables."""

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from central.corpus.commits import delete_old_commits
from central.corpus.models import Commit, CommitChange, CommitPatch, File, TrigramSegment
from central.corpus.trigrams.upkeep import TextIndex
from central.ingest.models import IndexRun
from central.onboarding.models import Authority, BackfillRepository
from central.repositories.models import Repository
from central.tenancy.models import ApiToken, Organization
from tests.central.commits import change, commit, store_commits
from tests.central.factories import OrganizationFactory, RepositoryFactory

pytestmark = pytest.mark.django_db

BEFORE = [
    ("tenancy", "0001_initial"),
    ("repositories", "0002_trace"),
    ("ingest", "0001_initial"),
]


@pytest.fixture
def before() -> Any:
    """The models as the version before had them: what they insert names its columns alone."""
    return MigrationLoader(connection).project_state(BEFORE).apps


def test_an_api_token_can_be_made_without_the_columns_that_came_later(before: Any) -> None:
    old = before.get_model("tenancy", "ApiToken").objects.create(
        organization_id=OrganizationFactory.create().pk,
        prefix="aet_",
        digest=b"1" * 32,
        scopes=["index"],
        created_at=timezone.now(),
    )
    token = ApiToken.objects.get(pk=old.pk)
    assert not token.is_short_lived
    assert (token.bound_repository_id, token.bound_project, token.bound_ref) == (None, "", "")


def test_a_repository_can_be_made_without_the_columns_that_came_later(before: Any) -> None:
    old = before.get_model("repositories", "Repository").objects.create(
        organization_id=OrganizationFactory.create().pk,
        name="shop",
        tracked_ref="refs/heads/main",
    )
    repository = Repository.objects.get(pk=old.pk)
    assert (repository.retired_at, repository.visibility_at) == (None, None)
    assert repository.generated == 0


def test_an_organisation_can_be_made_without_the_columns_that_came_later(before: Any) -> None:
    old = before.get_model("tenancy", "Organization").objects.create(
        slug="acme", embedder="builtin/aeterna-static-1/256", created_at=timezone.now()
    )
    assert not Organization.objects.get(pk=old.pk).direct_uploads


def test_a_segment_of_the_version_before_has_the_first_format() -> None:
    apps = MigrationLoader(connection).project_state([("corpus", "0005_text_index")]).apps
    old = apps.get_model("corpus", "TrigramSegment").objects.create(
        repository_id=RepositoryFactory.create().pk, files=b"", postings=0, buckets=1
    )
    assert TrigramSegment.objects.get(pk=old.pk).format == 1


def test_a_file_of_the_version_before_has_no_vector() -> None:
    apps = MigrationLoader(connection).project_state([("corpus", "0007_uncompressed_content")]).apps
    old = apps.get_model("corpus", "File").objects.create(
        repository_id=RepositoryFactory.create().pk, path="a.py", mode="100644", blob="1", size=1
    )
    assert File.objects.get(pk=old.pk).vector is None


def test_commits_of_the_version_before_are_due_in_the_text_index_and_have_no_lines() -> None:
    apps = MigrationLoader(connection).project_state([("corpus", "0021_commits")]).apps
    repository = RepositoryFactory.create(generation=1, text_generation=1)
    old = apps.get_model("corpus", "Commit").objects.create(
        repository_id=repository.pk, sha="1" * 40, parents=[], authored_at=0, committed_at=0,
        subject="Begin", body="", reverts=[], changed=1, merge="",
    )  # fmt: skip
    apps.get_model("corpus", "CommitChange").objects.create(
        repository_id=repository.pk, commit_id=old.pk, path="a.py", status="A", old_path=""
    )
    assert TextIndex().behind() == {repository.pk: None}
    change = CommitChange.objects.get()
    assert (change.unread, change.blob, Commit.objects.get().author) == ("unknown", "", "")


def test_lines_of_commits_that_a_former_process_deletes_go_with_the_retention() -> None:
    repository = RepositoryFactory.create()
    changes = [change("a.py", hunks="@@ -0,0 +1 @@\n+a\n")]
    store_commits(repository, "b", commit("a", changes=changes), commit("b", "a", changes=changes))
    Commit.objects.filter(subject="a")._raw_delete("default")
    delete_old_commits(older_than=None)
    [patch] = CommitPatch.objects.all()
    assert patch.commit_id == Commit.objects.get().pk


def test_a_former_process_does_not_take_a_segment_of_commits_for_its_own() -> None:
    store_commits(RepositoryFactory.create(), "Begin", commit("Begin"))
    apps = MigrationLoader(connection).project_state([("corpus", "0021_commits")]).apps
    old = apps.get_model("corpus", "TrigramSegment").objects
    assert not old.filter(repository__isnull=False).exists()


def test_an_organisation_of_the_version_before_stores_no_authors(before: Any) -> None:
    old = before.get_model("tenancy", "Organization").objects.create(
        slug="acme", embedder="builtin/aeterna-static-1/256"
    )
    found = Organization.objects.get(pk=old.pk)
    assert (found.author_policy, bytes(found.author_key)) == ("off", b"")


def test_a_backfill_of_the_version_before_may_use_nothing_of_the_operator() -> None:
    """Also if it asks again for an address that the operator's command named before."""
    onboarding = [("onboarding", "0001_onboarding")]
    apps = MigrationLoader(connection).project_state(onboarding).apps
    organization = OrganizationFactory.create().pk
    now = timezone.now()
    old = apps.get_model("onboarding", "Backfill").objects.create(
        organization_id=organization, state="listed", requested_by="token ci"
    )
    apps.get_model("onboarding", "BackfillRepository").objects.create(
        organization_id=organization, backfill=old, url="a", name="a", requested_at=now, due_at=now
    )
    row = BackfillRepository.objects.get()
    assert (row.backfill.authority, row.requested_by) == (Authority.NONE, "")


def test_a_run_can_be_opened_without_the_columns_that_came_later(before: Any) -> None:
    old = before.get_model("ingest", "IndexRun").objects.create(
        repository_id=RepositoryFactory.create().pk,
        ref="refs/heads/main",
        commit_sha="1" * 40,
        generation=0,
        extractor="1",
        embedder="builtin/aeterna-static-1/256",
        touched_at=timezone.now(),
    )
    assert IndexRun.objects.get(pk=old.pk).vectors == "relay"
