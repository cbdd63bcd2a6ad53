"""Callee expressions and written types as paths of names, parsed from their text alone.

No grammar is used, so one parser serves all languages. An expression that it cannot parse is
unknown. Work is linear: of a long expression only both ends are read. Tuples are read likewise: the
part of a value that a name in a pattern takes, `a, (b, *c) = …`.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from indexer.records.references import ELEMENT

_STRING: Final = r"\"{3}.*?\"{3}|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`"
_NUMBER: Final = r"\d[\d_]*(?:\.\d[\d_]*)?"
_MEMBER: Final = re.compile(
    rf"[$@#]{{0,2}}([A-Za-z]{{0,3}}(?:{_STRING})|{_NUMBER}|\[[^\[\]]*\])#*\s*[?!&]?\.\s*"
    r"([^\W\d]\w*[?!]?)",
    re.DOTALL,
)
STARTS_WITH_LITERAL: Final = re.compile(r"[$@#]{0,2}[A-Za-z]{0,3}[\"'`]|[\d\[{/]")
_SIGN: Final = re.compile(r"[A-Za-z]*.")
_LAST_MEMBER: Final = re.compile(r"\.\s*([^\W\d]\w*[?!]?)$")
MAX_EXPRESSION_CHARACTERS: Final = 300
_LONGEST_CALL: Final = 8_192  # callee, with the arguments of the calls in it

_INDEX = "\2"  # stands for an index in brackets
_NAME = rf"(?:(?:r#|[@$#]{{0,2}})[^\W\d][\w$]*|\${{1,2}}|{_INDEX})"
_DOT = r"\s*(?:\?->|\?\.|!!?\.|&\.|\.|::|->|\\)\s*"
_PATH = rf"{_NAME}(?:{_DOT}{_NAME})*"
_SPLIT = re.compile(_DOT)
_WHOLE = re.compile(rf"(?:::)?(\\?{_PATH}[?!=]?)")
_HEAD = re.compile(rf"((?:[(&*\s]|(?:await|new|co_await)\s)*)(?:::)?(\\?{_PATH})\s*([({{)])")
# Begins at the first of several brackets, between which `_BETWEEN` removes spaces.
_TAIL = re.compile(rf"(?:}}|(?<!\))\))[\s)?!]*(?:\.await\b\??)?{_DOT}({_PATH}[?!]?)$")
_BETWEEN = re.compile(r"(?<=[)}])\s++(?=[)?!])")
_INNER = r"[^()]*(?:\([^()]*\)[^()]*)*"
_CAST = re.compile(  # ((Type) value).name and (value as Type).name
    rf"\((?:\s*\(\s*({_PATH})\s*\)\s*(?=[\w(]){_INNER}|{_INNER}\sas[!?]?\s+({_PATH}))\s*\)"
    rf"{_DOT}({_PATH}[?!]?)"
)
_CAST_CALL = re.compile(  # static_cast<Type*>(value)->name
    rf"(?:\w+::)?\w+_cast\s*<\s*(?:const\s+)?({_PATH})[\s&*]*>\s*\({_INNER}\){_DOT}({_PATH})"
)
_AFTER_CALL = re.compile(rf"[\s?!]*(?:\.await\b\??)?((?:{_DOT}{_PATH})?)[\s?!]*")
_OR_ELSE = re.compile(r"\s*(?:(?:\|\||\?\?|\?:|or\b).*|if\b.*\belse\s+None\s*)", re.DOTALL)
# Begins where a word does: a search from each letter would take quadratic time.
_LAST = re.compile(rf"(?:(?<![\w$])\d*+|(?=[@#{_INDEX}]))({_NAME}[?!]?)$")
_POINTED = re.compile(rf"\(\s*\*+\s*({_PATH})\s*\)")  # (*pointer).name
_ASSIGNED = re.compile(  # (name := value).member, but for one of two values
    r"\((\w+)\s*:=(?!.*\s(?:if|or|and)\s)[^()]*(?:\([^()]*\)[^()]*)*\)(?=\.)", re.DOTALL
)
_OF_TYPE = re.compile(rf"<\s*[&*]?\s*({_PATH}).*>(::{_NAME})$", re.DOTALL)  # <Type as Trait>::name
_ARGUMENTS = re.compile(r"(?:::)?<[^<>]*>")
_QUOTED = re.compile(r"\"[^\"\\]*\"|'[^'\\]*'|`[^`\\]*`")
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_BRACKET = re.compile(r"\"[^\"\\\n]*\"|'[^'\\\n]*'|[()\[\]{},]")
_CALLED = "\1"  # stands for a call's arguments
_STEP = re.compile(rf"(?:{_DOT}({_PATH})\??)?")
_MEMBERS = re.compile(rf"{_DOT}{_PATH}[?!]?")
_BRACKETS = re.compile(r"(?<=[\w)>!?\1\2])(?:\?\.)?\[([^\[\]]*)\]")
_GENERIC_NAME = re.compile(r"(?<![\w$])(?:_*[A-Z]\w*[a-z]\w*|dict|list|set|tuple|type)$")
_TYPE = (
    r"(?:[\w.]*\.)?(?:_*[A-Z]\w*[a-z]\w*|_?[A-Z]{1,2}\d?)|int|str|bytes|float|bool|complex|object"
    r"|dict|list|set|tuple|type|string|byte|error|any|u?int\d*|float\d+|None|\.\.\."
)
_TYPES = re.compile(rf"\s*(?:{_TYPE})(?:\s*[,|]\s*(?:{_TYPE}))*\s*,?\s*")
_QUOTED_TYPE = re.compile(r"(?:[\w.]*\.)?_*[A-Z]\w*[a-z]")
_TYPE_CHARACTERS = 64  # of a generic type's name
_RANGE = re.compile(r"[^:?]*:[^:?]*(?::[^:?]*)?")
_ROOTED = ("self::", "static::", "parent::")


class Expression(NamedTuple):
    """A path of names or, with `name`, a member of the last call's result.

    `members` are the names between that result and `name`. With only one call, `path` is its callee
    or the constructed class; with `is_cast` the class to which a value is cast, whose member `name`
    is. An empty path is unknown. `offset` is the start of the path in the text, in characters.
    `is_of_call`: only `members` and `name` follow the last call that begins where the text does.
    """

    path: tuple[str, ...]
    name: str = ""
    is_new: bool = False
    offset: int = 0
    members: tuple[str, ...] = ()
    is_cast: bool = False
    is_of_call: bool = False

    @property
    def display_name(self) -> str:
        """The last name."""
        return self.name or self.path[-1]


@lru_cache(maxsize=10_000)
def read_expression(text: str) -> Expression | None:
    """Parse an expression that is called, constructed or passed; None if it has no name.

    Components are the names between `.`, `::`, `->`, `?.` and backslashes, without type arguments;
    an index is the name ELEMENT.
    `self::` and the like keep their colons, because `self` may be something else. A leading
    backslash is kept, because no import affects such a path.
    """
    if text.isidentifier():
        return Expression((text,))
    if "[" in text and not STARTS_WITH_LITERAL.match(text):
        text = _indexed(text)
    if len(text) <= MAX_EXPRESSION_CHARACTERS:
        path = _plain_path(_unwrapped(text))
        if path:
            return Expression(path)
    if STARTS_WITH_LITERAL.match(text):
        return None
    return _member_of_call(text)


@lru_cache(maxsize=10_000)
def read_calls(text: str) -> tuple[Expression, ...]:
    """Parse the paths between the calls of an expression: `a.b(x).c().d` → a.b, c, d.

    Each is a member of the previous call's result; an empty one is that result. Empty if the text
    has any other syntax.
    """
    if len(text) > MAX_EXPRESSION_CHARACTERS or STARTS_WITH_LITERAL.match(text):
        return ()
    text, shorter = "", _indexed(_without_arguments(text))
    while text != shorter:
        text, shorter = shorter, _BRACKETS.sub(_index, _IN_BRACKETS.sub(_CALLED, shorter))
    first, *rest = text.removeprefix("await ").split(_CALLED)
    is_new = first.startswith("new ")
    start = _plain_path(first.removeprefix("new "))
    steps = [_STEP.fullmatch(step) for step in rest]
    if not start or not all(steps):
        return ()
    following = [Expression(_names(step[1] or "")) for step in steps if step]
    return (Expression(start, is_new=is_new), *following)


def read_members(text: str) -> tuple[str, ...]:
    """Parse what follows a value, if it is nothing but names: `.b.c` → b, c."""
    return _names(text) if _MEMBERS.fullmatch(text) else ()


def is_assigned(text: str) -> bool:
    """Whether an expression begins with what it assigns itself: `(name := value).member`."""
    return text.startswith("(") and ":=" in text


def read_arguments(text: str, bracket: int) -> tuple[list[str], int]:
    """Return the arguments of the call with a bracket there, and its end; -1 if it has none."""
    found, depth, start = [], 0, bracket + 1
    for token in _BRACKET.finditer(text, bracket):
        sign = token[0]
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0 or (depth == 1 and sign == ","):
            found.append(text[start : token.start()])
            start = token.end()
        if depth == 0:
            return [argument for argument in found if argument.strip()], start
    return [], -1


def shortened_call(text: str) -> str:
    """Return a long callee without the arguments of the calls in it: `a.b(…).c` → `a.b().c`."""
    if not MAX_EXPRESSION_CHARACTERS < len(text) <= _LONGEST_CALL:
        return text
    kept, depth, start = [], 0, 0
    for token in _BRACKET.finditer(text):
        sign = token[0]
        if sign in "([{":
            if depth == 0:
                kept.append(text[start : token.end() if sign == "(" else token.start()])
            depth += 1
        elif sign in ")]}":
            depth -= 1
            start = token.start() if sign == ")" else token.end()
    return text if depth else "".join((*kept, text[start:]))


def last_name(text: str) -> str:
    """Return the identifier at the end of a text, without type arguments; "" if none."""
    found = _LAST.search(_without_arguments(text[-MAX_EXPRESSION_CHARACTERS:]).rstrip())
    return found[1] if found else ""


def _indexed(text: str) -> str:
    """Replace each index by a name: `a[0].b` → `a.INDEX.b`.

    Type arguments (`Box[int]`) and ranges (`a[1:]`) are left out.
    """
    text, shorter = "", _QUOTED.sub(_unquoted, text)
    while text != shorter:
        text, shorter = shorter, _BRACKETS.sub(_index, shorter)
    return text


def _unquoted(found: re.Match[str]) -> str:
    """Keep that a string is a type: `Signal["Application"]`."""
    return "T" if _QUOTED_TYPE.match(found[0], 1) else ""


def _index(found: re.Match[str]) -> str:
    if _RANGE.fullmatch(found[1]):  # some of the items
        return ""
    start = found.start()
    is_type = _GENERIC_NAME.search(found.string, max(0, start - _TYPE_CHARACTERS), start)
    is_type = is_type and _TYPES.fullmatch(found[1])
    return "" if is_type else f".{_INDEX}"


def _names(text: str) -> tuple[str, ...]:
    """Return the components of a path that follows something else."""
    return tuple(ELEMENT if part == _INDEX else part for part in _SPLIT.split(text) if part)


def _plain_path(text: str) -> tuple[str, ...]:
    parts = text.split(".")
    if all(part.isidentifier() for part in parts):
        return tuple(parts)
    found = _WHOLE.fullmatch(_without_arguments(text).strip())
    if found is None:
        return ()
    return _components(found[1])


def _unwrapped(text: str) -> str:
    """Unwrap `(*a).b` → `a.b`; `<A as B>::c` → `A::c`."""
    if text.startswith("await "):
        return text.removeprefix("await ").strip()
    if is_assigned(text):
        return _ASSIGNED.sub(r"\1", text, count=1)
    if text.startswith("(") and "*" in text:
        return _POINTED.sub(r"\1", text, count=1)
    return _OF_TYPE.sub(r"\1\2", text) if text.startswith("<") else text


def _components(text: str) -> tuple[str, ...]:
    text = text.replace("::$", "::")  # PHP's static properties
    first, *rest = _SPLIT.split(text[1:]) if text.startswith("\\") else _SPLIT.split(text)
    if text.startswith(_ROOTED):
        first += "::"
    elif text.startswith("\\"):
        first = "\\" + first
    rest = [ELEMENT if part == _INDEX else part for part in rest]
    return ("self", first, *rest) if first.startswith("@") else (first, *rest)


def _member_of_call(text: str) -> Expression | None:
    name = last_name(text)
    if not name:
        return None
    cast = _read_cast(text) if len(text) <= MAX_EXPRESSION_CHARACTERS else None
    if cast is not None:
        return cast
    head = _HEAD.match(_without_arguments(text[:MAX_EXPRESSION_CHARACTERS]))
    ending = _without_arguments(text[-MAX_EXPRESSION_CHARACTERS:])
    tail = _TAIL.search(_BETWEEN.sub("", ending))
    if tail is None:
        return Expression((), name)
    *members, name = _names(tail[1])
    unknown = Expression((), name, members=tuple(members), is_of_call=True)
    is_new = head is not None and "new " in head[1]
    if head is None or (head[3] == ")" and not is_new):
        return unknown
    if head[1].count("(") > (head[3] == ")"):
        is_whole = len(text) <= MAX_EXPRESSION_CHARACTERS
        names = _after_brackets(head, ending[head.end() :] if is_whole else ending)
        if not names:
            return unknown
        members = [*names[:-1]]
    path = _components(head[2])
    return Expression(path, name, is_new, len(head[1]), tuple(members), is_of_call=True)


def _after_brackets(head: re.Match[str], rest: str) -> tuple[str, ...]:
    """Return the names after a call in brackets: `(await a(x).b).c` → b, c.

    Empty if the brackets that were opened before it enclose anything else: `(a(x) + b).c`.
    """
    closing, depth = [], 0
    for sign in _BRACKET.finditer(rest):
        if sign[0] in "([{":
            depth += 1
        elif sign[0] in ")]}" and depth:
            depth -= 1
        elif sign[0] in ")]}":
            closing.append(sign.start())
    count = head[1].count("(") + (head[3] != ")")
    starts = closing[-count:] if head[3] != ")" else [-1, *closing]
    parts = [
        rest[start + 1 : end] for start, end in zip(starts, [*starts[1:], len(rest)], strict=True)
    ]
    if len(parts) == count and _OR_ELSE.fullmatch(parts[0]):
        parts[0] = ""
    names = [_AFTER_CALL.fullmatch(part) for part in parts]
    if len(parts) != count or not all(names):
        return ()
    return tuple(name for found in names if found for name in _names(found[1]))


def _read_cast(text: str) -> Expression | None:
    """Parse a member of a cast value: `(value as Type).name`, `static_cast<Type*>(value)->name`."""
    found = _CAST.fullmatch(_without_arguments(text)) if text[0] == "(" else None
    found = found or (_CAST_CALL.fullmatch(text) if "_cast" in text else None)
    if found is None:
        return None
    kind, written = filter(None, found.groups())
    *members, name = _names(written)
    return Expression(_components(kind), name, members=tuple(members), is_cast=True)


def _without_arguments(text: str) -> str:
    """Remove type arguments: `Foo<Bar<T>>::baz` → `Foo::baz`; unclosed ones stay."""
    while "<" in text:
        shorter = _ARGUMENTS.sub("", text)
        if shorter == text:
            break
        text = shorter
    return text


def read_literal_member(text: str) -> tuple[str, str] | None:
    """Return the literal's sign and the member's name: `"`, `'`, `` ` ``, `[`, `0` or `0.0`.

    Letters before a quote are part of its sign: `b"`. The sign is "" for a member of anything else
    that begins with a literal; None if nothing does.
    """
    if not STARTS_WITH_LITERAL.match(text):
        return None
    found = _MEMBER.fullmatch(text)
    if found is None:
        name = _LAST_MEMBER.search(text)
        return ("", name[1]) if name else None
    literal = found[1]
    if literal[0].isdigit():
        return ("0.0" if "." in literal else "0"), found[2]
    sign = _SIGN.match(literal)
    return (sign[0] if sign else ""), found[2]


_CLOSINGS = {"(": ")", "[": "]"}


def places_in(pattern: str, end: int) -> tuple[str, ...]:
    """Return the places, outermost first, of the name that begins at a position of a pattern."""
    is_wrapped = pattern[:1] in _CLOSINGS and read_arguments(pattern, 0)[1] in {-1, len(pattern)}
    places = [0]
    for sign in pattern[is_wrapped:end]:
        if sign in _CLOSINGS:
            places.append(0)
        elif sign in _CLOSINGS.values() and len(places) > 1:
            places.pop()
        elif sign == ",":
            places[-1] += 1
    return tuple(map(str, places))


def take_apart(
    pattern: str, value: str, places: Sequence[str]
) -> tuple[str, tuple[str, ...]] | None:
    """Return what a name at these places takes of a written value, and the places left in that.

    For `*c` it is a list. None if the name takes nothing that is written.
    """
    for number, place in enumerate(places):
        names, items, index = _items(pattern), _items(value), int(place)
        starred = next((at for at, name in enumerate(names) if name[:1] == "*"), len(names))
        if not items:
            return (value, tuple(places[number:])) if index < starred else None
        after = len(names) - 1 - starred
        if index == starred:
            return f"[{', '.join(items[starred : len(items) - after])}]", ()
        index = index if index < starred else index - len(names)
        if not -len(items) <= index < len(items) or int(place) >= len(names):
            return None
        pattern, value = names[int(place)], items[index]
    return value, ()


@lru_cache(maxsize=16)  # for the names of one pattern
def _items(text: str) -> list[str]:
    """Return the items of a tuple or list with commas; none of any other text."""
    text = text.strip()
    if text[:1] in _CLOSINGS:
        items, end = read_arguments(text, 0)
        if end == len(text):
            return [part.strip() for part in items]
    items, _ = read_arguments(f"({text})", 0)
    return [part.strip() for part in items] if len(items) > 1 or text.endswith(",") else []
