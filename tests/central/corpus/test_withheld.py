"""A purge of a path takes its lines out of the stored history, and none comes back."""

import pytest
from django.core.management import CommandError, call_command

from central.corpus.embeddings import unpack_term_ids
from central.corpus.models import Commit, CommitChange, CommitPatch, TrigramSegment, WithheldPath
from central.corpus.patches import unpack_patch
from central.corpus.trigrams.candidates import candidates
from central.corpus.trigrams.segments import read_hashes, unpack_ids
from central.corpus.trigrams.tree import literal_trigrams, tree_hashes
from central.corpus.trigrams.upkeep import TextIndex
from central.ingest.models import IndexRun
from central.projections import Difference
from central.repositories.models import Branch, Repository
from central.tenancy.models import AuditEntry
from indexer.bundle.encode import encode_commit
from indexer.bundle.gzip import compress
from indexer.lexical import term_id
from indexer.records.history import Commit as Record
from indexer.records.history import PathChange
from tests.central.branches import Service
from tests.central.commits import change, commit, identity, push_commits
from tests.central.protocol import Api, api_of, apply_run

pytestmark = pytest.mark.django_db(transaction=True)


def lines(text: str) -> str:
    return f"@@ -0,0 +1 @@\n+{text}\n"


def edit(path: str, text: str, old_path: str = "") -> PathChange:
    return change(path, old_path, hunks=lines(text))


@pytest.fixture
def api() -> Api:
    return api_of()


def shop() -> Repository:
    return Repository.objects.select_related("organization").get()


def purge(path: str) -> None:
    call_command("repository", "shop", "--organization", "acme", "--purge-path", path)


def found(word: str) -> set[str]:
    ids = candidates([shop().pk], literal_trigrams(word), most=99, of_commits=True).files
    keys = ids[shop().pk].tolist() if ids else []
    return set(Commit.objects.filter(pk__in=keys).values_list("subject", flat=True))


def patches() -> list[str]:
    """The stored lines."""
    return [
        hunks.split("\n+")[1].strip()
        for data in CommitPatch.objects.order_by("pk").values_list("data", flat=True)
        for _, hunks in unpack_patch(bytes(data))
    ]


PAST: list[Record] = [
    commit("first", changes=[edit("old.env", "zqxwv0")]),
    commit("second", "first", changes=[edit("a.py", "open1"), edit("conf/x.env", "s2", "old.env")]),
    commit("third", "second", changes=[edit("conf.py", "open3")]),
    commit("fourth", "third", changes=[edit("b.py", "moved4", "conf/x.env")]),
]


@pytest.mark.parametrize("path", ["conf", "conf/x.env", "/conf/"])
def test_lines_of_a_path_and_of_its_former_names_are_gone(api: Api, path: str) -> None:
    push_commits(api, "fourth", *PAST)
    assert (found("zqxwv0"), found("open1")) == ({"first"}, {"second"})
    purge(path)
    assert patches() == ["open1", "open3"]
    assert (found("zqxwv0"), found("moved4"), found("open1")) == (set(), set(), {"second"})
    [segment] = TrigramSegment.objects.filter(history_of=shop().pk)
    ordinals = range(len(unpack_ids(segment.files)))
    present = {int(own) for hashes in read_hashes(segment.pk, ordinals).values() for own in hashes}
    assert not present & set(tree_hashes(literal_trigrams("zqxwv0")))
    withheld = CommitChange.objects.filter(unread="withheld").values_list("path", flat=True)
    assert sorted(withheld) == ["b.py", "conf/x.env", "old.env"]
    words = {term_id("zqxwv0"), term_id("moved4")}
    for terms in Commit.objects.values_list("terms", flat=True):
        assert not words & set(unpack_term_ids(bytes(terms)[: len(terms) // 2]).tolist())
    assert Commit.objects.count() == 4
    assert TextIndex().rebuild(shop(), repair=False) == Difference(due=0, differing=0)
    assert AuditEntry.objects.get(action="repository.path_purged").detail["commits"] == 3


def test_lines_that_come_later_or_again_are_not_stored(api: Api) -> None:
    push_commits(api, "third", *PAST[:3])
    purge("conf")
    push_commits(api, "fourth", *PAST, gone=["first", "second", "third"])
    assert patches() == ["open1", "open3"]
    assert found("zqxwv0") == found("moved4") == set()


def test_names_that_only_the_past_tells_are_purged_when_it_comes(api: Api) -> None:
    push_commits(api, "fourth", *PAST[2:])
    purge("b.py")
    push_commits(api, "fourth", *PAST, gone=["third", "fourth"])
    assert patches() == ["open1", "open3"]
    assert found("zqxwv0") == found("moved4") == set()
    assert found("open1") == {"second"}
    push_commits(api, "fourth", *PAST, gone=["first", "second", "third", "fourth"])
    assert patches() == ["open1", "open3"]


def test_a_file_that_moves_to_a_withheld_directory_later_keeps_its_past(api: Api) -> None:
    push_commits(api, "first", PAST[0])
    purge("conf")
    renamed = commit("second", "first", changes=[change("conf/x.env", "old.env")])
    run = api.open(commit_sha=identity("second")).json()
    assert api.put_bytes(run, 1, compress(encode_commit(renamed))).status_code == 204
    members = {"mode": "incremental", "reason": "fast_forward"}
    body = api.announcement(run, commit_sha=identity("second"), **members)
    assert api.deliver(run, body).status_code == 202
    assert apply_run(run_id=run["run_id"]) == "applied"
    assert patches() == ["zqxwv0"]


def test_other_branches_stay_as_they_are(api: Api) -> None:
    type(api.organization).objects.update(branches=["release/*"])
    service = Service(api)
    service.push("main", {"a.py": "one\n"})
    service.push("release/1", {"a.py": "two\n"})
    purge("a.py")
    assert Branch.objects.get().is_indexed
    assert "two" in str(service.dump("release/1"))


def test_a_run_that_is_open_must_be_started_again(api: Api) -> None:
    push_commits(api, "first", PAST[0])
    waiting = api.open().json()
    generation = shop().generation
    purge("old.env")
    assert shop().generation == shop().text_generation == generation + 1
    assert IndexRun.objects.get(pk=waiting["run_id"]).generation == generation


def test_a_path_of_nothing_is_remembered(api: Api) -> None:
    push_commits(api, "third", PAST[2])
    purge("conf")
    assert patches() == ["open3"]
    push_commits(api, "x", commit("x", "third", changes=[edit("conf/new", "later")]))
    assert patches() == ["open3"]


@pytest.mark.parametrize("path", ["", "/", "./conf", "conf//x.env", "../conf", "x" * 1_025])
def test_what_is_no_path_is_refused(api: Api, path: str) -> None:
    push_commits(api, "first", PAST[0])
    with pytest.raises(CommandError, match="Give a path as git lists it"):
        purge(path)
    assert not WithheldPath.objects.exists()


def test_later_names_are_told_and_keep_their_lines(
    api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    push_commits(api, "fourth", *PAST)
    purge("old.env")
    assert (
        "Lines are kept of what they were renamed to: conf/x.env, b.py." in capsys.readouterr().out
    )
    purge("b.py")
    assert "renamed" not in capsys.readouterr().out
