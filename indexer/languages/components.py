"""Files of one component each: Vue, Svelte, Astro. Scripts and template are one module.

Expressions of a template are statements of their own, in brackets where a value is passed, so that
a handler such as `save` is a use of it.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from indexer.languages.base import HOSTS_VERSION, HostFormat, Language, Region
from indexer.languages.ecmascript import JAVASCRIPT
from indexer.languages.html import (
    SCRIPT_LANGUAGES,
    Element,
    braces,
    elements,
    gaps,
    script_language,
)
from indexer.languages.rewrites import spaces

_VUE_ATTRIBUTE: Final = re.compile(
    rb"(?<=[\s\"'])((?:@|:|v-(?!slot\b|pre\b|once\b|cloak\b))[^\s\"'=<>/]*+)"
    rb"(\s*+=\s*+)(\"[^\"]+\"|'[^']+')"
)
_STATEMENTS: Final = re.compile(rb";|^\s*(?:if|for|const|let|try)\b")
_VUE_LOOP: Final = re.compile(rb"^.*?\s(?:in|of)(?=\s)", re.DOTALL)
_SVELTE_KEYWORD: Final = re.compile(
    rb"\s*(?:#(?:if|key|each|await)|:else\s+if|@(?:html|render|const|debug|attach))"
)
_SVELTE_PATTERN: Final = re.compile(rb"\s(?:as|then|catch)(?=\s)")
_SPREAD: Final = re.compile(rb"\s*\.\.\.")
_SVELTE_MARK: Final = re.compile(rb"\s*(?:[#:@]|/[a-z]+\s*$)")
_FRONTMATTER: Final = re.compile(rb"\s*---[ \t]*\r?\n")
_FRONTMATTER_END: Final = re.compile(rb"^---", re.MULTILINE)


def _scripts(inside: Iterable[Element]) -> list[Element]:
    return [script for script in inside if script_language(script)]


def _language_of(scripts: Iterable[Element]) -> str:
    """Return the language of all scripts of a component, which are one module."""
    found = {script_language(script) for script in scripts}
    return next((name for name in ("tsx", "typescript") if name in found), "javascript")


def _in_order(
    scripts: Iterable[Element], expressions: Iterable[tuple[int, bytes]], language: str
) -> list[Region]:
    """Return the regions of scripts and of expressions, given as start and text."""
    return sorted(
        chain(
            (Region(script.content_start, script.content_end, language) for script in scripts),
            (Region(start, start + len(text), language, text) for start, text in expressions),
        ),
        key=lambda region: region.start,
    )


def vue_regions(source: bytes) -> list[Region]:
    """Return the scripts of a Vue component, and `{{ … }}`, `:name`, `@name` and `v-name`."""
    inside = list(elements(source))
    scripts = _scripts(inside)
    found: list[tuple[int, bytes]] = []
    for start, end in gaps(source, inside):
        found += _mustaches(source, start, end)
        found += map(_vue_attribute, _VUE_ATTRIBUTE.finditer(source, start, end))
    return _in_order(scripts, _apart(found), _language_of(scripts))


def _mustaches(source: bytes, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    while (start := source.find(b"{{", start, end)) >= 0:
        close = source.find(b"}}", start, end)
        if close < 0:
            return
        yield start, b";(" + source[start + 2 : close] + b");"
        start = close + 2


def _vue_attribute(found: re.Match[bytes]) -> tuple[int, bytes]:
    name, equals, quoted = found[1], found[2], found[3]
    value = quoted[1:-1]
    if name == b"v-for" and (loop := _VUE_LOOP.match(value)):
        value = spaces(loop[0]) + value[loop.end() :]
    is_handler = name.startswith((b"@", b"v-on"))
    opening, closing = (b"{", b"}") if is_handler and _STATEMENTS.search(value) else (b"[", b"]")
    return found.start(2), equals.replace(b"=", b";") + opening + value + closing


def _apart(found: list[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Yield what does not begin inside of another: braces in a quoted value are part of it."""
    end = 0
    for start, text in sorted(found):
        if start >= end:
            yield start, text
            end = start + len(text)


def svelte_regions(source: bytes) -> list[Region]:
    """Return the scripts of a Svelte component, and what is in braces."""
    inside = list(elements(source))
    scripts = _scripts(inside)
    found = (
        _in_braces(source, at, _svelte_expression(source[at + 1 : close - 1]))
        for start, end in gaps(source, inside)
        for at, close in braces(source, start, end)
    )
    return _in_order(scripts, found, _language_of(scripts))


def _in_braces(source: bytes, at: int, expression: bytes) -> tuple[int, bytes]:
    """Return start and text of an expression in braces at `at`: the value of an attribute, or not.

    The value begins after `=`, which separates it from what is before.
    """
    if spread := _SPREAD.match(expression):
        expression = spaces(spread[0]) + expression[spread.end() :]
    if source[at - 1 : at] == b"=":
        return at - 1, b";[" + expression + b"]"
    return at, b";" + expression + b" "


def _svelte_expression(written: bytes) -> bytes:
    """Return the expression of a block or tag; spaces for one that has none."""
    keyword = _SVELTE_KEYWORD.match(written)
    if not keyword:
        return spaces(written) if _SVELTE_MARK.match(written) else written
    rest = written[keyword.end() :]
    if b"each" in keyword[0] or b"await" in keyword[0]:
        end = max((found.start() for found in _SVELTE_PATTERN.finditer(rest)), default=len(rest))
        rest = rest[:end] + spaces(rest[end:])
    return spaces(keyword[0]) + rest


def astro_regions(source: bytes) -> list[Region]:
    """Return the code between the `---` of an Astro file, its scripts, and what is in braces."""
    opening = _FRONTMATTER.match(source)
    closing = _FRONTMATTER_END.search(source, opening.end()) if opening else None
    regions, body = [], 0
    if opening and closing:
        regions = [Region(opening.end(), closing.start(), "tsx")]
        body = closing.end()
    inside = list(elements(source, body))
    found = (
        _in_braces(source, at, source[at + 1 : close - 1])
        for start, end in gaps(source, inside, body)
        for at, close in braces(source, start, end)
    )
    return [*regions, *_in_order(_scripts(inside), found, "tsx")]


def _component(name: str, host: HostFormat) -> Language:
    return Language(
        name,
        version=HOSTS_VERSION,
        linguist=(name.capitalize(),),
        suffixes=(f".{name}",),
        ecosystem=JAVASCRIPT.ecosystem,
        host=host,
    )


LANGUAGES: Final = (
    _component("astro", HostFormat(astro_regions, ("tsx",))),
    _component("svelte", HostFormat(svelte_regions, SCRIPT_LANGUAGES)),
    _component("vue", HostFormat(vue_regions, SCRIPT_LANGUAGES)),
)
