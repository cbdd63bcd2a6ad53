"""What the colouring process answers: code, cut into coloured pieces."""

import signal
from collections.abc import Sequence
from functools import lru_cache
from time import process_time
from typing import Final

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Literal, Name, Operator, _TokenType
from pygments.util import ClassNotFound

from indexer.records.languages import LEXERS

# The classes of site.css, one character each; a space is the colour of plain code.
PLAIN, COMMENT, KEYWORD, STRING, LITERAL, DEFINED = " ", "c", "k", "s", "l", "d"

# The first that a token is of; other tokens are plain.
_CLASSES: Sequence[tuple[_TokenType, str]] = (
    (Comment, COMMENT),
    (Keyword, KEYWORD),
    (Operator.Word, KEYWORD),
    (Literal.String, STRING),
    (Literal, LITERAL),
    (Name.Function, DEFINED),
    (Name.Class, DEFINED),
    (Name.Tag, KEYWORD),
    (Name.Decorator, LITERAL),
    (Name.Builtin, LITERAL),
    (Name.Constant, LITERAL),
    (Generic.Heading, DEFINED),
    (Generic.Subheading, DEFINED),
)

_CHECKED_TOKENS: Final = 8


def cut(code: str, language: str, *, seconds: float) -> tuple[str, list[int], bool]:
    """(each piece's class, each piece's end, whether `seconds` of the processor's time sufficed).

    The pieces are all of `code`, in order. A language that is not known has no colours.
    """
    lexer = _lexer(language)
    if lexer is None:
        return PLAIN, [len(code)], True
    classes: list[str] = []
    ends: list[int] = []
    texts: list[str] = []
    is_whole = True
    started = process_time()
    for _, token, text in lexer.get_tokens_unprocessed(code):
        css = _class_of(token)
        texts.append(text)
        end = (ends[-1] if ends else 0) + len(text)
        if classes and classes[-1] == css:
            ends[-1] = end
        else:
            classes.append(css)
            ends.append(end)
        if not len(texts) % _CHECKED_TOKENS and process_time() - started > seconds:
            texts.append(code[end:])
            classes.append(PLAIN)
            ends.append(len(code))
            is_whole = False
            break
    # A lexer that loses or reorders text would show other code than what is indexed.
    if "".join(texts) != code:
        return PLAIN, [len(code)], True
    return "".join(classes), ends, is_whole


@lru_cache(maxsize=128)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(LEXERS.get(language, language))
    except (ClassNotFound, ModuleNotFoundError):  # the image has the lexers of what is indexed
        return None


@lru_cache(maxsize=1024)
def _class_of(token: _TokenType) -> str:
    return next((css for kind, css in _CLASSES if token in kind), PLAIN)


def answer(request: tuple[str, str, float]) -> tuple[str, list[int], bool]:
    """Cut code in a language within seconds of the processor's time."""
    language, code, seconds = request
    left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
    _lexer(language)  # loading it does not count
    signal.setitimer(signal.ITIMER_PROF, left)
    return cut(code, language, seconds=seconds)
