"""Definition keywords of many languages before a name: `class Session`, `def echo(`. Pure."""

import re
from dataclasses import dataclass
from typing import Final

from indexer.records.files import ChunkType


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


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
class WantedDefinition:
    """The name behind a definition keyword, and the types of chunks that the keyword means.

    `is_certain`: the keyword is no English word, so the name is no other word of a sentence.
    """

    name: str
    container: str
    types: frozenset[ChunkType]
    is_certain: bool


def wanted_definition(text: str) -> WantedDefinition | None:
    """Return the definition that `text` begins to write, if it does."""
    found = _DEFINITION.fullmatch(text)
    if found is None:
        return None
    keyword = found["keyword"]
    container = found["receiver"] or found["container"] or ""
    return WantedDefinition(found["name"], container, _KEYWORDS[keyword], keyword in _CERTAIN)
