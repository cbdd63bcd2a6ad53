"""What a search of commits does not look at is said, and what it cannot answer is refused."""

import pytest

from aeterna_code_search.contract.search import SearchRequest
from central.corpus.models import Commit
from central.errors import InvalidError
from central.repositories.models import Repository
from central.search.line_search import every_match
from central.tenancy.models import Organization
from tests.central.commits import commit, identity, store_commits
from tests.central.factories import RepositoryFactory
from tests.central.search.corpus import credential_for
from tests.central.search.history.conftest import AUTH, Search, day, lines


def test_what_time_does_not_allow_comes_with_the_next_page(
    find: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("central.search.history.service.HISTORY_SECONDS", -1.0)
    found, cursor, pages = [], "", 0
    while True:
        answer = find("type:diff pool", cursor=cursor)
        found += [result.file for result in answer.results]
        pages += 1
        if answer.next_cursor is None:
            break
        assert {row.reason for row in answer.receipt.missing} == {"timeout"}
        assert answer.total is not None
        assert answer.total.at_least
        cursor = answer.next_cursor
    assert found == ["internal/pool.py", "web/pool.ts"]
    assert pages == 2


def test_of_too_many_commits_the_newest_are_searched(
    find: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("central.search.history.scan.HISTORY_COMMITS_SEARCHED", 2)
    answer = find("type:commit")
    assert [result.change.subject for result in answer.results if result.change] == [
        "Keep a pool of connections",
        "Merge branch 'retry'",
    ]
    [missing] = answer.receipt.missing
    assert (missing.project, missing.reason) == ("auth-service", "too_many_commits")
    assert answer.total is not None
    assert answer.total.at_least


def test_commits_that_are_deleted_meanwhile_are_left_out(find: Search) -> None:
    assert len(find("type:commit").results) == 5
    Commit.objects.filter(subject="Begin").delete()  # as the retention does, without a new index
    assert len(find("type:commit").results) == 4
    assert all(
        result.change and result.change.subject != "Begin"
        for result in find("type:commit begin").results
    )


def test_what_a_run_brings_is_found_at_once(acme: Organization, find: Search) -> None:
    assert find('type:diff "brand_new"').results == []
    repository = Repository.objects.get(name="auth-service")
    hunks = "@@ -0,0 +1 @@\n+brand_new = True\n"
    new = commit("Add it", "Merge branch 'retry'", at=day(9), changes=[lines("new.py", hunks)])
    store_commits(repository, "Add it", new, base=AUTH[-1].subject)
    [result] = find('type:diff "brand_new"').results
    assert result.commit == identity("Add it")


def test_the_stream_refuses_commits(acme: Organization) -> None:
    request = SearchRequest(queries=('type:diff "pool"',))
    with pytest.raises(InvalidError, match="answered in pages"):
        every_match(credential=credential_for(acme), request=request)


def test_repositories_without_commits_are_counted_in_an_empty_answer(
    acme: Organization, find: Search
) -> None:
    RepositoryFactory.create(organization=acme, name="new", generation=1)
    hint = find('type:diff "nowhere"').hint or ""
    assert "None are stored of 1 repository." in hint
    hint = find('type:commit "nowhere" repo:new').hint or ""
    assert hint.startswith("No commit of these repositories is stored yet.")


def test_a_ranked_search_says_which_commits_it_had_no_time_to_read(
    find: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("central.search.history.service.HISTORY_SECONDS", -1.0)
    answer = find("type:commit retry failed requests")
    assert answer.results == []
    assert {row.reason for row in answer.receipt.missing} == {"timeout"}
    monkeypatch.undo()
    assert find("type:commit retry failed requests").results  # and what was read is kept
    monkeypatch.setattr("central.search.history.service.HISTORY_SECONDS", -1.0)
    assert find("type:commit retry failed requests").receipt.complete
