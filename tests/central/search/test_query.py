import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.search.query import SymbolName, folded, name_parts, parse_query, stem
from indexer.lexical import query_terms


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


def test_bare_word_may_be_a_symbol_but_counts_less() -> None:
    assert parse_query("session").symbols == (SymbolName("session", strength=0.5),)


def test_stop_words_are_not_searched_for_unless_there_is_nothing_else() -> None:
    assert parse_query("where is the session").terms == query_terms("session")
    assert parse_query("where is the").terms == query_terms("where is the")


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
    assert {folded(name) for name in ("getUserName", "get_user_name", "GetUserName()")} == {
        "getusername"
    }
    assert name_parts("getUserName") == name_parts("get_user_name") == ("get", "user", "name")


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    query = parse_query(text)
    assert len(query.words) == len(query.word_terms)
    assert all(0 < symbol.strength <= 1.0 for symbol in query.symbols)
