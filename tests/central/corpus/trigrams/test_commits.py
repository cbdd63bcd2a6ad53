"""The text index of commits: their messages and changed lines, beside that of files."""

import pytest

from central.corpus.dump import dump_lines
from central.corpus.models import Commit, TrigramPosting, TrigramSegment
from central.corpus.trigrams import merges
from central.corpus.trigrams.candidates import candidates
from central.corpus.trigrams.hashes import FORMAT
from central.corpus.trigrams.segments import unpack_ids
from central.corpus.trigrams.tree import literal_trigrams
from central.corpus.trigrams.upkeep import TextIndex
from central.projections import Difference
from central.repositories.models import Repository
from tests.central.commits import change, commit, push_commits, store_commits
from tests.central.protocol import api_of

pytestmark = pytest.mark.django_db(transaction=True)

HUNKS = "@@ -1 +1 @@\n-old_total = 1\n+new_total = 2\n"


def shop() -> Repository:
    return Repository.objects.select_related("organization").get(name="shop")


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


def test_commits_of_before_become_findable_without_a_run() -> None:
    """As an older version, or one without lines, stores them."""
    api = api_of()
    api.index({"a.py": "def a\n"})
    key = shop().pk
    changed = [change("b.py"), change("b/a.py", hunks=HUNKS)]
    store_commits(shop(), "Third", commit("First", changes=changed), commit("Second", "First"))
    before = dump_lines(shop())
    TrigramSegment.objects.filter(history_of=key).delete()
    Commit.objects.update(terms=b"", vector=None)
    store_commits(shop(), "Third", commit("Third", "Second"), base="Second")
    assert found("Third", incomplete=True) == {"Third"}
    assert TextIndex().rebuild(shop(), repair=False) == Difference(due=2, differing=0)
    assert TextIndex().behind() == {key: None}
    TextIndex().follow()
    assert found("First") == {"First"}
    Commit.objects.filter(subject="Third").delete()
    assert dump_lines(shop()) == before
    assert TextIndex().rebuild(shop(), repair=False) == Difference(due=0, differing=0)
    assert not TextIndex().behind()


def test_a_message_without_a_word_is_not_due_for_ever() -> None:
    api_of().index({"a.py": "def a\n"})
    store_commits(shop(), "", commit(""))
    Commit.objects.update(terms=b"")
    TextIndex().follow()
    assert not TextIndex().behind()


def test_segments_of_commits_are_merged_and_what_is_gone_leaves_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(merges, "MOST_SEGMENTS", 2)
    api = api_of()
    push_commits(api, "c0", commit("c0", at=9))
    for number in range(1, 5):
        push_commits(api, f"c{number}", commit(f"c{number}", f"c{number - 1}", at=9))
    of_commits = TrigramSegment.objects.filter(history_of=shop().pk)
    assert of_commits.count() == 5
    TextIndex().follow()
    assert of_commits.count() <= 2
    monkeypatch.setattr(merges, "_SPARE_FILES", 0)
    push_commits(api, "d", commit("d", "c0"), gone=["c1", "c2", "c3", "c4"])
    TextIndex().follow()
    ids = [key for segment in of_commits for key in unpack_ids(segment.files).tolist()]
    assert sorted(ids) == sorted(Commit.objects.values_list("pk", flat=True))


@pytest.mark.parametrize("is_former", [False, True])
def test_segments_of_commits_that_lack_some_or_are_damaged_are_built_again(
    is_former: bool,
) -> None:
    push_commits(api_of(), "Second", commit("First"), commit("Second", "First"))
    of_commits = TrigramSegment.objects.filter(history_of=shop().pk)
    if is_former:
        of_commits.update(format=1)
        found("First", incomplete=True)
        TextIndex().follow()
    else:
        TrigramPosting.objects.filter(segment__in=of_commits).update(data=b"\xff" * 4)
        assert TextIndex().rebuild(shop(), repair=True).differing == 2
        of_commits.all().delete()
        assert TextIndex().rebuild(shop(), repair=True).differing == 2
    assert found("First") == {"First"}
    assert TextIndex().rebuild(shop(), repair=False) == Difference(due=0, differing=0)
    assert set(of_commits.values_list("format", flat=True)) == {FORMAT}
