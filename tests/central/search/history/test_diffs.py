"""type:diff: lines that commits added or removed."""

import pytest

from aeterna_code_search.contract.search import Mode, SearchAnswer, Side
from central.corpus.models import CommitChange
from central.errors import InvalidError
from indexer.records.history import Unread
from tests.central.commits import identity
from tests.central.search.history.conftest import Search


def places(answer: SearchAnswer) -> list[tuple[str, str]]:
    return [(result.project, result.file) for result in answer.results]


def test_a_word_is_found_in_added_and_in_removed_lines_with_their_numbers(find: Search) -> None:
    [result] = find("type:diff retry repo:auth file:client").results
    assert [(line.line, line.side, line.text) for line in result.lines] == [
        (4, Side.REMOVED, '    # no "retry"'),
    ]
    assert result.lines[0].ranges == [[10, 15]]
    [answer] = find("type:diff timeout").results
    assert [(line.line, line.side) for line in answer.lines] == [(4, Side.ADDED)]


def test_a_hit_names_its_commit_and_the_merge_that_brought_it(find: Search) -> None:
    [result] = find('type:diff "MAX_RETRIES"').results
    subject = "Retry failed requests to the gateway"
    assert (result.commit, result.file, result.language) == (
        identity(subject),
        "src/client.py",
        "python",
    )
    assert (
        result.url
        == f"https://forge.example/acme/auth-service/blob/{identity(subject)}/src/client.py"
    )
    change = result.change
    assert change is not None
    assert (change.subject, change.author) == (subject, "ann@acme.example")
    assert change.committed_at == "2026-11-02T00:00:00Z"
    assert change.merge == identity(subject)
    assert change.reverted_by == [identity(f'Revert "{subject}"')]
    assert [(line.line, line.side) for line in result.lines] == [(22, Side.ADDED)]


def test_all_words_must_occur_in_the_lines_of_a_path(find: Search) -> None:
    answer = find("type:diff POOL size")
    assert places(answer) == [
        ("payments-api", "internal/pool.py"),
        ("auth-service", "web/pool.ts"),
    ]
    assert answer.total is not None
    assert (answer.total.files, answer.total.at_least) == (2, False)
    assert places(find("type:diff pool attempt")) == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("type:diff /^retry_\\w+ = True$/", ["internal/pool.py", "web/pool.ts"]),
        ('type:diff "Pool("', ["internal/pool.py", "web/pool.ts"]),
        ('type:diff "POOL("', []),
        ('type:diff case:no "POOL("', ["internal/pool.py", "web/pool.ts"]),
        ('type:diff "\\"retry\\""', ["src/client.py"]),
        ("type:diff pool -file:web", ["internal/pool.py"]),
        ("type:diff pool file:old_pool", ["internal/pool.py"]),
        ("type:diff pool lang:typescript", ["web/pool.ts"]),
        ("type:diff pool repo:auth", ["web/pool.ts"]),
        ("type:diff pool -answer", ["internal/pool.py", "web/pool.ts"]),
        ("type:diff retry -answer", ["internal/pool.py", "web/pool.ts"]),
        ("type:diff pool before:2026-11-03", ["web/pool.ts"]),
        ("type:diff pool after:2026-11-03", ["internal/pool.py"]),
        ("type:diff pool author:cat@", ["internal/pool.py"]),
        ("type:diff pool -author:cat", ["web/pool.ts"]),
        ("type:diff after:2026-11-03", ["internal/pool.py"]),
        ('type:diff ("answer" OR "None") repo:auth', ["src/client.py", "web/pool.ts"]),
        ('type:diff "send(request)\n    # no"', ["src/client.py"]),
    ],
)
def test_texts_patterns_and_filters(find: Search, query: str, expected: list[str]) -> None:
    assert [result.file for result in find(query).results] == expected


def test_fields_of_the_request_hold(find: Search) -> None:
    asked = "type:diff pool"
    assert places(find(asked, include_projects=("payments-api",))) == [
        ("payments-api", "internal/pool.py")
    ]
    assert places(find(asked, path="web/")) == [("auth-service", "web/pool.ts")]
    assert places(find(asked, language="python")) == [("payments-api", "internal/pool.py")]
    assert places(find(asked, exclude="internal")) == [("auth-service", "web/pool.ts")]


def test_pages_follow_one_another_within_a_commit(find: Search) -> None:
    cursor, found, totals = "", [], []
    while True:
        answer = find("type:diff retry", limit=1, cursor=cursor)
        found += places(answer)
        totals.append(answer.total and answer.total.files)
        if answer.next_cursor is None:
            break
        cursor = answer.next_cursor
    assert found == [
        ("payments-api", "internal/pool.py"),
        ("auth-service", "src/client.py"),
        ("auth-service", "web/pool.ts"),
    ]
    assert totals == [3, 3, 3]


def test_the_mode_regex_is_one_pattern_beside_filters(find: Search) -> None:
    [result] = find("type:diff MAX_\\w+ = \\d", mode=Mode.REGEX).results
    assert result.matched == ["MAX_RETRIES = 3"]


def test_what_is_of_files_only_is_refused(find: Search) -> None:
    with pytest.raises(InvalidError, match="sym: out"):
        find("type:diff sym:x")
    with pytest.raises(InvalidError, match="Give one type"):
        find("type:diff x", chunk_type="function")
    with pytest.raises(InvalidError, match="is of files"):
        find("type:diff x", mode=Mode.SYMBOL)


def test_an_empty_answer_says_that_lines_of_some_paths_are_not_stored(find: Search) -> None:
    CommitChange.objects.filter(path="src/client.py").update(unread=Unread.LARGE)
    assert "Not all changed lines are stored" in (find('type:diff "nowhere"').hint or "")
    assert "Not all changed lines are stored" not in (find('type:commit "nowhere"').hint or "")


def test_an_empty_answer_says_since_when_commits_are_stored(find: Search) -> None:
    assert find('type:diff "nowhere"').hint == (
        "No stored commit fulfils the query. Commits are stored since 2026-11-01T00:00:00Z."
    )
