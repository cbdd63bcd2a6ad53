"""A process that dies at any step of an apply: another one ends with the new index."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from django.conf import settings
from django.utils import timezone

from central import tasks
from central.corpus import commits, replace, replace_branch
from central.corpus.dump import dump_lines
from central.corpus.trigrams import segments
from central.ingest.models import IndexRun
from central.ingest.services import apply_run as applying
from central.ingest.services import claims, vectors
from central.maintenance.reconcile import reconcile
from central.repositories.models import Repository
from central.repositories.services import retire_repository
from tests.central.branches import Service, fresh_dump
from tests.central.commits import change, commit, push_commits, queue_commits
from tests.central.protocol import Api, api_of, apply_queued, apply_run

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = {"a.py": "def a\n", "b.py": "def b\n", "gone.py": "def gone\n"}
AFTER = {"a.py": "def a\ndef more\n", "b.py": "def b\n", "new.py": "def new\n"}


class Killed(BaseException):
    """What no handler of the code under test may catch, as little as SIGKILL."""


def dump(project: str) -> list[str]:
    return dump_lines(Repository.objects.select_related("organization").get(name=project))


STEPS: list[tuple[object, str]] = [
    (applying, "_require_generation"),
    (applying, "prepare_vectors"),
    (vectors, "save_embeddings"),
    (vectors, "write_points"),
    (vectors, "save_file_vectors"),
    (claims.RunClaim, "report"),
    (applying, "commit_run"),
    (applying, "_advance"),
    (replace.Replacement, "remove_files"),
    (replace.Replacement, "insert_files"),
    (replace.Replacement, "_update_term_stats"),
    (applying, "_count"),
    (applying, "settle_points"),
    (vectors, "delete_points"),
]


def test_the_next_worker_ends_with_the_new_index(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    api = api_of()
    api.index(AFTER, project="fresh")
    fresh = dump("fresh")
    for owner, name in STEPS:
        for after in (False, True):
            with subtests.test(name, after=after):
                api.index(BEFORE)
                old = dump("shop")
                run = UUID(api.queue_incremental(BEFORE, AFTER)["run_id"])
                with monkeypatch.context() as patch:
                    patch.setattr(owner, name, killing(getattr(owner, name), after=after))
                    with pytest.raises(Killed):
                        apply_run(run_id=run)
                assert old != fresh
                assert dump("shop") in (old, fresh)  # one or the other, never half
                IndexRun.objects.filter(state="applying").update(
                    lease_until=timezone.now() - timedelta(seconds=1)
                )
                apply_queued()
                assert dump("shop") == fresh
                assert not any(row.missing for row in reconcile(repair=False).repositories)
                reconcile(repair=True)
                assert reconcile(repair=False).is_clean


COMMIT_STEPS: list[tuple[object, str]] = [
    (applying, "prepare_vectors"),
    (replace, "put_commits"),
    (commits, "message_terms"),
    (commits, "copy_rows"),
    (segments.SegmentWriter, "insert"),
    (segments, "copy_rows"),
    (replace, "settle_commits"),
    (applying, "settle_points"),
]
FIRST = commit("First", changes=[change("a.py", hunks="@@ -0,0 +1 @@\n+first\n")])
LOST = commit("Lost", "First", changes=[change("a.py", hunks="@@ -1 +1 @@\n-first\n+lost\n")])
NEXT = commit("Next", "First", changes=[change("b.py", hunks="@@ -0,0 +1 @@\n+next\n")])


def test_commits_with_their_lines_and_their_text_index_are_the_old_or_the_new_ones(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    api = api_of()
    push_commits(api, "Lost", FIRST, LOST)
    old = dump("shop")
    push_commits(api, "Next", NEXT, gone=["Lost"])
    new = dump("shop")
    for owner, name in COMMIT_STEPS:
        for after in (False, True):
            with subtests.test(name, after=after):
                push_commits(api, "Lost", LOST, gone=["Next"])
                assert dump("shop") == old
                run = UUID(queue_commits(api, "Next", NEXT, gone=["Lost"]))
                with monkeypatch.context() as patch:
                    patch.setattr(owner, name, killing(getattr(owner, name), after=after))
                    with pytest.raises(Killed):
                        apply_run(run_id=run)
                assert dump("shop") in (old, new)
                IndexRun.objects.filter(state="applying").update(
                    lease_until=timezone.now() - timedelta(seconds=1)
                )
                apply_queued()
                assert apply_run(run_id=run) is None  # a message that comes twice
                assert dump("shop") == new
                assert reconcile(repair=False).is_clean


BRANCH_STEPS: list[tuple[object, str]] = [
    (applying, "_advance_branch"),
    (replace_branch.BranchReplacement, "remove_files"),
    (replace_branch.BranchReplacement, "insert_files"),
    (replace_branch.BranchReplacement, "share"),
    (replace_branch, "refresh_packages_of_branch"),
    (replace_branch, "join_equal"),
    (replace_branch, "delete_unused"),
    (replace_branch, "build_now"),
    (vectors, "delete_points"),
    (vectors, "write_stored_points"),
]
DEFAULT_STEPS: list[tuple[object, str]] = [
    (replace, "keep_for_others"),
    (replace, "change_bits"),
    (replace, "join_equal_of_default"),
    (replace, "delete_unused"),
    (replace, "build_now"),
    (vectors, "write_stored_points"),
]
MAIN_FILES = {"a.py": "def a\n", "b.py": "def b\n", "pyproject.toml": "shop 1.0"}
BRANCH_FILES = {**MAIN_FILES, "a.py": "def old\n", "c.py": "def c\n"}


@pytest.mark.parametrize(
    ("branch", "steps", "after_push"),
    [
        (
            "release/1",
            BRANCH_STEPS,
            {"a.py": "def a\n", "d.py": "def d\n", "pyproject.toml": "cart 2"},
        ),
        (
            "main",
            DEFAULT_STEPS,
            {"a.py": "def old\n", "b.py": "def new\n", "pyproject.toml": "cart 2"},
        ),
    ],
)
def test_each_branch_has_its_old_or_its_new_index(
    monkeypatch: pytest.MonkeyPatch,
    subtests: pytest.Subtests,
    branch: str,
    steps: list[tuple[object, str]],
    after_push: dict[str, str],
) -> None:
    api = api_of()
    type(api.organization).objects.update(branches=["release/*"])
    for owner, name in steps:
        for after in (False, True):
            with subtests.test(name, after=after):
                Repository.objects.all().delete()
                service = Service(api)
                service.push("main", MAIN_FILES)
                service.push("release/1", BRANCH_FILES)
                other = "main" if branch == "release/1" else "release/1"
                before, unchanged = service.dump(branch), service.dump(other)
                run = UUID(service.queue(branch, after_push, is_full=True))
                with monkeypatch.context() as patch:
                    patch.setattr(owner, name, killing(getattr(owner, name), after=after))
                    with pytest.raises(Killed):
                        apply_run(run_id=run)
                expected = fresh_dump(after_push, with_terms=branch == "main")
                assert without_points(service.dump(branch)) in (
                    without_points(before),
                    without_points(expected),
                )
                assert without_points(service.dump(other)) == without_points(unchanged)
                IndexRun.objects.filter(state="applying").update(
                    lease_until=timezone.now() - timedelta(seconds=1)
                )
                apply_queued()
                reconcile(repair=True)
                assert reconcile(repair=False).is_clean
                assert service.dump(branch) == expected
                assert service.dump(other) == unchanged


def without_points(lines: list[str]) -> list[str]:
    """The lines of a dump without what the vector store has, which the reconcile puts right."""
    return [line.replace('"vector":false', '"vector":true') for line in lines]


def killing(function: Callable[..., object], *, after: bool) -> Callable[..., object]:
    def dies(*args: object, **kwargs: object) -> object:
        if after:
            function(*args, **kwargs)
        raise Killed

    return dies


def test_the_tasks_apply_sweep_and_purge(monkeypatch: pytest.MonkeyPatch) -> None:
    api: Api = api_of()
    run = api.queue_full(BEFORE)
    sent: list[dict[str, object]] = []
    monkeypatch.setattr(tasks.apply_run, "apply_async", lambda **message: sent.append(message))
    tasks.sweep()
    assert sent == [{"args": (run["run_id"],), "expires": settings.SWEEP_SECONDS}]
    tasks.apply_run(run["run_id"])
    tasks.apply_run(run["run_id"])  # a message that comes twice does no harm
    assert api.state(run)["state"] == "applied"
    repository = Repository.objects.get()
    retire_repository(repository)
    Repository.objects.update(retired_at=timezone.now() - timedelta(days=1))
    tasks.purge()
    assert not Repository.objects.exists()
    tasks.apply_retention()
    tasks.reconcile()
