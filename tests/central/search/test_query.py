import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.contract.search import SearchRequest
from central.search import query
from central.search.filters import is_narrowed, point_filter, row_filter
from central.search.query import SymbolName, casefolded, name_parts, parse_query, stem
from indexer.languages.registry import PARSED
from indexer.lexical import query_terms
from indexer.store.base import PointFilter


@pytest.mark.parametrize(
    "text",
    ["getUserName", "get_user_name", "AuthMiddleware", "auth.login()", "Foo::bar", "_private"],
)
def test_identifiers_make_a_symbolic_query(text: str) -> None:
    assert parse_query(text).symbolic


@pytest.mark.parametrize("text", ["where is the retry logic?", "session", "JWT tokens", "", "the"])
def test_words_make_a_natural_query(text: str) -> None:
    assert not parse_query(text).symbolic


def test_qualified_name_is_split_into_container_and_name() -> None:
    assert parse_query("AuthMiddleware.authenticate()").symbols == (
        SymbolName("authenticate", "AuthMiddleware"),
    )


def test_identifier_inside_a_sentence_is_found() -> None:
    query = parse_query("who calls validate_token in the gateway")
    assert [symbol.name for symbol in query.symbols] == ["validate_token"]
    assert not query.symbolic


def test_file_name_is_no_symbol_and_its_extension_no_word() -> None:
    query = parse_query("tokens.py")
    assert query.symbols == ()
    assert query.words == ("token",)


@pytest.mark.parametrize("suffix", [one for language in PARSED for one in language.suffixes])
def test_a_file_of_every_language_is_named_by_its_suffix(suffix: str) -> None:
    query = parse_query(f"tokens{suffix}")
    assert query.symbols == ()
    assert query.words == ("token",)


def test_name_in_capitals_behind_a_dot_is_no_extension() -> None:
    assert parse_query("Context.JSON").symbols == (SymbolName("JSON", "Context"),)


def test_bare_word_may_be_a_symbol_but_counts_less() -> None:
    assert parse_query("session").symbols == (SymbolName("session", strength=0.5),)


def test_stop_words_are_not_searched_for_unless_there_is_nothing_else() -> None:
    assert parse_query("where is the session").terms == query_terms("session")
    assert parse_query("where is the").terms == query_terms("where is the")


def test_a_word_may_ask_for_several_kinds_of_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(query._INTENTS, "changelogs", frozenset({"changelog"}))
    assert parse_query("changelog of releases").intents == {"changelogs", "docs"}


def test_query_that_asks_for_tests_says_so() -> None:
    assert parse_query("tests for the login handler").intents == {"tests"}
    assert parse_query("login handler").intents == frozenset()


@pytest.mark.parametrize(
    ("plural", "singular"),
    [("tokens", "token"), ("retries", "retry"), ("classes", "class"), ("boxes", "box")],
)
def test_plural_and_singular_have_one_stem(plural: str, singular: str) -> None:
    assert stem(plural) == stem(singular)


@pytest.mark.parametrize("word", ["status", "class", "is", "analysis", "bus"])
def test_word_that_ends_in_s_is_kept(word: str) -> None:
    assert stem(word) == word


def test_spellings_of_one_name_fold_to_the_same() -> None:
    assert {casefolded(name) for name in ("getUserName", "get_user_name", "GetUserName()")} == {
        "getusername"
    }
    assert name_parts("getUserName") == name_parts("get_user_name") == ("get", "user", "name")


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    query = parse_query(text)
    assert len(query.words) == len(query.word_terms)
    assert all(0 < symbol.strength <= 1.0 for symbol in query.symbols)


PATHS = st.lists(st.sampled_from(["src", "auth", "authors", "a"]), min_size=1, max_size=4).map(
    "/".join
)


def test_store_gets_the_path_up_to_its_last_boundary() -> None:
    assert point_filter(SearchRequest(queries=("q",), path="src/au")).path == "src"
    assert point_filter(SearchRequest(queries=("q",), path="src/auth/")).path == "src/auth"
    assert point_filter(SearchRequest(queries=("q",), path="sr")).path == ""


def test_rows_are_checked_against_the_whole_prefix() -> None:
    rows = row_filter(SearchRequest(queries=("q",), path="./src/au"))
    assert rows.admits(1, "src/auth.py", "")
    assert not rows.admits(1, "src/billing.py", "")


def test_exclusion_is_part_of_the_path_in_any_case() -> None:
    rows = row_filter(SearchRequest(queries=("q",), exclude="Test| mock ||"))
    assert not rows.admits(1, "src/TESTS/login.py", "")
    assert not rows.admits(1, "src/mocks.py", "")
    assert rows.admits(1, "src/login.py", "")


def test_language_is_compared_in_lower_case() -> None:
    request = SearchRequest(queries=("q",), language="Python")
    assert point_filter(request) == PointFilter(languages=("python",))
    assert row_filter(request).admits(1, "a", "python")
    assert not row_filter(request).admits(1, "a", "go")


def test_request_with_a_query_alone_is_not_narrowed() -> None:
    assert not is_narrowed(SearchRequest(queries=("q",)))
    assert is_narrowed(SearchRequest(queries=("q",), min_similarity=0.0))


@given(path=PATHS, prefix=st.text(alphabet="srcauth/", max_size=8))
def test_store_never_leaves_out_what_the_rows_admit(path: str, prefix: str) -> None:
    request = SearchRequest(queries=("q",), path=prefix)
    if row_filter(request).admits(1, path, ""):
        boundary = point_filter(request).path
        assert not boundary or path == boundary or path.startswith(f"{boundary}/")
