"""From the text of a query to its lexemes: what begins a word decides what the word is.

A parenthesis is only an open question here: `central.query.parser` decides which ones group.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from central.query.dates import read_date
from central.query.errors import QueryError, known_names
from central.query.escapes import (
    CONTENT_REGEX,
    FILTER_REGEX,
    MINUS,
    OPERATORS,
    QUOTED,
    SMALL_OPERATORS,
    SPECIAL,
    TERM_REGEX,
    is_near_regex,
    quote,
    slash,
    unquote,
    unslash,
)
from central.query.filters import (
    CASE,
    COMMIT_FILTERS,
    CONTENT,
    FOREIGN_TYPES,
    NAMED_VALUES,
    NAMES,
    NAMES_OF_COMMITS,
    TYPES,
    FilterName,
    Match,
    filter_name,
    is_of_commits,
    misspelt_filter,
)
from central.query.foreign_filters import (
    foreign_filter,
    foreign_predicate,
    split_revision,
    without_host,
)
from central.query.languages import language_name
from central.query.patterns import GLOB_CHARACTERS, check_length, compile_pattern, text_matcher
from central.query.refs import ref_patterns
from central.query.syntax import Case, Filter, Literal, Node, Regex, Word, conjunction


class Kind(StrEnum):
    """The terminals of the grammar, and `CASE`, which is no part of the tree."""

    WORD = "WORD"
    TERM = "TERM"  # a filter, a literal, a regular expression
    OR = "OR"
    AND = "AND"
    NOT = "NOT"
    MINUS = "MINUS"
    OPEN = "OPEN"
    CLOSE = "CLOSE"
    CASE = "CASE"


KEYWORDS: Final = frozenset({Kind.OR, Kind.AND, Kind.NOT})


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A part of the text from `start` to before `end`; a word's `node` holds its plain text."""

    kind: Kind
    start: int
    end: int
    node: Node | None = None
    case: Case = Case.AUTO

    @property
    def column(self) -> int:
        """The 1-based column of its first character."""
        return self.start + 1


_SPACE: Final = re.compile(r"\s+")
_WITHOUT_DOTS: Final = frozenset({FilterName.REPO, FilterName.SYM})  # in whose globs `.*` is rare


class Lexer:
    """One pass over a text; `pairs` has the positions of parentheses that belong together."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.names = NAMES_OF_COMMITS if is_of_commits(text) else NAMES
        self.pairs: dict[int, int] = {}
        self._open: list[tuple[int, bool]] = []  # position; False: inside of a word, as in `f(x`
        self._has_open_quote = False  # inside of a word, as in `f("x y")`

    def __iter__(self) -> Iterator[Lexeme]:
        at, last = 0, None
        while at < len(self.text):
            if space := _SPACE.match(self.text, at):
                at, last = space.end(), None
                continue
            begins = last is None or last.kind in {Kind.OPEN, Kind.MINUS}
            last = self._next(
                at, begins=begins, negated=last is not None and last.kind is Kind.MINUS
            )
            at = last.end
            yield last

    def _next(self, at: int, *, begins: bool, negated: bool) -> Lexeme:
        if self.text[at] == ")" and self._open and self._open[-1][1]:
            self.pairs[self._open.pop()[0]] = at
            return Lexeme(Kind.CLOSE, at, at + 1)
        if not begins:
            return self._word(at)
        if self.text[at] == "(":
            self._open.append((at, True))
            return Lexeme(Kind.OPEN, at, at + 1)
        if not negated and MINUS.match(self.text, at):
            return Lexeme(Kind.MINUS, at, at + 1)
        self._refuse_unknown(at)
        return (
            self._quoted(at)
            or self._regex(at)
            or self.filter_at(at, negated=negated)
            or self._word(at)
        )

    def _quoted(self, at: int) -> Lexeme | None:
        if self.text[at] != '"' or self.text.startswith('""', at):
            return None
        if found := QUOTED.match(self.text, at):
            return Lexeme(Kind.TERM, at, found.end(), Literal(unquote(found[1]), at + 1))
        if self._has_open_quote or not self.text[at + 1 : at + 2].strip():
            return None
        raise unclosed_quote(at)

    def _regex(self, at: int) -> Lexeme | None:
        found = TERM_REGEX.match(self.text, at)
        if found is None:
            return None
        return Lexeme(Kind.TERM, at, found.end(), checked_regex(unslash(found[1]), at + 1))

    def _refuse_unknown(self, at: int) -> None:
        if misspelt := misspelt_filter(self.text, at):
            name, near = misspelt
            raise QueryError(
                f"there is no filter {name}:. Write {near}:, or {name}\\: if the word is meant.",
                column=at + 1,
            )
        if foreign := foreign_filter(self.text, at):
            name, advice = foreign
            if name in NAMES_OF_COMMITS:
                if self.names is NAMES_OF_COMMITS:
                    return
                raise QueryError(
                    f"{name}: is a filter of commits. {advice} Write {name}\\: if the word is "
                    "meant.",
                    column=at + 1,
                )
            raise QueryError(
                f"the filter {name}: of other tools does not exist here. {advice} Write "
                f"{name}\\: if the word is meant.",
                column=at + 1,
            )

    def filter_at(self, at: int, *, negated: bool) -> Lexeme | None:
        """Return the filter at this position, or `case:`; None if there is another word."""
        written = filter_name(self.text, at, names=self.names)
        if written is None:
            return None
        name, start = self.names[written], at + len(written) + 1
        if name == FilterName.REPO and (found := self._repository_at_revision(at, start)):
            return found
        value, match, end = self._value(name, start)
        if not value:
            return None
        if name == CASE:
            return Lexeme(Kind.CASE, at, end, case=_case(value, at + 1, negated=negated))
        return Lexeme(Kind.TERM, at, end, _filter_node(name, value, match, at + 1))

    def _repository_at_revision(self, at: int, start: int) -> Lexeme | None:
        """Return `repo:name@revision` of other tools as two filters; None for another value."""
        before = [*self._open]
        raw = self.text[start : self._plain(start)[1]]
        self._open = before
        parts = None if raw.startswith(('"', "/")) else split_revision(raw)
        if parts is None:
            return None
        written, revision = parts
        if is_near_regex(written) or ".*" in written:
            raise QueryError(
                f"{written} looks like a regular expression. Write repo:{_as_pattern(written)} "
                f"rev:{revision}.",
                column=start + 1,
            )
        match = Match.SUBSTRING if GLOB_CHARACTERS.isdisjoint(written) else Match.GLOB
        nodes = (
            _filter_node(FilterName.REPO, written, match, at + 1),
            _filter_node(FilterName.REV, revision, Match.EXACT, start + len(written) + 2),
        )
        return Lexeme(Kind.TERM, at, start + len(raw), conjunction(nodes))

    def _value(self, name: str, at: int) -> tuple[str, Match, int]:
        """Read the value of a filter: text, how it is compared, and where it ends."""
        regex = CONTENT_REGEX if name == CONTENT else FILTER_REGEX
        if name in NAMED_VALUES or name == CASE:
            compared = Match.EXACT
        elif found := regex.match(self.text, at):
            return unslash(found[1]), Match.REGEX, found.end()
        else:
            compared = Match.SUBSTRING
        if self.text[at] == '"':
            if found := QUOTED.match(self.text, at):
                return unquote(found[1]), compared, found.end()
            raise unclosed_quote(at)
        if advice := foreign_predicate(name, self.text, at):
            raise QueryError(advice, column=at + 1)
        value, end = self._plain(at)
        raw = self.text[at:end]
        if compared is Match.SUBSTRING and name != CONTENT:
            _check_plain(name, raw, at)
            if not GLOB_CHARACTERS.isdisjoint(value):
                compared = Match.GLOB
        return value, compared, end

    def _word(self, at: int) -> Lexeme:
        text, end = self._plain(at)
        raw = self.text[at:end]
        if raw in OPERATORS:
            return Lexeme(Kind(raw), at, end, Word(raw, at + 1))
        if raw[:1] == "\\" and raw[1:] in {*OPERATORS, *SMALL_OPERATORS}:
            text = raw[1:]
        return Lexeme(Kind.WORD, at, end, Word(text, at + 1))

    def _plain(self, at: int) -> tuple[str, int]:
        """Read to the next space, or to the end of a group, without escapes."""
        parts: list[str] = []
        while at < len(self.text) and not self.text[at].isspace():
            character = self.text[at]
            if character == "(":
                self._open.append((at, False))
            elif character == ")" and self._open:
                if self._open[-1][1]:
                    break
                self._open.pop()
            elif character == "\\" and self.text[at + 1 : at + 2] in SPECIAL:
                at += 1
                character = self.text[at]
            elif character == '"':
                self._has_open_quote = not self._has_open_quote
            parts.append(character)
            at += 1
        return "".join(parts), at


def _check_plain(name: str, raw: str, at: int) -> None:
    """Raise QueryError for an unquoted value that other tools read otherwise."""
    if is_near_regex(raw) or (".*" in raw and name in _WITHOUT_DOTS):
        raise QueryError(
            f"{raw} looks like a regular expression. Write {name}:{_as_pattern(raw)}, or "
            f"{name}:{_as_text(raw)}.",
            column=at + 1,
        )


def _as_pattern(raw: str) -> str:
    """Write an unquoted value as a pattern if it looks like one, without the host of a forge."""
    plain = without_host(raw)
    return slash(plain) if is_near_regex(plain) or ".*" in plain else plain


def _as_text(raw: str) -> str:
    """Write what an unquoted value means if it is no pattern: a glob, or the text itself."""
    if GLOB_CHARACTERS.isdisjoint(raw) or "\\" in raw or raw[0] == "^" or raw[-1] == "$":
        return f"{quote(raw)} if the text itself is meant"
    return f"{raw.replace('.*', '[.]*')} if it is a glob"


def checked_regex(pattern: str, column: int) -> Regex:
    """Return the node of a pattern. Raises QueryError if RE2 does not accept it."""
    check_length(pattern, "regular expression", column)
    compile_pattern(pattern, column=column)
    return Regex(pattern, column)


def unclosed_quote(at: int) -> QueryError:
    """Return the error of a quote at this position that has no end."""
    return QueryError(
        'this quote is not closed. Write " at its end, or \\" if the character is meant.',
        column=at + 1,
    )


def _filter_node(name: str, value: str, match: Match, column: int) -> Node:
    if name == CONTENT:
        return checked_regex(value, column) if match is Match.REGEX else Literal(value, column)
    node = Filter(FilterName(name), value, match, column)
    text_matcher(value, match, ignore_case=False, column=column)
    if match is not Match.EXACT:
        return node
    if node.name is FilterName.REV:
        return _checked_revision(node)
    if node.name is FilterName.LANG:
        return replace(node, value=language_name(value))
    if node.name in COMMIT_FILTERS:
        return _commit_filter(node)
    if value.lower() not in TYPES:
        advice = FOREIGN_TYPES.get(value.lower()) or known_names(value, TYPES)
        raise QueryError(f'there is no type "{value}". {advice}'.rstrip(), column=column)
    return replace(node, value=value.lower())


def _checked_revision(node: Filter) -> Filter:
    try:
        ref_patterns(node.value)
    except ValueError as exc:
        raise QueryError(f"rev: {exc}.", column=node.column) from exc
    return node


def _commit_filter(node: Filter) -> Filter:
    if node.name is not FilterName.AUTHOR and read_date(node.value, time.time()) is None:
        raise QueryError(
            f'"{node.value}" is no date. Write {node.name}:2026-01-31, a time such as '
            f"{node.name}:2026-01-31T12:00Z, or how long ago: {node.name}:12h, 3d, 2w, 6mo, 1y.",
            column=node.column,
        )
    return node


def _case(value: str, column: int, *, negated: bool) -> Case:
    if negated:
        raise QueryError("case: cannot be negated. Write case:yes or case:no.", column=column)
    if value.lower() not in set(Case):
        raise QueryError("case: is yes, no or auto. Write case:yes.", column=column)
    return Case(value.lower())
