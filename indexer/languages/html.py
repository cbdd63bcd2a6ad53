"""HTML, and templates that give it: scripts, and attributes such as `onclick`.

Elements of code and expressions in markup are read here for all formats made of it, in time linear
in the bytes.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from indexer.languages.base import HOSTS_VERSION, HostFormat, Language, Region
from indexer.languages.ecmascript import JAVASCRIPT

# Never fails after it has read on, or a file of nothing but `<script` would be read again for each.
_OPEN: Final = re.compile(
    rb"<!--|<(script|style)(?=[\s/>])([^>\"']*+(?:(?:\"[^\"]*+\"?|'[^']*+'?)[^>\"']*+)*+)(>?)",
    re.IGNORECASE,
)
_CLOSE: Final = {
    name: re.compile(rb"</%s(?=[\s/>])[^>]*+>?" % name, re.IGNORECASE)
    for name in (b"script", b"style")
}
_ATTRIBUTE: Final = re.compile(
    rb"(?:^|(?<=[\s\"']))([^\s\"'=>/]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++)))?"
)
# Of an expression in braces. None of these fails after it has read on. No apostrophe is a quote.
_IN_BRACES: Final = re.compile(
    rb"[{}]|\"(?:[^\"\\\n]|\\.)*+\"?|(?<!\w)'(?:[^'\\\n]|\\.)*+'?|`(?:[^`\\]|\\.)*+`?"
    rb"|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?",
    re.DOTALL,
)
_SCRIPT_TYPE: Final = re.compile(
    r"module|(?:text|application)/(?:(?:java|ecma|type)script|babel|jsx)"
)
SCRIPT_LANGUAGES: Final = ("javascript", "tsx", "typescript")
_TYPESCRIPT: Final = {"ts": "typescript", "typescript": "typescript", "tsx": "tsx"}


class Element(NamedTuple):
    """A script, a style or a comment; `content_start` and `content_end` are of what is inside."""

    name: str  # "" for a comment
    attributes: dict[str, str]
    start: int
    content_start: int
    content_end: int
    end: int


def elements(source: bytes, start: int = 0) -> Iterator[Element]:
    """Yield scripts, styles and comments, in order; one that is not closed ends with the file."""
    while found := _OPEN.search(source, start):
        name = (found[1] or b"").lower()
        if name:
            if not found[3]:
                return
            close = _CLOSE[name].search(source, found.end())
            content_end, end = close.span() if close else (len(source), len(source))
        else:
            at = source.find(b"-->", found.end())
            content_end, end = (at, at + 3) if at >= 0 else (len(source), len(source))
        yield Element(
            name.decode(),
            _attributes(found[2] or b""),
            found.start(),
            found.end(),
            content_end,
            end,
        )
        start = end


def _attributes(written: bytes) -> dict[str, str]:
    return {
        match[1].decode("utf-8", "replace").lower(): (match[2] or match[3] or match[4] or b"")
        .decode("utf-8", "replace")
        .strip()
        for match in _ATTRIBUTE.finditer(written)
    }


def script_language(element: Element) -> str:
    """Return the language of a script: "" if it is a style, a comment, data or a template."""
    if element.name != "script":
        return ""
    kind = element.attributes.get("type", "").lower().partition(";")[0].strip()
    language = element.attributes.get("lang", "").lower()
    if language in _TYPESCRIPT:
        return _TYPESCRIPT[language]
    if language not in {"", "js", "jsx", "javascript"}:
        return ""
    if kind and not _SCRIPT_TYPE.fullmatch(kind):
        return ""
    return "typescript" if kind.endswith("typescript") else "javascript"


def gaps(source: bytes, inside: list[Element], start: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the ranges of `source` from `start` that are outside of the elements."""
    for tag in inside:
        yield start, tag.start
        start = tag.end
    yield start, len(source)


def braces(source: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges from a brace to the one that closes it, up to one that is not closed."""
    at = source.find(b"{", start, end)
    while at >= 0:
        close = _closing(source, at, end)
        if close < 0:
            return
        yield at, close
        at = source.find(b"{", close, end)


def _closing(source: bytes, start: int, end: int) -> int:
    """Return the end of the range of braces that begins at `start`, -1 if it has none."""
    depth = 0
    for token in _IN_BRACES.finditer(source, start, end):
        depth += {b"{": 1, b"}": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return -1


_HANDLER: Final = re.compile(
    rb"(?<=[\s\"'])on[a-z]++(\s*+=\s*+)(\"[^\"]+\"|'[^']+')", re.IGNORECASE
)


def html_regions(source: bytes) -> list[Region]:
    """Return the scripts of a page and its handlers of events."""
    inside = list(elements(source))
    regions = [
        Region(script.content_start, script.content_end, language)
        for script in inside
        if (language := script_language(script))
    ]
    for start, end in gaps(source, inside):
        for found in _HANDLER.finditer(source, start, end):
            text = found[1].replace(b"=", b";") + b"{" + found[2][1:-1] + b"}"
            regions.append(Region(found.start(1), found.end(), "javascript", text))
    return sorted(regions, key=lambda region: region.start)


HTML: Final = Language(
    "html",
    version=HOSTS_VERSION,
    linguist=("HTML", "Handlebars", "Jinja"),
    suffixes=(".html", ".htm", ".xhtml", ".jinja", ".j2", ".hbs"),
    ecosystem=JAVASCRIPT.ecosystem,
    host=HostFormat(html_regions, SCRIPT_LANGUAGES),
)
LANGUAGES: Final = (HTML,)
