"""The pages of commits that changed a file, a directory or a repository."""

import re
from html import unescape
from urllib.parse import quote

import pytest
from django.db import transaction
from django.test import Client

from central.corpus.commits import put_commits, settle_commits
from central.repositories.models import Repository
from indexer.records.history import ChangeStatus, Commit, PathChange
from tests.central.factories import FileFactory, MembershipFactory, RepositoryFactory

pytestmark = pytest.mark.django_db

HOSTILE = '"><script>alert(1)</script>\x1b\u202e'
FORGE = "https://forge.example/acme/kit"


@pytest.fixture
def repository() -> Repository:
    """An indexed repository of acme with a file that was renamed, and a skipped one."""
    made: Repository = RepositoryFactory.create(
        organization__slug="acme",
        name="kit",
        generation=1,
        last_indexed_commit="c" * 40,
        web_url=FORGE,
    )
    FileFactory.create(repository=made, path="src/new.py")
    FileFactory.create(repository=made, path="data.bin", skipped="binary")
    return made


@pytest.fixture
def member(client: Client, repository: Repository) -> Client:
    """A signed-in member of acme."""
    client.force_login(MembershipFactory.create(organization=repository.organization).user)
    return client


def sha(name: str) -> str:
    """The id of a commit that a test names by a letter."""
    return name.encode().hex().ljust(40, "0")


def commit(
    name: str,
    *parents: str,
    changes: tuple[PathChange, ...] = (),
    reverts: str = "",
    body: str = "",
) -> Commit:
    """A commit, a day after that of the letter before."""
    at = 1_793_491_200 + 86_400 * ord(name)
    return Commit(
        *(sha(name), tuple(map(sha, parents)), at, at, "", f"Subject {name}", body),
        *(tuple(map(sha, reverts)), changes, len(changes)),
    )


def add(repository: Repository, *commits: Commit) -> None:
    """Store commits, of which the last is the head."""
    with transaction.atomic():
        put_commits(repository.pk, commits, [])
        parents = {made.sha: made.parents for made in commits}
        settle_commits(
            repository.pk, head=commits[-1].sha, base="", parents=parents, is_rewritten=False
        )


def page(client: Client, address: str, status: int = 200) -> str:
    response = client.get(f"/o/acme/r/kit/{address}")
    assert response.status_code == status
    return response.content.decode()


def rows(html: str) -> list[str]:
    """What is said of each commit, in one line."""
    found = re.findall(r'<li class="card">(.*?)\n</li>', html, re.DOTALL)
    return [" ".join(unescape(re.sub("<[^>]*>", " ", row)).split()) for row in found]


A, M, R = ChangeStatus.ADDED, ChangeStatus.MODIFIED, ChangeStatus.RENAMED
BEGUN = commit("a", changes=(PathChange("old.py", A), PathChange("gone.py", A)))
MOVED = commit("b", "a", changes=(PathChange("src/new.py", R, "old.py"),))
EDITED = commit(
    "c", "b", changes=(PathChange("src/new.py", M), PathChange("gone.py", M)), body="Why.\n2."
)
REVERT = commit("d", "a", changes=(PathChange("data.bin", M),), reverts="c")
MERGE = commit("e", "c", "d")


def test_a_file_is_followed_through_renames_with_status_merge_and_reverts(
    member: Client, repository: Repository
) -> None:
    add(repository, BEGUN, MOVED, EDITED, REVERT, MERGE)
    html = page(member, "history/src/new.py")
    edited, moved, begun = rows(html)
    assert edited.startswith("Subject c reverted 6300000000 committed 2027-02-08 ")
    assert "reverted by 6400000000 2 paths Message of 6300000000 Why. 2." in edited
    assert moved.endswith("1 path src/new.py renamed from old.py")
    assert begun.endswith("2 paths old.py added")
    assert f'<a href="{FORGE}/commit/{sha("c")}" rel="noreferrer" data-result>' in html
    assert '<a href="/o/acme/r/kit/file/src/new.py"><bdi>src/new.py</bdi></a>' in html
    assert "file/old.py" not in html  # it is not there any more
    assert "Commits are stored since 2027-02-06." in html


def test_a_repository_and_a_directory_list_paths_and_what_brought_them(
    member: Client, repository: Repository
) -> None:
    add(repository, BEGUN, MOVED, EDITED, REVERT, MERGE)
    merge, revert, edited, *_ = rows(page(member, "history"))
    assert merge.startswith("Subject e merge 6500000000 committed ")
    assert "paths" not in merge
    assert "in merge 6500000000 reverts 6300000000 1 path data.bin" in revert
    assert edited.count("gone.py") == 1
    html = page(member, "history/src")
    assert len(rows(html)) == 2
    assert rows(html)[0].endswith("src/new.py and 1 more path Message of 6300000000 Why. 2.")
    assert '<a href="/o/acme/r/kit/tree/src">src</a>' in html
    assert '<a href="/o/acme/r/kit/history">All commits of kit</a>' in html


def test_a_path_that_is_gone_has_a_history_and_one_that_never_was_has_not(
    member: Client, repository: Repository
) -> None:
    add(repository, BEGUN, MOVED, EDITED, REVERT, MERGE)
    html = page(member, "history/gone.py")
    assert len(rows(html)) == 2
    assert "/o/acme/r/kit/file/gone.py" not in html
    assert "/o/acme/r/kit/file/src/new.py" in page(member, "history/lib/new.py", status=404)
    for wrong in ("history/a%00b", f"history/{quote(HOSTILE)}"):
        assert "<script>alert" not in page(member, wrong, status=404)
    assert member.get("/o/acme/r/ghost/history").status_code == 404


def test_an_empty_history_says_why(member: Client, repository: Repository) -> None:
    RepositoryFactory.create(organization=repository.organization, name="bare")
    bare = member.get("/o/acme/r/bare/history").content.decode()
    assert "Nothing of this repository is indexed yet." in bare
    for address in ("history", "history/src/new.py", "history/src"):
        assert "No commit of this repository is stored yet." in page(member, address)
    add(repository, BEGUN)
    assert "No stored commit changed it. Commits are stored since 2027" in page(
        member, "history/data.bin"
    )


def test_a_long_history_has_pages(
    member: Client, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("central.web.views_history.COMMITS_SHOWN", 2)
    add(repository, BEGUN, MOVED, EDITED)
    html = page(member, "history/src/new.py")
    assert [row[:9] for row in rows(html)] == ["Subject c", "Subject b"]
    assert "Commits are stored since" not in html
    [further] = re.findall(r'href="([^"]*)" rel="next"', html)
    html = page(member, f"history/src/new.py{unescape(further)}")
    assert [row[:9] for row in rows(html)] == ["Subject a"]
    assert "First page" in html
    page(member, "history?cursor=nonsense", status=400)


def test_a_hostile_commit_is_text(member: Client, repository: Repository) -> None:
    repository.web_url = ""
    repository.save()
    hostile = commit(
        "a", changes=(PathChange(HOSTILE, R, HOSTILE), PathChange("b", A)), body=HOSTILE
    )
    texts = (sha("a"), (), 0, 0, "", HOSTILE, HOSTILE, (), hostile.changes, 2)
    add(repository, Commit(*texts))
    for address in ("history", f"history/{quote(HOSTILE)}"):
        html = page(member, address)
        assert "<script>alert" not in html
        assert not re.search(r"[\x1b\u202a-\u202e]", html)
        (row,) = rows(html)
        assert row.startswith('"><script>alert(1)</script>�[U+202E] 6100000000 committed ')
    unnamed = commit("b", "a")
    add(repository, Commit(*(unnamed.sha, unnamed.parents, 9, 9, "", "", "", (), (), 0)))
    assert rows(page(member, "history"))[0].startswith("(no subject) ")


def test_the_pages_of_what_is_there_lead_to_its_history(member: Client) -> None:
    for address, leads_to in {
        "tree": "history",
        "tree/src": "history/src",
        "file/src/new.py": "history/src/new.py",
    }.items():
        assert f'href="/o/acme/r/kit/{leads_to}">History</a>' in page(member, address)
    html = member.get("/o/acme/r/kit").content.decode()
    assert 'href="/o/acme/r/kit/history">History</a>' in html
