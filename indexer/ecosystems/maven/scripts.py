"""Statements of build scripts in Groovy, Kotlin and Scala, without running them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from indexer.ecosystems.parsing import TooLargeError
from indexer.records.manifests import SCRIPT_CHARACTERS

_STRINGS: Final = {
    '"': r'(?P<double>"(?:\\.|(?>\$\{[^{}\n]{0,200}\})|[^"\\\n])*+")',
    "'": r"(?P<single>'(?:\\.|[^'\\\n])*+')",
}
_PATTERN: Final = (
    r"(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)"
    r"|(?P<newline>[;\n])"
    r'|(?P<long>"""(?:[^"]|"(?!""))*+(?:""")?|\'\'\'(?:[^\']|\'(?!\'\'))*+(?:\'\'\')?)'
    r"|STRINGS"
    r"|(?P<word>\.?`?[A-Za-z_$][\w$]*`?(?:\.[A-Za-z_$][\w$]*)*)"
    r"|(?P<number>[0-9][\w.]*)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<operator>[%+:=!<>/&|?*-]+|[^\s\w])"
)
_QUOTES: Final = "\"'"
# By the quotes that begin a string.
_TOKENS: Final = {
    quotes: re.compile(
        _PATTERN.replace(
            "STRINGS",
            "|".join([*(_STRINGS[quote] for quote in quotes), f"(?P<unclosed>[{quotes}])"]),
        )
    )
    for quotes in (_QUOTES, '"', "'")
} | {"": re.compile(_PATTERN.replace("STRINGS", "(?!)"))}
_LONG: Final = {"/*": "*/", '"""': '"""', "'''": "'''"}
_SIMPLE: Final = re.compile(r"\$([A-Za-z_]\w*)")
_DOTTED: Final = re.compile(r"\$([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
_EXPRESSION: Final = re.compile(r"\$\{([^{}]*)\}")
_OWNER: Final = re.compile(r"^(?:(?:project|rootProject|this|ext|extra|gradle|settings)\.)+")
_CALLED: Final = re.compile(
    r"^(?:property|findProperty|ext|extra|get|(?:providers\.)?gradleProperty)"
    r"[(\[]\s*[\"']([\w.-]+)[\"']\s*[)\]]"
)
_MEMBER: Final = re.compile(
    r"([A-Za-z_][\w.]*?)(?:\[|\.get\(|\.getValue\()\s*[\"']([\w.-]+)[\"']\s*[)\]]"
)
_ENDING: Final = re.compile(r"(?:\.get\(\)|\.toString\(\)|\.asProvider\(\)|!!| as String\??| )++$")
_PATH: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_MAX_DEPTH: Final = 100
_MAX_EXPRESSION: Final = 300  # characters, and tokens
UNKNOWN: Final = "${?}"  # what a program computes


@dataclass(slots=True)
class Token:
    """A string's value, with `${name}` for what is inserted; a word with dots; a group.

    A group is of the kind of its opening bracket, with its tokens in `inner`.
    """

    kind: str
    text: str
    inner: list["Token"] = field(default_factory=list)


Statement = Sequence[Token]


def parse_script(text: str, *, dotted: bool) -> list[Token]:
    """Return the tokens, nested by brackets. `dotted`: `$a.b` inserts `a.b`. Raises ValueError."""
    groups = [Token("{", "")]
    for found in _tokens(text):
        kind, value = str(found.lastgroup), found[0]
        if kind == "open":
            groups.append(Token(value, ""))
            if len(groups) > _MAX_DEPTH:
                raise ValueError("brackets are nested too deeply")
        elif kind == "close":
            if len(groups) == 1:
                raise ValueError("a bracket closes nothing")
            closed = groups.pop()
            groups[-1].inner.append(closed)
        elif kind != "comment":
            groups[-1].inner.append(_token(kind, value, dotted=dotted))
    if len(groups) > 1:
        raise ValueError("a bracket is not closed")
    return groups[0].inner


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """Yield the tokens. Raises ValueError.

    A quote that the line does not close is an operator, and so are the like in the rest of the
    line: a search from each for the one that closes it would take quadratic time.
    """
    if len(text) > SCRIPT_CHARACTERS:
        raise TooLargeError
    start, quotes, line_end = 0, _QUOTES, len(text)
    while start < len(text):
        for found in _TOKENS[quotes].finditer(text, start):
            start = found.start()
            if found.lastgroup == "unclosed":
                quotes, line_end = quotes.replace(found[0], ""), text.find("\n", start)
                break
            if quotes != _QUOTES and start >= line_end >= 0:
                quotes = _QUOTES
                break
            _check_closed(found[0])
            yield found
        else:
            return


def _check_closed(token: str) -> None:
    """Raise ValueError if a comment or a string of several lines is not closed."""
    for opening, closing in _LONG.items():
        if token.startswith(opening):
            is_closed = token.endswith(closing) and len(token) >= len(opening + closing)
            if not is_closed:
                raise ValueError("a comment or a string is not closed")


def _token(kind: str, value: str, *, dotted: bool) -> Token:
    if kind == "single":
        return Token("string", UNKNOWN if "${" in value else value[1:-1])
    if kind == "double":
        return Token("string", _inserted(value[1:-1], dotted=dotted))
    if kind == "long":
        return Token("string", UNKNOWN if "$" in value else value[3:-3])
    return Token(kind, value.replace("`", "") if kind == "word" else value)


def _inserted(text: str, *, dotted: bool) -> str:
    if "$" not in text:
        return text
    text = _EXPRESSION.sub(lambda found: f"\0{property_name(found[1])}\1", text)
    text = (_DOTTED if dotted else _SIMPLE).sub(
        lambda found: f"\0{property_name(found[1])}\1", text
    )
    return text.replace("$", UNKNOWN).replace("\0", "${").replace("\1", "}")


def property_name(expression: str) -> str:
    """Return the name of the property that an expression reads, "?" if it is another one."""
    if len(expression) > _MAX_EXPRESSION:
        return "?"
    expression = _ENDING.sub("", " ".join(expression.split()))
    expression = _OWNER.sub("", expression)
    called = _CALLED.match(expression)
    if called:
        return called[1] if not expression[called.end() :] else "?"
    if member := _MEMBER.fullmatch(expression):
        return f"{member[1]}.{member[2]}"
    return expression if _PATH.fullmatch(expression) else "?"


def statements(tokens: Sequence[Token]) -> Iterator[Statement]:
    """Split at the ends of lines that end a statement."""
    current: list[Token] = []
    for index, token in enumerate(tokens):
        if token.kind != "newline":
            current.append(token)
        elif current and not _continues(current[-1], _next(tokens, index)):
            yield current
            current = []
    if current:
        yield current


def _next(tokens: Sequence[Token], index: int) -> Token | None:
    following = (token for token in tokens[index + 1 : index + 50] if token.kind != "newline")
    return next(following, None)


def _continues(last: Token, following: Token | None) -> bool:
    if last.kind == "operator" and last.text != "?":
        return True
    return following is not None and (
        following.text.startswith(".") or following.text in {"%", "%%", "%%%"}
    )


def arguments(tokens: Sequence[Token]) -> list[list[Token]]:
    """Split at commas, without ends of lines."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.text == "," and token.kind == "operator":
            parts.append([])
        elif token.kind != "newline":
            parts[-1].append(token)
    return [part for part in parts if part]


def value_of(tokens: Sequence[Token]) -> str:
    """Return the text of an expression with `${name}` for properties, UNKNOWN if it is another."""
    tokens = [token for token in tokens[:_MAX_EXPRESSION] if token.kind != "newline"]
    if len(tokens) > 2 and tokens[1].text == "+":
        return _limited(value_of(tokens[:1]) + value_of(tokens[2:]))
    while len(tokens) > 1 and tokens[-1].text in {"!", "!!"}:
        tokens = tokens[:-1]
    if len(tokens) == 3 and tokens[1].text == "as":
        tokens = tokens[:1]
    if len(tokens) == 1 and tokens[0].kind == "string":
        return tokens[0].text
    if len(tokens) == 1 and tokens[0].kind == "number":
        return tokens[0].text
    return f"${{{property_name(_source(tokens))}}}"


def _source(tokens: Sequence[Token]) -> str:
    """Return simple tokens as they may be written."""
    text = ""
    for token in tokens:
        if token.kind in {"(", "["}:
            inner = "".join(_source([part]) for part in token.inner)
            text += token.kind + inner + (")" if token.kind == "(" else "]")
        elif token.kind == "string":
            text += f'"{token.text}"'
        else:
            text += f" {token.text} " if token.text == "as" else token.text
    return text


def _limited(text: str) -> str:
    return text if len(text) < 1_000 else UNKNOWN


def mentions(tokens: Sequence[Token], word: str) -> bool:
    """Whether a word, or the end of a dotted one, is anywhere in it."""
    return any(
        (token.kind == "word" and token.text.rpartition(".")[2] == word)
        or mentions(token.inner, word)
        for token in tokens
    )


def within(tokens: Sequence[Token]) -> Iterator[Statement]:
    """Yield the statements, then those in their blocks."""
    for statement in statements(tokens):
        yield statement
        for two in statement:
            if two.kind == "{":
                yield from within(two.inner)
