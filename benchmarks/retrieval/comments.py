"""Doc comments: where they stand, what their first sentence says, and a file without them."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from indexer.languages import detect
from indexer.records.files import DegradeReason, Span
from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS, outline, symbols
from indexer.syntax.parser import ParsedFile, parse

MIN_WORDS, MAX_WORDS = 6, 30
MIN_TELLING_WORDS = 4
_TELLING_LETTERS = 4

_MARKER = re.compile(r"^\s*(?:/\*+!?|\*+/|\*|//[/!]?|#+)?\s?")
_END_MARKER = re.compile(r"\s*\*+/\s*$")
_STOP = re.compile(r"^\s*(?:[@\\]\w|:\w+|-{3,}|={3,}|#|\w+:\s*$|</?(?:param|remarks|returns)\b)")
_LINK = re.compile(r"\{@\w+\s+([^}]*)\}|<\w+\s+\w+=\"([^\"]*)\"\s*/>|:\w+:`([^`]*)`")
_TAG = re.compile(r"</?\w[^>]*>")
_QUOTES = re.compile(r"[`\[\]|]|\*\*")
_SENTENCE = re.compile(r"(.*?(?<!e\.g)(?<!i\.e)(?<!vs)(?<!etc)[.!?])(?:\s|$)")
_OPENERS = re.compile(
    r"(?:todo|fixme|deprecated|see\b|same as|copyright|note\b|warning|https?:|returns? self|test)",
    re.IGNORECASE,
)
_DOCSTRING = re.compile(r"^\s*[rRuU]{0,2}(?:\"\"\"|''')")


@dataclass(frozen=True, slots=True)
class DocComment:
    """The first sentence of what documents a definition. `lines` is the comment's own place."""

    path: str
    name: str
    qualified_name: str
    definition: Span
    lines: Span
    sentence: str


def doc_comments(path: str, source: bytes) -> list[DocComment]:
    """Those of functions and classes whose first sentence says something; no grammar, none."""
    language = detect(path, source)
    parsed = parse(language, source) if language.grammar is not None else None
    if parsed is None or isinstance(parsed, DegradeReason):
        return []
    outlined = outline(parsed)
    if isinstance(outlined, DegradeReason):
        return []
    lines = source.decode().split("\n")
    docstrings = _docstrings(source, lines) if language.name == "python" else None
    found = []
    for symbol in symbols(parsed, outlined):
        if symbol.kind not in CLASS_KINDS | FUNCTION_KINDS:
            continue
        start = symbol.span.start
        place = _leading_comment(parsed, start) if docstrings is None else docstrings.get(start)
        sentence = place and first_sentence(lines[place.start - 1 : place.end], symbol.name)
        if place and sentence:
            found.append(
                DocComment(path, symbol.name, symbol.qualified_name, symbol.span, place, sentence)
            )
    return found


def without(source: bytes, comments: Iterable[DocComment]) -> bytes:
    """The file with the comments' lines emptied: all others keep their numbers."""
    lines = source.split(b"\n")
    for comment in comments:
        for number in range(comment.lines.start, comment.lines.end + 1):
            lines[number - 1] = b""
    return b"\n".join(lines)


def first_sentence(lines: list[str], name: str) -> str | None:
    """The first sentence of a comment about `name`, as plain words; None if it says too little."""
    text = " ".join(_paragraph(lines))
    found = _SENTENCE.match(text)
    sentence = (found[1] if found else text).strip(" .:-")
    sentence = re.sub(rf"^(?:(?:the|a|an)\s+)?{re.escape(name)}(?:\(\))?\s+", "", sentence)
    return sentence if _says_something(sentence, name) else None


def _paragraph(lines: list[str]) -> Iterator[str]:
    """The first paragraph's lines without what marks them as a comment."""
    begun = False
    for line in lines:
        text = _END_MARKER.sub("", _MARKER.sub("", line)).strip().strip("\"'")
        text = _TAG.sub(" ", _LINK.sub(_linked, text))
        text = " ".join(_QUOTES.sub(" ", text).split()).strip()
        if not text and not begun:
            continue
        if not text or _STOP.match(text):
            return
        begun = True
        yield text


def _linked(match: re.Match[str]) -> str:
    target = next((group for group in match.groups() if group), "")
    return target.removeprefix("T:").removeprefix("M:").replace("#", ".").lstrip("~.")


def _says_something(sentence: str, name: str) -> bool:
    words = re.findall(r"[^\W_]+", sentence)
    telling = {word.lower() for word in words if len(word) >= _TELLING_LETTERS and word.isalpha()}
    return (
        MIN_WORDS <= len(sentence.split()) <= MAX_WORDS
        and len(telling) >= MIN_TELLING_WORDS
        and sentence.isascii()
        and not _OPENERS.match(sentence)
        and not re.search(r"[{};=]|https?:", sentence)
        and not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence)
    )


def _leading_comment(parsed: ParsedFile, line: int) -> Span | None:
    """The comment lines right before `line`, decorators between them passed over."""
    lines = []
    while line - 1 in parsed.leading_comments:
        first = parsed.leading_comments[line - 1]
        lines += [number for number in range(first, line) if number in parsed.comment_lines]
        line = first
    if not lines or max(lines) - min(lines) + 1 != len(lines):
        return None
    return Span(min(lines), max(lines))


def _docstrings(source: bytes, lines: list[str]) -> dict[int, Span]:
    """The line of each `def` or `class` with a docstring that is not all of it → its lines."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    found = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        first = node.body[0]
        if ast.get_docstring(node) is None or len(node.body) == 1:
            continue
        if _DOCSTRING.match(lines[first.lineno - 1]) and first.end_lineno:
            found[node.lineno] = Span(first.lineno, first.end_lineno)
    return found
