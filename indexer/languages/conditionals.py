"""Conditionals of a preprocessor that cut a statement, of C, C++ and C#.

A grammar knows an `#if` around whole statements or declarations alone.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final, TypeAlias

from indexer.languages.rewrites import Edit, Rewrite, blank

_DIRECTIVE: Final = re.compile(
    rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b"
    rb"(?:[^\n\\]|\\.)*\n?",
    re.MULTILINE | re.DOTALL,
)
_MAX_DIRECTIVES: Final = 2_000
_LOOK_BACK_BYTES: Final = 300
_CONDITIONAL_BYTES: Final = 2_048  # of one in the middle of something
_LABELS: Final = frozenset({b"public", b"private", b"protected", b"default", b"slots", b"signals"})
_TOKEN: Final = re.compile(
    rb"//[^\n]*|/\*(?:[^*]|\*(?!/)){0,2000}(?:\*/)?|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
    rb"|^[ \t]*#[^\n]*|\w+|[^\s\w]",
    re.MULTILINE | re.DOTALL,
)
_PAIRS: Final = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_ENDS: Final = (b"", b";", b"}")
_WHOLE: Final[tuple[list[bytes], ...]] = ([], [b";"], [b"}"], [b"{"])
_IsInside: TypeAlias = Callable[[bytes, re.Match[bytes], re.Match[bytes]], bool]


def _conditionals(is_inside: _IsInside, source: bytes) -> Iterator[Sequence[Edit]]:
    """Keep the first branch alone of an `#if` in the middle of a statement, a list or a block."""
    open_branches: list[list[re.Match[bytes]]] = []
    for directive in islice(_DIRECTIVE.finditer(source), _MAX_DIRECTIVES):
        if directive[1].startswith(b"if"):
            open_branches.append([directive])
        elif open_branches:
            open_branches[-1].append(directive)
            if directive[1] == b"endif":
                first, *others = open_branches.pop()
                is_short = directive.end() - first.start() <= _CONDITIONAL_BYTES
                if is_short and is_inside(source, first, others[0]):
                    yield [
                        blank(source, *first.span()),
                        blank(source, others[0].start(), directive.end()),
                    ]


def _is_inside(source: bytes, start: re.Match[bytes], end: re.Match[bytes]) -> bool:
    """Whether the lines between two directives are no whole statements or declarations."""
    before = source[max(0, start.start() - _LOOK_BACK_BYTES) : start.start()].rstrip()
    branch = source[start.end() : end.start()]
    if before[-1:] in _ENDS and branch.rstrip()[-1:] in _ENDS and _is_balanced(branch):
        return False
    inside = list(_tokens(branch))
    *_, named, last = (b"", b";", *_tokens(before))
    is_label = named in _LABELS or b"case" in before.rpartition(b";")[2]
    if not inside or last in b",(=|&+?<)" or (last == b":" and not is_label):
        return bool(inside)
    is_cut = inside[0] in b")]}" or inside[-1] in b",|&+?"
    return is_cut or not _is_balanced(inside)


def _is_inside_csharp(source: bytes, start: re.Match[bytes], end: re.Match[bytes]) -> bool:
    """The same for C#, where a declaration may also go on, or end, behind a directive."""
    before = list(_tokens(source[max(0, start.start() - _LOOK_BACK_BYTES) : start.start()]))
    inside = list(_tokens(source[start.end() : end.start()]))
    is_whole = before[-1:] in _WHOLE and inside[-1:] in _WHOLE and inside[:1] != [b"else"]
    return not (is_whole and _is_balanced(inside))


def _is_balanced(text: bytes | list[bytes]) -> bool:
    """Whether as many brackets close as open; as a rule these are the ones that belong together."""
    return all(text.count(opening) == text.count(closing) for opening, closing in _PAIRS)


def _tokens(source: bytes) -> Iterator[bytes]:
    """Yield names, signs and literals, without comments and directives."""
    tokens = (found[0] for found in _TOKEN.finditer(source))
    return (
        token for token in tokens if token[:2] not in {b"//", b"/*"} and token.lstrip()[:1] != b"#"
    )


CONDITIONALS: Final = Rewrite(partial(_conditionals, _is_inside))
CONDITIONALS_OF_CSHARP: Final = Rewrite(partial(_conditionals, _is_inside_csharp))
