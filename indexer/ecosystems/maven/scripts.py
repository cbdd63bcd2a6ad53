"""Statements of build scripts in Groovy, Kotlin and Scala, without running them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

_TOKEN: Final = re.compile(
    r"(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z))"
    r"|(?P<newline>[;\n])"
    r'|(?P<long>"""(?:[^"]|"(?!""))*+"""|\'\'\'(?:[^\']|\'(?!\'\'))*+\'\'\')'
    r'|(?P<double>"(?:\\.|(?>\$\{[^{}\n]{0,200}\})|[^"\\\n])*+")'
    r"|(?P<single>'(?:\\.|[^'\\\n])*+')"
    r"|(?P<word>\.?`?[A-Za-z_$][\w$]*`?(?:\.[A-Za-z_$][\w$]*)*)"
    r"|(?P<number>[0-9][\w.]*)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<operator>[%+:=!<>/&|?*-]+|[^\s\w])"
)
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
_ENDING: Final = re.compile(
    r"(?:\.get\(\)|\.toString\(\)|\.asProvider\(\)|!!|\s+as\s+String\??|\s)+$"
)
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
    for found in _TOKEN.finditer(text):
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
    expression = _ENDING.sub("", expression.strip())
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
    for index, one in enumerate(tokens):
        if one.kind != "newline":
            current.append(one)
        elif current and not _continues(current[-1], _next(tokens, index)):
            yield current
            current = []
    if current:
        yield current


def _next(tokens: Sequence[Token], index: int) -> Token | None:
    following = (one for one in tokens[index + 1 : index + 50] if one.kind != "newline")
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
    for one in tokens:
        if one.text == "," and one.kind == "operator":
            parts.append([])
        elif one.kind != "newline":
            parts[-1].append(one)
    return [part for part in parts if part]


def value_of(tokens: Sequence[Token]) -> str:
    """Return the text of an expression with `${name}` for properties, UNKNOWN if it is another."""
    tokens = [one for one in tokens[:_MAX_EXPRESSION] if one.kind != "newline"]
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
    for one in tokens:
        if one.kind in {"(", "["}:
            inner = "".join(_source([part]) for part in one.inner)
            text += one.kind + inner + (")" if one.kind == "(" else "]")
        elif one.kind == "string":
            text += f'"{one.text}"'
        else:
            text += f" {one.text} " if one.text == "as" else one.text
    return text


def _limited(text: str) -> str:
    return text if len(text) < 1_000 else UNKNOWN


def mentions(tokens: Sequence[Token], word: str) -> bool:
    """Whether a word, or the end of a dotted one, is anywhere in it."""
    return any(
        (one.kind == "word" and one.text.rpartition(".")[2] == word) or mentions(one.inner, word)
        for one in tokens
    )


def within(tokens: Sequence[Token]) -> Iterator[Statement]:
    """Yield the statements, then those in their blocks."""
    for one in statements(tokens):
        yield one
        for two in one:
            if two.kind == "{":
                yield from within(two.inner)
