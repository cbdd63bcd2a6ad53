"""While a new version is rolled out, processes of the one before go on with the new tables."""

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from central.corpus.branches.chosen import chosen_branches
from central.corpus.commits import delete_old_commits
from central.corpus.models import Commit, CommitChange, CommitPatch, File, TrigramSegment
from central.corpus.trigrams.upkeep import TextIndex
from central.ingest.models import IndexRun
from central.onboarding.models import Authority, BackfillRepository
from central.repositories.models import Repository
from central.tenancy.models import ApiToken, Organization
from tests.central.branches import Service, fresh_dump, without_terms
from tests.central.commits import change, commit, store_commits
from tests.central.factories import OrganizationFactory, RepositoryFactory
from tests.central.protocol import api_of, file_record
from tests.central.search.corpus import credential_for

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


# --- Branches beside the default one ----------------------------------------------------------

BEFORE_BRANCHES = [
    ("tenancy", "0012_authors"),
    ("repositories", "0013_scip"),
    ("ingest", "0008_rows_of_batches"),
    ("corpus", "0024_withheld_paths"),
]
PATTERNS = 'branches = ["release/*"]\n'
OF_MAIN = {"a.py": "one\n", "b.py": "two\n", ".codesearch.toml": PATTERNS}
OF_RELEASE = OF_MAIN | {"b.py": "three\n"}


@pytest.fixture
def without_branches() -> Any:
    """The models as the last version had them that knew no branches."""
    return MigrationLoader(connection).project_state(BEFORE_BRANCHES).apps


def with_release() -> Service:
    service = Service(api_of())
    service.push("main", OF_MAIN)
    service.push("release/1", OF_RELEASE)
    return service


def test_a_former_process_sees_the_default_branch_alone(without_branches: Any) -> None:
    with_release()
    files = without_branches.get_model("corpus", "File").objects
    assert dict(files.values_list("path", "content")) == OF_MAIN
    [shop] = without_branches.get_model("repositories", "Repository").objects.all()
    assert (shop.tracked_ref, shop.generation, shop.files) == ("refs/heads/main", 1, 3)


def test_a_run_of_a_branch_is_overtaken_for_a_former_worker(without_branches: Any) -> None:
    """It compares the generations of repository and run, and sets the next, as it always did."""
    service = with_release()
    opened = service.open("release/1", OF_RELEASE | {"a.py": "\n"})
    run = without_branches.get_model("ingest", "IndexRun").objects.get(pk=opened["run_id"])
    repositories = without_branches.get_model("repositories", "Repository").objects
    assert run.generation < 0
    claimed = repositories.filter(pk=run.repository_id, generation=run.generation)
    assert claimed.update(generation=run.generation + 1) == 0
    assert not claimed.exists()


def test_an_apply_of_a_former_worker_leaves_branches_unknown_until_a_full_run(
    without_branches: Any,
) -> None:
    service = with_release()
    as_former_worker(without_branches, {"a.py": "\n", "c.py": "new\n"}, removed="b.py")
    credential = credential_for(service.api.organization)
    chosen = chosen_branches(credential, ["release/1"])
    assert list(chosen.left_out.values()) == ["branch_not_indexed"]
    assert chosen_branches(credential, []).left_out == {}
    # What was shared may have changed: nothing is compared with the commit that was indexed.
    opened = service.open("release/1", OF_RELEASE)
    assert not opened["base_commit"]
    service.api.request("DELETE", f"/api/v1/index/runs/{opened['run_id']}")
    service.push("release/1", OF_RELEASE)
    assert chosen_branches(credential, ["release/1"]).left_out == {}
    assert without_terms(service.dump("release/1")) == fresh_dump(OF_RELEASE, with_terms=False)


def as_former_worker(apps: Any, changed: dict[str, str], *, removed: str) -> None:
    """Write rows of files and the repository's as an apply without branches does."""
    files = apps.get_model("corpus", "File").objects
    repositories = apps.get_model("repositories", "Repository").objects
    [shop] = repositories.all()
    files.filter(path__in=[*changed, removed]).delete()
    for path, content in changed.items():
        record = file_record(path, content)
        files.create(
            repository_id=shop.pk, path=path, mode="100644", blob=record.blob,
            size=record.size, extractor=shop.extractor, content=content,
        )  # fmt: skip
    assert repositories.filter(generation=shop.generation).update(generation=shop.generation + 1)
