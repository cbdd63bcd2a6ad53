"""The finder: which paths it finds, and which come first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.files.finder import FOUND_PATHS, find_paths, rank
from tests.central.factories import FileFactory, RepositoryFactory

PATHS = (
    "central/web/views_files.py",
    "central/web/views_code.py",
    "central/files/views.py",
    "central/files/finder.py",
    "docs/files.md",
    "tests/central/files/test_finder.py",
    "Makefile",
    "f/i/n/d/e/r.txt",
)
WORDS = st.text(alphabet="abA/._%\\é ", max_size=12)


def best(query: str) -> list[str]:
    return [one.path for one in sorted(filter(None, (rank(query, path) for path in PATHS)))]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("finder.py", "central/files/finder.py"),
        ("finder", "central/files/finder.py"),
        ("FINDER", "central/files/finder.py"),
        ("wvf", "central/web/views_files.py"),
        ("files/views", "central/files/views.py"),
        ("web/vc", "central/web/views_code.py"),
        ("vws", "central/files/views.py"),
        ("mkf", "Makefile"),
        ("findertxt", "f/i/n/d/e/r.txt"),
        ("fndr", "central/files/finder.py"),
        ("testfind", "tests/central/files/test_finder.py"),
    ],
)
def test_the_closest_is_first(query: str, first: str) -> None:
    assert best(query)[0] == first


def test_a_name_is_before_a_path() -> None:
    assert best("finder").index("f/i/n/d/e/r.txt") == 2


@given(query=WORDS, path=WORDS)
def test_what_is_found_has_the_characters_in_their_order(query: str, path: str) -> None:
    left = iter(path.lower())
    assert (rank(query, path) is not None) == all(one in left for one in query.lower())


@pytest.mark.django_db
def test_the_database_finds_what_is_ranked() -> None:
    repository = RepositoryFactory.create()
    for path in (*PATHS, "100%_\\odd.py"):
        FileFactory.create(repository=repository, path=path)
    FileFactory.create(path="another/finder.py")
    for query in ("finder", "FIND er", "wvf", "docs/f", "mkf"):
        assert find_paths(repository=repository, query=query).paths == best(query.replace(" ", ""))
    for query in ("%", "_\\", "100%_\\odd"):
        assert "100%_\\odd.py" in find_paths(repository=repository, query=query).paths
    assert find_paths(repository=repository, query="%%").paths == []


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["", "  ", "a\0"])
def test_nothing_is_found_without_characters(query: str) -> None:
    repository = RepositoryFactory.create()
    FileFactory.create(repository=repository, path="a.py")
    assert find_paths(repository=repository, query=query).paths == []


@pytest.mark.django_db
def test_the_list_is_bounded_and_says_that_there_is_more() -> None:
    repository = RepositoryFactory.create()
    for number in range(FOUND_PATHS + 1):
        FileFactory.create(repository=repository, path=f"a{number}.py")
    found = find_paths(repository=repository, query="a")
    assert (len(found.paths), found.has_more) == (FOUND_PATHS, True)


@pytest.mark.django_db
def test_paths_that_hold_the_characters_together_are_ranked_before_shorter_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("central.files.finder.PATHS_RANKED", 1)
    repository = RepositoryFactory.create()
    for path in ("n/e/e/d/l/É", "some/where/Needlé.py"):
        FileFactory.create(repository=repository, path=path)
    for query in ("needl", "needlé", "NEEDLÉ"):
        assert find_paths(repository=repository, query=query).paths == ["some/where/Needlé.py"]
