"""Commits of a run, from its batches to what is stored."""

import pytest

from central.corpus.models import Commit
from tests.central.commits import commit, identity, push_commits
from tests.central.protocol import api_of

pytestmark = pytest.mark.django_db


def test_a_full_run_of_the_same_commit_brings_the_past() -> None:
    """As `index --mode full` after an upgrade, or with the whole history in place of a part."""
    api = api_of()
    push_commits(api, "d", commit("d", "m"))
    push_commits(api, "d", commit("a"), commit("b", "a"), commit("m", "a", "b"))
    merges = dict(Commit.objects.values_list("sha", "merge"))
    brought = {"a": "a", "b": "m", "m": "m", "d": "d"}
    assert merges == {identity(own): identity(by) for own, by in brought.items()}
