"""Rewrites of C and C++: each has words without which it is not tried."""

import pytest

from indexer.languages.cpp_rewrites import REWRITES

_ANNOTATIONS = """
    GUARDED_BY(mu) GUARDED_VAR PT_GUARDED_BY(mu) ABSL_GUARDED_BY(mu) REQUIRES(mu)
    REQUIRES_SHARED(mu) ACQUIRE(mu) RELEASE_GENERIC(mu) TRY_ACQUIRE(true) EXCLUDES(mu)
    LOCKS_EXCLUDED(mu) ACQUIRED_BEFORE(mu) LOCK_RETURNED(mu) ASSERT_CAPABILITY(mu)
    RETURN_CAPABILITY(mu) EXCLUSIVE_LOCKS_REQUIRED(mu) SHARED_LOCKS_REQUIRED(mu)
    SHARED_LOCK_FUNCTION(mu) EXCLUSIVE_TRYLOCK_FUNCTION(true) UNLOCK_FUNCTION(mu)
    NO_THREAD_SAFETY_ANALYSIS
"""


@pytest.mark.parametrize(
    "source",
    [
        *(f"int hits() {one};" for one in _ANNOTATIONS.split()),
        "export int area();",
        "export module shapes;",
        "import shapes;",
        "if consteval { }",
        "void area(this Shape& shape);",
        "using First = Types...[0];",
        "auto [first, ...rest] = pair;",
        "friend Types...;",
        "#embed <logo.png>",
    ],
)
def test_a_rewrite_is_tried_where_its_construct_occurs(source: str) -> None:
    """A word that a construct lacks would end its rewrite without a word."""
    text = source.encode()
    found = [rewrite for rewrite in REWRITES if rewrite.words and any(rewrite.find(text))]
    assert found
    assert all(rewrite.may_occur(text) for rewrite in found)
