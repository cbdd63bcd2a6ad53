"""Commits of a run, from its batches to what is stored."""

import pytest
from pytest_django import Settings

from central.corpus.models import Commit, CommitChange, CommitPatch
from indexer.bundle.encode import encode_commit
from indexer.bundle.gzip import compress
from tests.central.commits import change, commit, identity, push_commits
from tests.central.protocol import api_of, apply_run

pytestmark = pytest.mark.django_db


def test_a_full_run_of_the_same_commit_brings_the_past() -> None:
    """As `index --mode full` after an upgrade, or with the whole history in place of a part."""
    api = api_of()
    push_commits(api, "d", commit("d", "m"))
    push_commits(api, "d", commit("a"), commit("b", "a"), commit("m", "a", "b"))
    merges = dict(Commit.objects.values_list("sha", "merge"))
    brought = {"a": "a", "b": "m", "m": "m", "d": "d"}
    assert merges == {identity(own): identity(by) for own, by in brought.items()}


def test_a_service_without_lines_asks_for_none_and_stores_none(settings: Settings) -> None:
    settings.HISTORY_LINES = False
    api = api_of()
    fields = api.open().json()["record_fields"]
    assert "commits" in fields
    assert "commits.lines" not in fields
    changes = [change("a.py", hunks="@@ -0,0 +1 @@\n+a\n")]
    push_commits(api, "a", commit("a", changes=changes))
    assert CommitChange.objects.get().unread == "off"
    assert not CommitPatch.objects.exists()
    settings.HISTORY_COMMITS = 0
    assert not {"commits", "commits.lines"} & set(api.open().json()["record_fields"])


def test_a_commit_that_comes_twice_ends_its_run_with_the_reason() -> None:
    api = api_of()
    run = api.open(commit_sha=identity("a")).json()
    api.put_tree(run, [])
    for number in (1, 2):
        assert api.put_bytes(run, number, compress(encode_commit(commit("a")))).status_code == 204
    body = api.announcement(run, commit_sha=identity("a"), batches=2)
    assert api.deliver(run, body).status_code == 202
    assert apply_run(run_id=run["run_id"]) == "failed"
    assert "came twice" in api.state(run)["error"]
