from hypothesis import given
from hypothesis import strategies as st

from central.search.query import SearchRequest, is_narrowed, point_filter, row_filter
from indexer.store.base import PointFilter

PATHS = st.lists(st.sampled_from(["src", "auth", "authors", "a"]), min_size=1, max_size=4).map(
    "/".join
)


def test_store_gets_the_path_up_to_its_last_boundary() -> None:
    assert point_filter(SearchRequest(("q",), path="src/au")).path == "src"
    assert point_filter(SearchRequest(("q",), path="src/auth/")).path == "src/auth"
    assert point_filter(SearchRequest(("q",), path="sr")).path == ""


def test_rows_are_checked_against_the_whole_prefix() -> None:
    rows = row_filter(SearchRequest(("q",), path="./src/au"))
    assert rows.admits(path="src/auth.py", language="", chunk_type="")
    assert not rows.admits(path="src/billing.py", language="", chunk_type="")


def test_exclusion_is_part_of_the_path_in_any_case() -> None:
    rows = row_filter(SearchRequest(("q",), exclude="Test| mock ||"))
    assert not rows.admits(path="src/TESTS/login.py", language="", chunk_type="")
    assert not rows.admits(path="src/mocks.py", language="", chunk_type="")
    assert rows.admits(path="src/login.py", language="", chunk_type="")


def test_language_is_compared_in_lower_case() -> None:
    request = SearchRequest(("q",), language="Python")
    assert point_filter(request) == PointFilter(languages=("python",))
    assert row_filter(request).admits(path="a", language="python", chunk_type="")
    assert not row_filter(request).admits(path="a", language="go", chunk_type="")


def test_request_with_a_query_alone_is_not_narrowed() -> None:
    assert not is_narrowed(SearchRequest(("q",)))
    assert is_narrowed(SearchRequest(("q",), min_similarity=0.0))


@given(path=PATHS, prefix=st.text(alphabet="srcauth/", max_size=8))
def test_store_never_leaves_out_what_the_rows_admit(path: str, prefix: str) -> None:
    request = SearchRequest(("q",), path=prefix)
    if row_filter(request).admits(path=path, language="", chunk_type=""):
        boundary = point_filter(request).path
        assert not boundary or path == boundary or path.startswith(f"{boundary}/")
