"""type:commit: messages by their text, and by words and meaning."""

import pytest

from aeterna_code_search.contract.search import Mode, SearchAnswer
from central.corpus.commits import derived_rows, put_derived_rows
from central.corpus.models import Commit
from tests.central.commits import identity
from tests.central.search.history.conftest import Search

SUBJECT = "Retry failed requests to the gateway"


def subjects(answer: SearchAnswer) -> list[str]:
    return [result.change.subject for result in answer.results if result.change]


def test_words_rank_commits_and_reverts_come_after_what_they_revert(find: Search) -> None:
    answer = find("type:commit failed gateway requests are tried again")
    assert subjects(answer)[:2] == [SUBJECT, f'Revert "{SUBJECT}"']
    assert answer.results[0].score == 1.0
    assert answer.results[0].file == ""
    assert answer.results[0].content.startswith(SUBJECT)
    assert "gateway" in answer.results[0].matched
    assert subjects(find("type:commit revert failed gateway"))[0].startswith("Revert")


def test_meaning_alone_and_words_alone(find: Search) -> None:
    assert subjects(find("type:commit idle gateway", mode=Mode.LEXICAL))[0] == SUBJECT
    assert (
        subjects(find("type:commit connection pooling", mode=Mode.SEMANTIC))[0]
        == "Keep a pool of connections"
    )


def test_a_quoted_text_is_found_in_subject_and_body_newest_first(find: Search) -> None:
    assert subjects(find('type:commit "gateway"')) == [f'Revert "{SUBJECT}"', SUBJECT]
    [result] = find("type:commit /fixes #\\d+/").results
    assert [(line.line, line.text) for line in result.lines] == [(4, "Fixes #12")]


def test_filters_alone_list_commits_newest_first(find: Search) -> None:
    assert subjects(find("type:commit file:client.py")) == [f'Revert "{SUBJECT}"', SUBJECT]
    assert subjects(find("type:commit author:ann@acme.example")) == [SUBJECT, "Begin"]
    assert subjects(find("type:commit before:2026-11-02")) == ["Begin"]
    assert len(find("type:commit").results) == 5


def test_filters_and_texts_restrict_the_ranking(find: Search) -> None:
    words = "type:commit gateway retry"
    assert subjects(find(f"{words} author:bob file:client"))[0] == f'Revert "{SUBJECT}"'
    assert subjects(find(f'{words} "idle"')) == [SUBJECT]
    assert set(subjects(find(f"{words} repo:payments"))) <= {"Keep a pool of connections"}


def test_pages_of_ranked_commits_are_of_one_order(find: Search) -> None:
    whole = subjects(find("type:commit retry gateway pool", limit=5))
    first = find("type:commit retry gateway pool", limit=2)
    assert first.next_cursor is not None
    second = find("type:commit retry gateway pool", limit=2, cursor=first.next_cursor)
    assert [*subjects(first), *subjects(second)] == whole[:4]


def test_commits_of_an_older_version_are_ranked_once_they_have_their_terms(find: Search) -> None:
    """No index gets another generation by that."""
    query = "type:commit failed gateway requests"
    stored = {row.pk: (row.terms, row.vector) for row in Commit.objects.all()}
    Commit.objects.update(terms=b"", vector=None)
    assert SUBJECT not in subjects(find(query, mode=Mode.LEXICAL))
    put_derived_rows(derived_rows(list(stored)))
    assert SUBJECT in subjects(find(query, mode=Mode.LEXICAL))
    assert {row.pk: (row.terms, row.vector) for row in Commit.objects.all()} == stored


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('type:commit "merge" -file:docs', ["Merge branch 'retry'"]),
        ('type:commit "merge" -lang:text', ["Merge branch 'retry'"]),
        ('type:commit ("merge" OR file:README)', ["Merge branch 'retry'", "Begin"]),
        ('type:commit "merge" file:src', []),
        ('type:commit "merge" lang:text', []),
    ],
)
def test_a_commit_that_changes_no_path_is_of_none(
    find: Search, query: str, expected: list[str]
) -> None:
    assert subjects(find(query)) == expected


def test_the_beginning_of_an_id_names_a_commit(find: Search) -> None:
    sha = identity(SUBJECT)
    for text in (sha, sha[:7], sha[:10].upper()):
        assert [result.commit for result in find(f"type:commit {text}").results] == [sha]
    assert find(f"type:commit {sha} repo:nowhere").results == []
