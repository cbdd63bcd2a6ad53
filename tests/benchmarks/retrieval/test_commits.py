import pytest

from benchmarks.retrieval.commits import (
    PER_FILE,
    PER_REPOSITORY,
    Commit,
    commit_queries,
    question,
    read_log,
    words,
)
from benchmarks.retrieval.queries import Kind

SOURCES = {"src/pool.py", "src/lease.py", "src/wait.py", "src/queue.py"}


def commit(number: int, *paths: str, subject: str = "", status: str = "M") -> Commit:
    subject = subject or f"Wait for a free lease in case {number}"
    return Commit(f"{number:040x}", subject, dict.fromkeys(paths, status))


def test_log_is_read_with_the_state_of_each_file() -> None:
    log = (
        "\x1eab12\x1fClose a lease twice\n\nM\tsrc/pool.py\nA\tsrc/new file.py\n\x1ecd34\x1fEmpty\n"
    )
    assert list(read_log(log)) == [
        Commit("ab12", "Close a lease twice", {"src/pool.py": "M", "src/new file.py": "A"}),
        Commit("cd34", "Empty", {}),
    ]


@pytest.mark.parametrize(
    ("subject", "asked"),
    [
        ("Close idle leases after a timeout (#123)", "Close idle leases after a timeout"),
        ("fix(pool): close idle leases twice", "pool: close idle leases twice"),
        ("feat: close idle leases twice", "close idle leases twice"),
        ("pool: close idle leases twice", "pool: close idle leases twice"),
        ("Fix leases that are never closed, fixes #12", "Fix leases that are never closed,"),
    ],
)
def test_subject_is_asked_without_its_kind_and_the_numbers_of_issues(
    subject: str, asked: str
) -> None:
    found = question(subject)
    assert found is not None
    assert found.rstrip(",") == asked.rstrip(",")


@pytest.mark.parametrize(
    "subject",
    [
        "Bump leases from one to two",
        "docs: how leases are closed",
        "Merge branch leases into main line",
        "Close leases",
        "Schließe alle Verbindungen des Pools",
        "close " * 40,
    ],
)
def test_subject_about_upkeep_or_without_content_is_none(subject: str) -> None:
    assert question(subject) is None


def test_the_lists_of_words_are_in_lower_case() -> None:
    assert {word.lower() for word in words().left_out} == words().left_out


def test_targets_are_the_changed_sources_without_tests_and_documents() -> None:
    changed = commit(1, "src/pool.py", "src/lease.py", "tests/test_pool.py", "docs/pool.md")
    (query,) = commit_queries("acme", [changed], SOURCES)
    assert query.kind is Kind.COMMIT
    assert [target.path for target in query.targets] == ["src/lease.py", "src/pool.py"]


@pytest.mark.parametrize(
    "changed",
    [
        commit(1, *sorted(SOURCES)),
        commit(1, "docs/pool.md"),
        commit(1, "src/pool.py", "src/unknown.py"),
        commit(1, "src/pool.py", status="A"),
        commit(1, "src/pool.py", subject="Let pool.py wait for a lease"),
    ],
)
def test_commit_is_left_out(changed: Commit) -> None:
    """Of too many files, of no source, of one that is not in the index, and one that names it."""
    assert not commit_queries("acme", [changed], SOURCES)


def test_drawing_is_the_same_each_time_and_takes_few_of_a_file_and_no_subject_twice() -> None:
    sources = {f"src/m{number}.py" for number in range(40)}
    commits = [commit(number, f"src/m{number % 40}.py") for number in range(400)]
    commits += [
        commit(1000 + number, "src/m1.py", subject="One for all leases") for number in (1, 2)
    ]
    drawn = commit_queries("acme", commits, sources)
    assert drawn == commit_queries("acme", reversed(commits), sources)
    assert len(drawn) == PER_REPOSITORY
    paths = [query.targets[0].path for query in drawn]
    assert max(map(paths.count, paths)) <= PER_FILE
    assert len({query.text for query in drawn}) == len(drawn)
