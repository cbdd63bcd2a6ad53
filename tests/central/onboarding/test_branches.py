"""Branches of repositories that the service clones: which are chosen, fetched and deleted."""

from pathlib import Path

import pytest
from django.conf import settings as configured
from django.utils import timezone
from pytest_django import Settings

from central.onboarding.addresses import parse_address, resolve
from central.onboarding.clones import Clone, GitAccess, clone
from central.onboarding.heads import Heads
from central.onboarding.processes import ChildError, Limits
from central.onboarding.services.branches import index_branches, prune_unwanted, wanted_branches
from central.onboarding.services.nightly import follow_branches
from central.onboarding.services.queue import queue_pushed
from central.repositories.models import Branch, BranchPush, IndexedBy, Repository
from central.tenancy.models import AuditEntry, Organization
from scripts.local_git import git
from tests.central.factories import FileFactory, RepositoryFactory
from tests.central.onboarding.world import backfill_of, queued, use
from tests.local_forge import OWNER_ID, LocalForge, LocalRepository

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(settings: Settings, forge: LocalForge, tmp_path: Path) -> LocalRepository:
    use(settings, forge)
    made = forge.add("shop", {"a.py": "a = 1\n"})
    RepositoryFactory.create(name="shop", tracked_ref="refs/heads/main", generation=1)
    Organization.objects.update(branches=["release/*"], branches_most=3)
    return made


def repository() -> Repository:
    return Repository.objects.select_related("organization").get()


def limits_in(directory: Path) -> Limits:
    directory.mkdir(exist_ok=True)
    return Limits(directory, deadline=float("inf"), max_bytes=2**30)


def heads_of(forge: LocalForge, directory: Path) -> Heads:
    backfill = configured.BACKFILL
    address = resolve(parse_address(f"{forge.url}/acme/shop", backfill), backfill)
    access = GitAccess("x-access-token", forge.token)
    return Heads(address, access=access, settings=backfill, limits=limits_in(directory))


def branch(made: LocalRepository, name: str, date: int) -> str:
    """A branch with a commit of its own, of this time."""
    tree = git(made.bare, "rev-parse", "main^{tree}")
    person = f"A <a@example.org> {date} +0000"
    text = f"tree {tree}\nauthor {person}\ncommitter {person}\n\n{name}\n"
    (made.tree / "commit").write_text(text)
    commit = git(made.bare, "hash-object", "-t", "commit", "-w", str(made.tree / "commit"))
    git(made.bare, "update-ref", f"refs/heads/{name}", commit)
    return commit


def stored(ref: str, number: int) -> Branch:
    return Branch.objects.create(repository=repository(), ref=ref, number=number)


def test_the_newest_of_five_thousand_branches_are_chosen_and_the_rest_is_named(
    forge: LocalForge, shop: LocalRepository, tmp_path: Path
) -> None:
    commit = branch(shop, "release/0", 1_000_000_000)
    branch(shop, "release/7", 2_000_000_000)
    branch(shop, "release/3", 1_900_000_000)
    with (shop.bare / "packed-refs").open("a") as refs:
        refs.writelines(f"{commit} refs/heads/release/old-{n:04}\n" for n in range(5_000))
    stored("refs/heads/release/old-0001", 1)
    wanted = wanted_branches(repository(), heads_of(forge, tmp_path / "work"))
    assert list(wanted.chosen) == ["refs/heads/release/7", "refs/heads/release/3"]
    assert len(wanted.left_out) == 5_001
    assert not Branch.objects.exists()  # it makes room


def test_branches_that_are_gone_or_not_wanted_any_more_are_deleted(
    forge: LocalForge, shop: LocalRepository, tmp_path: Path
) -> None:
    branch(shop, "release/1", 1_000_000_000)
    branch(shop, "topic", 1_000_000_000)
    for number, name in enumerate(("release/1", "release/gone", "topic"), 1):
        stored(f"refs/heads/{name}", number)
    wanted_branches(repository(), heads_of(forge, tmp_path / "work"))
    assert Branch.objects.get().ref == "refs/heads/release/1"
    details = [entry.detail for entry in AuditEntry.objects.filter(action="branch.deleted")]
    assert sorted(detail["why"] for detail in details) == ["gone", "not wanted"]


def test_with_a_file_that_cannot_be_read_only_what_is_gone_is_deleted(
    forge: LocalForge, shop: LocalRepository, tmp_path: Path
) -> None:
    FileFactory.create(repository=repository(), path=".codesearch.toml", content="branches = [")
    branch(shop, "release/1", 1_000_000_000)
    stored("refs/heads/release/1", 1)
    stored("refs/heads/release/gone", 2)
    wanted = wanted_branches(repository(), heads_of(forge, tmp_path / "work"))
    assert (dict(wanted.chosen), ".codesearch.toml" in wanted.problem) == ({}, True)
    assert Branch.objects.get().ref == "refs/heads/release/1"
    assert prune_unwanted() == 0


def test_each_wanted_branch_is_cloned_and_one_that_fails_ends_no_other(
    forge: LocalForge, shop: LocalRepository, tmp_path: Path
) -> None:
    commits = {name: branch(shop, name, 1_000_000_000) for name in ("release/1", "release/2")}
    heads, seen = heads_of(forge, tmp_path / "work"), []
    backfill = configured.BACKFILL
    address = resolve(parse_address(f"{forge.url}/acme/shop", backfill), backfill)

    def fetch(name: str, limits: Limits) -> Clone:
        access = GitAccess("x-access-token", forge.token)
        return clone(address, access=access, settings=backfill, limits=limits, branch=name)

    def index(cloned: Clone, limits: Limits) -> None:
        assert cloned.path.is_relative_to(limits.directory)
        seen.append((cloned.ref, cloned.commit_sha))
        if cloned.ref.endswith("1"):
            raise ChildError("It failed.")

    limits = limits_in(tmp_path / "work")
    said = index_branches(repository(), heads, limits, fetch=fetch, index=index)
    assert seen == [(f"refs/heads/{name}", commit) for name, commit in commits.items()]
    assert said == "release/1: It failed."
    assert list(limits.directory.iterdir()) == []


def test_the_policies_are_followed_without_the_forge(shop: LocalRepository) -> None:
    for number in (1, 2, 3):
        stored(f"refs/heads/release/{number}", number)
    stored("refs/heads/topic", 4)
    assert prune_unwanted() == 2  # at most two beside the default one
    assert not Branch.objects.filter(ref="refs/heads/topic").exists()
    Organization.objects.update(branches=[])
    assert prune_unwanted() == 2
    assert not Branch.objects.exists()


@pytest.mark.parametrize("by", [IndexedBy.CENTRAL, IndexedBy.ACTION])
def test_at_night_the_forge_is_asked_what_is_left(
    forge: LocalForge, shop: LocalRepository, by: IndexedBy
) -> None:
    Organization.objects.update(github_owner_id=OWNER_ID)
    Repository.objects.update(indexed_by=by, forge_key=shop.id)
    backfill = backfill_of(repository().organization)
    row = queued(backfill, "shop", forge_key=shop.id, repository=repository(), state="done")
    branch(shop, "release/1", 1_000_000_000)
    stored("refs/heads/release/1", 1)
    stored("refs/heads/release/gone", 2)
    follow_branches()
    row.refresh_from_db()
    if by == IndexedBy.CENTRAL:  # its work lists them
        assert (row.state, row.requested_by, Branch.objects.count()) == ("queued", "service", 2)
    else:
        assert row.state == "done"
        assert Branch.objects.get().ref == "refs/heads/release/1"


def test_at_night_a_forge_that_does_not_answer_deletes_nothing(
    forge: LocalForge, shop: LocalRepository
) -> None:
    Organization.objects.update(github_owner_id=OWNER_ID)
    Repository.objects.update(forge_key=shop.id)
    backfill = backfill_of(repository().organization)
    queued(backfill, "shop", forge_key=shop.id, repository=repository(), state="done")
    stored("refs/heads/release/1", 1)
    del forge.repositories[shop.id]
    follow_branches()
    assert Branch.objects.exists()


def test_a_push_to_a_wanted_branch_is_work_once(shop: LocalRepository) -> None:
    Repository.objects.update(indexed_by=IndexedBy.CENTRAL)
    backfill = backfill_of(repository().organization)
    row = queued(backfill, "shop", repository=repository(), state="done")
    BranchPush.objects.create(
        repository=repository(),
        ref="refs/heads/release/1",
        commit_sha="a" * 40,
        pushed_at=timezone.now(),
    )
    assert (queue_pushed(), queue_pushed()) == (1, 0)
    row.refresh_from_db()
    assert row.state == "queued"
