"""Commits of a run, from its batches to what is stored."""

import pytest

from central.corpus.models import Commit
from indexer.bundle.encode import encode_commit
from indexer.bundle.gzip import compress
from indexer.records import history
from tests.central.commits import commit, identity
from tests.central.protocol import Api, api_of, apply_run, tree_of

pytestmark = pytest.mark.django_db


def index(api: Api, head: str, *commits: history.Commit) -> None:
    """A full run of no files that brings commits, applied."""
    run = api.open(commit_sha=identity(head)).json()
    api.put_tree(run, tree_of({}))
    assert api.put_bytes(run, 1, compress(b"".join(map(encode_commit, commits)))).status_code == 204
    body = api.announcement(run, commit_sha=identity(head))
    assert api.deliver(run, body).status_code == 202
    assert apply_run(run_id=run["run_id"]) == "applied"


def test_a_full_run_of_the_same_commit_brings_the_past() -> None:
    """As `index --mode full` after an upgrade, or with the whole history in place of a part."""
    api = api_of()
    index(api, "d", commit("d", "m"))
    index(api, "d", commit("a"), commit("b", "a"), commit("m", "a", "b"))
    merges = dict(Commit.objects.values_list("sha", "merge"))
    brought = {"a": "a", "b": "m", "m": "m", "d": "d"}
    assert merges == {identity(own): identity(by) for own, by in brought.items()}
