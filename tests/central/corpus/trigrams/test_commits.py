"""The text index of commits: their messages and changed lines, beside that of files."""

import pytest

from central.corpus.models import Commit
from central.corpus.trigrams.candidates import candidates
from central.corpus.trigrams.tree import literal_trigrams
from central.repositories.models import Repository
from tests.central.commits import change, commit, push_commits, store_commits
from tests.central.protocol import api_of

pytestmark = pytest.mark.django_db(transaction=True)

HUNKS = "@@ -1 +1 @@\n-old_total = 1\n+new_total = 2\n"


def found(word: str, project: str = "shop", *, incomplete: bool = False) -> set[str]:
    """Subjects of the stored commits among the candidates."""
    key = Repository.objects.get(name=project).pk
    result = candidates([key], literal_trigrams(word), most=1_000, of_commits=True)
    assert result.incomplete == ({key} if incomplete else set())
    ids = [int(commit) for commit in result.files.get(key, ())]
    return set(Commit.objects.filter(pk__in=ids).values_list("subject", flat=True))


def test_a_run_s_commits_are_found_by_message_and_by_changed_lines() -> None:
    api = api_of()
    changed = change("shop/cart.py", hunks=HUNKS)
    push_commits(
        api, "Fix totals", commit("Fix totals", body="They were wrong.", changes=[changed])
    )
    for word in ("totals", "were wrong", "old_total = 1", "new_total"):
        assert found(word) == {"Fix totals"}
    assert found("+new") == found("cart.py") == set()
    files = candidates([Repository.objects.get().pk], literal_trigrams("new_total"), most=9)
    assert (files.files, files.incomplete) == ({}, set())


def test_a_commit_that_is_gone_or_comes_again_is_found_as_it_is_stored() -> None:
    api = api_of()
    push_commits(api, "Second", commit("First"), commit("Second", "First"))
    push_commits(api, "Third", commit("First"), commit("Third", "First"), gone=["Second"])
    assert (found("First"), found("Second"), found("Third")) == ({"First"}, set(), {"Third"})
    again = commit("First", changes=[change("a.py", hunks=HUNKS)])
    push_commits(api, "Third", again, commit("Third", "First"), gone=["First", "Third"])
    assert found("new_total") == {"First"}


@pytest.mark.django_db
def test_a_commit_of_before_is_said_to_be_missing() -> None:
    repository = Repository.objects.create(
        organization=api_of().organization, name="shop", generation=1, text_generation=1
    )
    store_commits(repository, "Begin", commit("Begin"))
    assert found("Begin") == {"Begin"}
    Commit.objects.update(terms=b"")
    found("Begin", incomplete=True)
