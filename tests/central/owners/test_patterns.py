"""The index of many patterns says what each pattern says by itself, and both what is documented."""

import fnmatch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from central.owners.patterns import PatternError, PatternIndex, github_pattern, gitlab_pattern
from indexer.globs import ignore_spec

NAMES = ("a", "b", "ab", "a.py", "*", "*.py", "a*", "?", "**")
SEGMENTS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4)
PATTERNS = st.builds(
    "{}{}{}".format, st.sampled_from(["", "/"]), SEGMENTS.map("/".join), st.sampled_from(["", "/"])
)
PATHS = st.lists(st.sampled_from(["a", "b", "ab", "a.py", "c"]), min_size=1, max_size=4).map(
    "/".join
)


def ignored(pattern: str, path: str) -> bool:
    return bool(ignore_spec([pattern]).match_file(path))


@given(pattern=PATTERNS, path=PATHS)
@example(pattern="docs/*", path="docs/a")
def test_a_pattern_of_github_matches_as_git_ignores_unless_it_ends_with_stars(
    pattern: str, path: str
) -> None:
    matches = bool(PatternIndex([github_pattern(pattern)]).matching(path))
    if pattern.endswith(("/*", "**/")):  # git itself takes `a/**/` for the directories below
        return
    assert matches == ignored(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/a/*", "a/b", True),
        ("/a/*", "a/b/c", False),
        ("a/*", "q/a/b", False),
        ("a/**/*", "a/b/c", True),
        ("**/a/*", "q/a/b", True),
        ("**/a/*", "q/a/b/c", False),
    ],
)
def test_a_star_at_the_end_of_githubs_matches_nothing_deeper(
    pattern: str, path: str, matches: bool
) -> None:
    assert bool(PatternIndex([github_pattern(pattern)]).matching(path)) is matches


@given(patterns=st.lists(PATTERNS, max_size=30), path=PATHS)
def test_many_patterns_together_match_as_each_alone(patterns: list[str], path: str) -> None:
    for read in (github_pattern, gitlab_pattern):
        known = [read(one) for one in patterns if _is_valid(read, one)]
        alone = [at for at, one in enumerate(known) if PatternIndex([one]).matching(path)]
        assert sorted(PatternIndex(known).matching(path)) == alone


def _is_valid(read: object, pattern: str) -> bool:
    try:
        read(pattern)  # type: ignore[operator]
    except PatternError:
        return False
    return True


@given(name=st.text("ab?*", min_size=1, max_size=6), path=st.text("ab", min_size=1))
def test_a_name_of_gitlab_matches_as_a_shell_does(name: str, path: str) -> None:
    index = PatternIndex([gitlab_pattern(f"/x/{name}")])
    assert bool(index.matching(f"x/{path}")) == fnmatch.fnmatchcase(path, name)
    assert not index.matching(f"y/{path}")


def test_hostile_stars_cost_time_that_is_linear_in_the_path() -> None:
    """Backtracking would take years; each of 100 patterns has all the stars that it may."""
    stars = [f"/{'*'.join('ab' * 8)}x{number}" for number in range(100)]
    index = PatternIndex(map(github_pattern, stars))
    assert index.matching("ab" * 450) == set()
    assert index.matching(f"{'ab' * 450}x7") == {7}
