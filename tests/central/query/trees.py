"""Syntax trees as a parser makes them, and texts that look like queries, for property tests."""

from itertools import pairwise

from hypothesis import strategies as st

from central.query.escapes import is_near_regex
from central.query.filters import COMMIT_FILTERS, NAMED_VALUES, TYPES, FilterName, Match
from central.query.languages import language_name
from central.query.patterns import GLOB_CHARACTERS
from central.query.syntax import (
    And,
    Case,
    Filter,
    Literal,
    Node,
    Not,
    Or,
    Query,
    Regex,
    Word,
    conjunction,
    disjunction,
)

FRAGMENTS = (
    "repo:", "-file:", "lang:", "type:function", "case:no", "sym:", "content:", "langs:x", "::",
    "owner:@", "org:x", '"', '"a b"', "/", "/x.*/", r"\/", "(", ")", "-", "NOT", "OR", "AND",
    " or ", " and ", " not ", " ", "  ", "\n",
    "author:", "before:", "type:diff",
    "\\", "a", "or", "not", "foo(", "B", "1", "é", "*", "[", "?", "^", "$", "->", "--x",
    "http://", "\0", "'",
)  # fmt: skip
nasty_text = st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join)

_SPECIAL_WORDS = (
    "OR",
    "NOT",
    "AND",
    "repo:x",
    "langs:go",
    "count:all",
    "->",
    '""',
    "(a)",
    "/a/",
    "-x",
    "or",
    "and",
    "not",
    "x",
    "X",
    "-(",
    "\\",
)
_word_text = st.sampled_from(_SPECIAL_WORDS) | st.text(min_size=1, max_size=8).filter(
    lambda text: not any(character.isspace() for character in text)
)
_word_characters = st.text(alphabet='abRO"/()-:\\*[.1_é>', min_size=1, max_size=8)
words = (_word_text | _word_characters).map(Word)
literals = st.text(min_size=1, max_size=8).map(Literal)
_PATTERN_PARTS = ("a", "B", "/", r"\.", r"\\", "[a-z]", "(x|y)", r"\s", "b*", r"\"", "^", "$")
_patterns = st.lists(st.sampled_from(_PATTERN_PARTS), min_size=1, max_size=5).map("".join)
_spaced_patterns = st.lists(
    st.sampled_from((*_PATTERN_PARTS, " ", "\n")), min_size=1, max_size=5
).map("".join)
regexes = _spaced_patterns.map(Regex)
_GLOB_PARTS = ("*", "?", "[ab]", "x", "(", ")", ":", "/", '"', "-", "**/")
_globs = (
    st.lists(st.sampled_from(_GLOB_PARTS), max_size=6)
    .map("".join)
    .filter(lambda glob: not GLOB_CHARACTERS.isdisjoint(glob))
    .filter(lambda glob: not glob.startswith("/") and not is_near_regex(glob))
)
_named = st.sampled_from([name for name in FilterName if name not in NAMED_VALUES])
_values = {
    FilterName.LANG: st.text(min_size=1, max_size=8).map(language_name),
    FilterName.TYPE: st.sampled_from(sorted(TYPES)),
    FilterName.REV: st.sampled_from(["main", "release/*", "HEAD:a b", "release/1:main"]),
}
filters = st.one_of(
    st.builds(Filter, _named, st.text(min_size=1, max_size=8), st.just(Match.SUBSTRING)),
    st.builds(Filter, _named, st.text(alphabet="a.@+|*/", min_size=1), st.just(Match.SUBSTRING)),
    st.builds(Filter, _named, _globs, st.just(Match.GLOB)),
    st.builds(Filter, _named, _patterns, st.just(Match.REGEX)),
    *(
        st.builds(Filter, st.just(name), _values[name], st.just(Match.EXACT))
        for name in sorted(NAMED_VALUES - COMMIT_FILTERS)
    ),
)


class FileOwners:
    """Owners of one file, and of its repository; None: they are not known."""

    def __init__(self, own: list[str] | None, names: list[str] | None) -> None:
        self.own = own
        self.names = names

    def of(self, path: str) -> list[str] | None:
        assert path
        return self.own


def _restricts(node: Node) -> bool:
    if isinstance(node, And | Or):
        return any(map(_restricts, node.terms))
    return not isinstance(node, Word)


def is_written(node: Node) -> bool:
    """Whether a tree can be written: OR between words alone is a word, unless it is negated."""
    match node:
        case And(terms=terms):
            return all(map(is_written, terms))
        case Or(terms=terms):
            restricting = list(map(_restricts, terms))
            neighbours = pairwise(restricting)
            return all(map(any, neighbours)) and all(map(is_written, terms))
    return True


def _larger(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(inner, min_size=2, max_size=4)
    return st.one_of(inner.map(Not), several.map(conjunction), several.map(disjunction))


nodes: st.SearchStrategy[Node] = st.recursive(
    st.one_of(words, words, literals, regexes, filters), _larger, max_leaves=12
).filter(is_written)
queries = st.builds(Query, nodes | st.just(And(())), st.sampled_from(list(Case)))
