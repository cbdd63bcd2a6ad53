"""The parsed text of a query. Pure.

Parsing is a guess: an identifier names a symbol, other words describe one. The ranking rules
weight the guess.
"""

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from indexer.lexical import query_terms, term_id, tokenize
from indexer.records.files import ChunkType


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


MAX_RESULTS = 200

_WORD = re.compile(r"[^\W_](?:[\w$]*[^\W_])?(?:(?:::|->|[.#:\\])[^\W\d]\w*)*(?:\(\))?|_+\w+")
_SEPARATOR = re.compile(r"::|->|[.#:\\]")
_SHAPED = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}|[^_]_[^_]|^_")
# With the suffixes of all parsed languages, whose table is the indexer's own.
_EXTENSIONS = _set(
    "astro bash bats c cc ccm cfg cjs cpp cppm cs css csx cts cxx cxxm erb ex exs gemspec go gs "
    "h hbs hh hpp htm html hxx ini inl ipp ipynb ixx j2 java jinja js json jsx ksh kt kts lua md "
    "mjs mpp mts php phtml py pyi pyw rake rb rs ru sbt sc scala sh sql svelte swift toml tpp ts "
    "tsx txt vue xhtml xml yaml yml zsh"
)
_STOP_WORDS = _set(
    "a all an and any are as at be been being but by can code could did do does doing done "
    "for from had has have how i if in into is it its made me my not of on or our should show "
    "so some that the their them then there these they this those to us was we were what when "
    "where which while who why will with would you your find get"
)
# By kind of path: the words that ask for it. A word may ask for several.
_INTENTS = {
    "config": _set("config configs configuration settings yaml toml json ini dockerfile workflow"),
    "docs": _set("doc docs documentation readme changelog guide tutorial markdown"),
    "examples": _set("example examples sample samples demo demos snippet"),
    "generated": _set("generated codegen protobuf pb"),
    "tests": _set("test tests tested testing spec specs fixture fixtures mock mocks mocked assert"),
    "vendored": _set("vendor vendored third_party thirdparty"),
}
# Definition keywords of many languages before a name, `class Session` or `def echo(`, and the types
# of chunks that they mean.
_CLASS: Final = frozenset({ChunkType.CLASS})
_FUNCTION: Final = frozenset({ChunkType.FUNCTION, ChunkType.METHOD})
_MODULE: Final = frozenset({ChunkType.MODULE})
_CONSTANT: Final = frozenset({ChunkType.MODULE, ChunkType.CLASS})
_KEYWORDS: Final = {
    **dict.fromkeys(_set("class struct interface type trait enum record protocol union"), _CLASS),
    **dict.fromkeys(_set("typedef impl"), _CLASS),
    **dict.fromkeys(_set("def func fn fun function method defn"), _FUNCTION),
    **dict.fromkeys(_set("module mod namespace package"), _MODULE),
    **dict.fromkeys(_set("const let var val"), _CONSTANT),
}
# Keywords that are no English words: a lower-case name behind one is still a name.
_CERTAIN: Final = _set("def func fn defn typedef impl")
_MODIFIERS: Final = _set(
    "abstract async data declare default export extern final inline internal local open override "
    "partial private protected pub public readonly sealed static unsafe virtual"
)
_DEFINITION: Final = re.compile(
    rf"""\s*(?:(?:{"|".join(_MODIFIERS)})(?:\([a-z]{{1,9}}\))?\s+){{0,5}}
    (?P<keyword>{"|".join(_KEYWORDS)})(?:\s+(?:class|struct))?
    (?:\s*\((?:\w+\s+)?[*&]?(?P<receiver>\w{{1,200}})[^)]{{0,200}}\))?
    \s+(?:(?P<container>[^\W\d][\w$]{{0,200}})(?:\.|::|\#))?(?P<name>[^\W\d][\w$]{{0,200}}[!?]?)
    \s*(?:[(<\[{{:=;].*|(?:struct|interface|extends|implements|where|for)\b.*)?""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class SymbolName:
    """An identifier in a query; `strength` is 1.0, or less for a bare word.

    `types` are the types of chunks that a definition keyword before it asks for; empty: any.
    """

    name: str
    container: str = ""
    strength: float = 1.0
    types: frozenset[ChunkType] = frozenset()


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query as the rules see it.

    `words` are stems in lower case without stop words, `word_terms` the term ids of the words
    before stemming. `has_prose`: the query has words besides identifiers. `terms` are lexical
    term ids with their counts, `whole_terms` the words as written, each with its term id.
    """

    text: str
    symbolic: bool
    has_prose: bool
    symbols: tuple[SymbolName, ...]
    words: tuple[str, ...]
    word_terms: tuple[int, ...]
    intents: frozenset[str]
    terms: dict[int, int] = field(hash=False)
    whole_terms: tuple[tuple[str, int], ...] = ()


def parse_query(text: str) -> ParsedQuery:
    """Parse `text`; `symbolic` is true if it consists of identifiers only.

    A definition keyword before a name, as in `class Session`, makes a query for that name.
    """
    found = _DEFINITION.fullmatch(text)
    if found is None:
        return _parse_words(text)
    container = found["receiver"] or found["container"]
    query = _parse_words(f"{container}.{found['name']}" if container else found["name"])
    if len(query.symbols) != 1:  # a stop word, or the name of a file
        return _parse_words(text)
    keyword = found["keyword"]
    strength = 1.0 if keyword in _CERTAIN else query.symbols[0].strength
    symbol = replace(query.symbols[0], strength=strength, types=_KEYWORDS[keyword])
    return replace(query, text=text, symbols=(symbol,), symbolic=strength == 1.0)


def _parse_words(text: str) -> ParsedQuery:
    written = _WORD.findall(text)
    content = [word for word in written if word.lower() not in _STOP_WORDS] or written
    symbols = _symbols(content)
    symbolic = bool(content) and len(written) == len(content) and len(symbols) == len(content)
    pieces = [piece for word in content for piece in _pieces(word)]
    parts = {stem(part): part for piece in pieces for part in name_parts(piece)}
    lowered = {part.lower() for word in written for part in _SEPARATOR.split(word)}
    return ParsedQuery(
        text=text,
        has_prose=len(symbols) < len(content),
        symbolic=symbolic and all(symbol.strength == 1.0 for symbol in symbols),
        symbols=symbols,
        words=tuple(parts),
        word_terms=tuple(term_id(part) for part in parts.values()),
        intents=frozenset(kind for kind, words in _INTENTS.items() if words & lowered),
        terms=query_terms(" ".join(content) if content else text),
        whole_terms=tuple((piece, term) for piece in pieces for term in [*query_terms(piece)][:1]),
    )


@lru_cache(maxsize=65536)
def name_parts(name: str) -> tuple[str, ...]:
    """Return the parts of an identifier in lower case: `getUserName` → get, user, name."""
    found: list[str] = []
    for word in _SEPARATOR.split(name):
        tokens = tokenize(word)
        found += tokens[1:] if len(tokens) > 1 else tokens
    return tuple(found)


@lru_cache(maxsize=65536)
def casefolded(name: str) -> str:
    """Return the identifier without case, underscores and `()`: equal for all its spellings."""
    return name.removesuffix("()").replace("_", "").lower()


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the word in lower case without a plural ending."""
    word = word.lower()
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _symbols(content: list[str]) -> tuple[SymbolName, ...]:
    alone = len(content) == 1
    return tuple(symbol for word in content if (symbol := _symbol(word, alone=alone)) is not None)


def _symbol(word: str, *, alone: bool) -> SymbolName | None:
    bare = word.removesuffix("()")
    if _is_file_name(bare):
        return None
    *containers, name = [part for part in _SEPARATOR.split(bare) if part]
    if containers or bare != word or _SHAPED.search(name):
        return SymbolName(name, containers[-1] if containers else "")
    if alone:
        return SymbolName(name, strength=1.0 if name[:1].isupper() else 0.5)
    return None


def _pieces(word: str) -> list[str]:
    """Return the parts of a qualified name; for a file name, its stem."""
    bare = word.removesuffix("()")
    if _is_file_name(bare):
        return [bare.rpartition(".")[0]]
    return [part for part in _SEPARATOR.split(bare) if part]


def _is_file_name(word: str) -> bool:
    stem_of_file, _, extension = word.rpartition(".")
    return bool(stem_of_file) and extension in _EXTENSIONS
