"""The page of one repository."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from central.corpus.files import PAGE_SIZE
from central.corpus.models import File
from central.repositories.models import Push, Repository
from central.tenancy.models import Membership
from tests.central.factories import (
    FileFactory,
    IndexRunFactory,
    MembershipFactory,
    RepositoryFactory,
)

pytestmark = pytest.mark.django_db

OLD, NEW = "a" * 40, "b" * 40


@pytest.fixture
def repository(client: Client) -> Repository:
    """An index of a commit, and somebody signed in who sees it."""
    membership = MembershipFactory.create(organization__slug="acme")
    client.force_login(membership.user)
    return RepositoryFactory.create(
        organization=membership.organization,
        name="shop",
        web_url="https://forge.example/acme/shop",
        generation=1,
        last_indexed_commit=OLD,
        indexed_at=timezone.now() - timedelta(hours=3),
        extractor="extractor-1",
        embedder="builtin/aeterna-static-1/256",
        last_mode="incremental",
        last_reason="fast_forward",
        languages={"python": 3, "go": 1},
        files=4,
    )


def page(client: Client, **query: str) -> str:
    response = client.get("/o/acme/r/shop", query)
    assert response.status_code == 200
    return response.content.decode()


def test_numbers_have_their_thousands_apart(repository: Repository, client: Client) -> None:
    Repository.objects.update(files=12_345, chunks=1_234_567, languages={"python": 12_345})
    html = page(client)
    assert "12,345 indexed" in html
    assert "<dd>1,234,567</dd>" in html
    assert '<td class="number">12,345</td>' in html


def test_a_current_index_says_its_commit_its_age_and_its_last_reason(
    repository: Repository, client: Client
) -> None:
    html = page(client)
    assert f'href="https://forge.example/acme/shop/commit/{OLD}"' in html
    assert "3 hours ago" in html
    assert "incremental: only what changed since the indexed commit" in html
    assert "builtin/aeterna-static-1/256" in html
    assert 'href="/o/acme/?project=shop"' in html


def test_one_that_was_never_indexed_says_how_that_is_done(
    repository: Repository, client: Client
) -> None:
    Repository.objects.update(generation=0, last_indexed_commit="", indexed_at=None)
    html = page(client)
    assert "never indexed" in html
    assert "python -m indexer run" in html


def test_a_language_of_which_only_text_is_indexed_says_so(
    repository: Repository, client: Client
) -> None:
    Repository.objects.update(languages={"python": 2, "zig": 1})
    assert page(client).count("(text only: no definitions or callers)") == 1


def test_one_that_is_paused_says_who_can_resume_it(repository: Repository, client: Client) -> None:
    Repository.objects.update(paused=True)
    html = page(client)
    assert "An administrator can resume it" in html
    assert "/admin/" not in html
    User.objects.update(is_superuser=True, is_staff=True)
    assert f'href="/o/acme/settings/repositories/{repository.name}">Resume it</a>' in page(client)


def test_one_that_is_behind_says_since_which_push(repository: Repository, client: Client) -> None:
    Push.objects.create(
        repository=repository, commit_sha=NEW, pushed_at=timezone.now() - timedelta(minutes=40)
    )
    Repository.objects.update(trouble="behind", trouble_detail="So it is.", trouble_commit=NEW)
    html = page(client)
    assert f"/commit/{NEW}" in html
    assert "a push" in html
    assert "40 minutes ago" in html


def test_one_that_failed_shows_the_error_as_text_and_leads_to_the_run(
    repository: Repository, client: Client
) -> None:
    Repository.objects.update(
        trouble="failed", trouble_detail="<script>alert(1)</script>", trouble_commit=NEW
    )
    run = IndexRunFactory.create(
        repository=repository,
        state="failed",
        commit_sha=NEW,
        mode="full",
        reason="diverged",
        error="<b>no</b>",
        ended_at=timezone.now(),
        run_url="https://forge.example/jobs/1",
        stats={"files_changed": 7, "seconds": {"process": 61.2, "open": 0.5}},
    )
    html = page(client)
    assert "<script>alert" not in html
    assert "<b>no</b>" not in html
    assert "a run that was not applied" in html
    assert f'href="/o/acme/runs/{run.pk}"' in html
    assert "full: history was rewritten" in html
    assert html.index("open 0.5 s") < html.index("process 61.2 s")  # JSON had them otherwise
    assert 'href="https://forge.example/jobs/1"' in html


def test_a_run_under_way_is_led_to(repository: Repository, client: Client) -> None:
    run = IndexRunFactory.create(repository=repository)
    html = page(client)
    assert "indexing" in html
    assert f'<a href="/o/acme/runs/{run.pk}">Follow the run</a>' in html


def test_a_job_s_address_that_is_no_web_address_is_not_linked(
    repository: Repository, client: Client
) -> None:
    IndexRunFactory.create(repository=repository, run_url="javascript:alert(1)")
    assert "javascript:" not in page(client)


def test_skipped_files_are_counted_by_reason_and_listed_by_pages(
    repository: Repository, client: Client
) -> None:
    Repository.objects.update(skipped=PAGE_SIZE + 3)
    for number in range(PAGE_SIZE + 1):
        FileFactory.create(repository=repository, path=f"bin/{number:03}", skipped="binary")
    FileFactory.create(repository=repository, path='a"><script>.min.js', skipped="minified")
    FileFactory.create(repository=repository, path="later.x", skipped="of_a_later_version")
    html = page(client)
    assert "so it is taken for binary" in html
    assert "of a later version" in html
    assert "bin/000" not in html
    html = page(client, skipped="binary")
    assert f"bin/{PAGE_SIZE - 1:03}" in html
    assert f"bin/{PAGE_SIZE:03}" not in html
    assert f"after=bin%2F{PAGE_SIZE - 1:03}#skipped" in html
    html = page(client, skipped="binary", after=f"bin/{PAGE_SIZE - 1:03}")
    assert f"bin/{PAGE_SIZE:03}" in html
    html = page(client, skipped="minified")
    assert "a&quot;&gt;&lt;script&gt;.min.js" in html
    assert "bin/000" in page(client, skipped="binary", after="\0")
    assert "bin/" not in page(client, skipped="no_such_reason")


def test_queries_are_bounded(
    repository: Repository, client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    Repository.objects.update(skipped=2)
    FileFactory.create_batch(2, repository=repository, skipped="binary")
    IndexRunFactory.create_batch(25, repository=repository, state="applied")
    page(client)  # the session notes the organisation
    # session, user, organisation, membership, organisations of the frame,
    # branches, repository, runs, skipped by reason, push, unread manifests, the index of the owners
    with django_assert_num_queries(13):
        html = page(client)
    assert html.count('href="/o/acme/runs/') == 20
    assert File.objects.count() == 2


def test_what_the_member_does_not_see_is_not_there(repository: Repository, client: Client) -> None:
    assert client.get("/o/acme/r/other").status_code == 404
    assert client.get("/o/acme/r/%00").status_code == 404
    Membership.objects.update(repositories=["other"])
    assert client.get("/o/acme/r/shop").status_code == 404


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({}, "Add the workflow that runs on every merge"),
        ({"indexed_by": "central"}, "This service clones it"),
        ({"indexed_by": "central", "trouble": "not_cloned"}, "could not clone and index it"),
        ({"trouble": "failed"}, "Its first run failed"),
    ],
)
def test_what_a_first_index_waits_for(
    repository: Repository, client: Client, members: dict[str, str], expected: str
) -> None:
    Repository.objects.update(generation=0, **members)
    html = page(client)
    assert expected in html
    assert "answers about all repositories are incomplete without it" in html
    Repository.objects.update(not_expected_at=timezone.now())
    assert "answers are complete without it" in page(client)
