import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.search.query import SymbolName, parse_query

CLASS = frozenset({"class"})
FUNCTION = frozenset({"function", "method"})
MODULE = frozenset({"module"})
CONSTANT = frozenset({"module", "class"})


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("class Session", SymbolName("Session", types=CLASS)),
        ("class Session(SessionMixin):", SymbolName("Session", types=CLASS)),
        ("public abstract class Session<T> extends Base {", SymbolName("Session", types=CLASS)),
        ("struct Session", SymbolName("Session", types=CLASS)),
        ("interface Session {", SymbolName("Session", types=CLASS)),
        ("type Context struct {", SymbolName("Context", types=CLASS)),
        ("pub trait HttpBody: Send", SymbolName("HttpBody", types=CLASS)),
        ("enum class Mode", SymbolName("Mode", types=CLASS)),
        ("def echo", SymbolName("echo", types=FUNCTION)),
        ("def echo(message, nl=True)", SymbolName("echo", types=FUNCTION)),
        ("async def fetch", SymbolName("fetch", types=FUNCTION)),
        ("func (c *Context) JSON(code int, obj any)", SymbolName("JSON", "Context", 1.0, FUNCTION)),
        ("func Default", SymbolName("Default", types=FUNCTION)),
        ("pub(crate) fn parse", SymbolName("parse", types=FUNCTION)),
        ("export default function createStore", SymbolName("createStore", types=FUNCTION)),
        ("function echo", SymbolName("echo", strength=0.5, types=FUNCTION)),
        ("def Session.send", SymbolName("send", "Session", 1.0, FUNCTION)),
        ("export const MAX_AGE = 3", SymbolName("MAX_AGE", types=CONSTANT)),
        ("module Jekyll", SymbolName("Jekyll", types=MODULE)),
    ],
)
def test_definition_keyword_asks_for_the_name_behind_it(text: str, symbol: SymbolName) -> None:
    query = parse_query(text)
    assert query.symbols == (symbol,)
    assert query.text == text
    assert not query.has_prose
    assert query.symbolic is (symbol.strength == 1.0)
    assert query.terms == parse_query(symbol.name).terms | (
        parse_query(symbol.container).terms if symbol.container else {}
    )


@pytest.mark.parametrize(
    "text",
    ["class", "def", "class hierarchy of errors", "function that echoes", "type of a session"],
)
def test_keyword_in_a_sentence_is_a_word(text: str) -> None:
    query = parse_query(text)
    assert not any(symbol.types for symbol in query.symbols)
    assert set(parse_query(text.split(maxsplit=1)[0]).terms) <= set(query.terms)


@given(st.sampled_from(["class", "def", "func (", "pub fn", "type", "const"]), st.text(max_size=60))
def test_any_text_behind_a_keyword_can_be_read(keyword: str, text: str) -> None:
    query = parse_query(f"{keyword} {text}")
    assert len(query.words) == len(query.word_terms)
