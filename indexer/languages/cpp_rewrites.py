"""Rewrites of C and C++: macros, modules, contracts and others that the grammar does not know."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from indexer.languages.conditionals import CONDITIONALS
from indexer.languages.rewrites import (
    Edit,
    Rewrite,
    blank,
    blanked,
    closing,
    occurrences,
    replaced,
    spaces,
)

_MODULE: Final = re.compile(
    rb"^[ \t]*(export[ \t]+)?(import|module)[ \t]+([\w.:<>\"/+-]{1,500})[ \t]*"
    rb"(\[\[[^\]\n]{0,200}\]\][ \t]*)?;",
    re.MULTILINE,
)
_NO_WORD: Final = bytes(
    byte if byte < 128 and (chr(byte).isalnum()) else ord("_") for byte in range(256)
)
_EXPORT: Final = re.compile(rb"(?:^|[;{}])[ \t]*(export)\b(?=\s*[\w\[{:])", re.MULTILINE)
_CONTRACT: Final = re.compile(rb"\b(pre|post)[ \t]{0,20}\(")
_AFTER_PARAMETERS: Final = re.compile(rb"[\w:<>,*&\s-]*")
_LOOK_BACK_BYTES: Final = 300
_TYPE_MACRO: Final = re.compile(
    rb"\b(?:class|struct|union|enum(?:\s{1,20}(?:class|struct))?)\s{1,20}"
    rb"((?:[A-Z][A-Z0-9_]{1,100}(?:\([^()\n]{0,200}\))?\s{1,20}){1,3})"
    rb"(?=[A-Za-z_]\w{0,200}(?:::\w{1,200}){0,9}(?:\s{1,20}final)?\s{0,20}"
    rb"(?:\{|:(?!:)[^;{}()]{1,300}\{))"
)
_FUNCTION_MACRO: Final = re.compile(
    rb"^[ \t]*(?:(?:extern(?:[ \t]+\"C\")?|static|inline|virtual)[ \t]+){0,3}"
    rb"((?:[A-Z][A-Z0-9_]{2,100}[ \t]+){1,3})"
    rb"(?=(?:const[ \t]+)?(?!const\b)[A-Za-z_][\w:]{0,200}(?:<[^;{}()\n]{1,200}>)?"
    rb"(?:[ \t]+|[ \t]*[*&]+[ \t]*)[A-Za-z_~][\w:]{0,200}[ \t]*\()",
    re.MULTILINE,
)
# Annotations of Clang's thread safety analysis, also with a prefix:
# https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
_LOCK_MACRO: Final = (
    rb"(?<=[\w)\]>])\s{1,20}+((?:[A-Z]{1,20}_)?(?:(?:PT_)?GUARDED_(?:BY|VAR)|REQUIRES|ACQUIRE"
    rb"|RELEASE|TRY_ACQUIRE|EXCLUDES|LOCKS_EXCLUDED|ACQUIRED_(?:BEFORE|AFTER)|LOCK_RETURNED"
    rb"|(?:ASSERT|RETURN)_CAPABILITY|(?:EXCLUSIVE|SHARED)_(?:LOCKS_REQUIRED|(?:TRY)?LOCK_FUNCTION)"
    rb"|UNLOCK_FUNCTION|NO_THREAD_SAFETY_ANALYSIS)(?:_SHARED|_GENERIC)?"
    rb"(?:\([^()\n]{0,200}(?:\([^()\n]{0,100}\)[^()\n]{0,100})?\))?)(?=\s*[;{=A-Z])"
)
_DIGRAPHS: Final = {
    b"<%": b"{",
    b"%>": b"}",
    b"<:": b"[",
    b":>": b"]",
    b"%:": b"#",
    b"??<": b"{",
    b"??>": b"}",
    b"??(": b"[",
    b"??)": b"]",
    b"??=": b"#",
}
_DIGRAPH: Final = re.compile(b"|".join(map(re.escape, _DIGRAPHS)))
_RESULT_NAME: Final = re.compile(rb"\s*\w+\s*:(?!:)")
_AFTER_CONTRACT: Final = re.compile(rb"\s*(?:(?:pre|post)\b|[{:]|=[^=]|->)")
_DECLARATION: Final = re.compile(
    rb"[ \t]*(?!(?:if|while|for|else|return|switch|do)\b)"
    rb"[\w:<>,*&~\[\]]{1,200}(?:[ \t*&]+[\w:<>,~]{1,200}){1,9}[ \t]*\("
)


def _modules(source: bytes) -> Iterator[Sequence[Edit]]:
    """Write `import a.b;` as a declaration, in which one name stands for the module's.

    A unit that implements a module is distinguished from its interface, which it imports.
    """
    for found in occurrences(_MODULE, source):
        edits = [blank(source, *span) for span in (found.span(1), found.span(4)) if span[0] >= 0]
        name = found[3].translate(_NO_WORD)
        edits.append(Edit(found.start(3), b"_" + name[1:] if name[:1].isdigit() else name))
        if found[2] == b"module" and not found[1]:
            edits.append(Edit(found.start(2), b"modulE"))
        yield sorted(edits)


def _exports(source: bytes) -> Iterator[Sequence[Edit]]:
    for found in occurrences(_EXPORT, source):
        yield [blank(source, *found.span(1))]


def _type_macros(source: bytes) -> Iterator[Sequence[Edit]]:
    """Blank macros before the name of a type: `class CORE_API Widget {`."""
    for found in occurrences(_TYPE_MACRO, source):
        yield [blank(source, *found.span(1))]


def _function_macros(source: bytes) -> Iterator[Sequence[Edit]]:
    """Blank macros before the type of a function: `CORE_API Widget* make(int id);`."""
    for found in occurrences(_FUNCTION_MACRO, source):
        yield [blank(source, *found.span(1))]


def _contracts(source: bytes) -> Iterator[Sequence[Edit]]:
    """Parse the conditions of a function's contracts by themselves."""
    for found in occurrences(_CONTRACT, source):
        opening = found.end() - 1
        end = closing(source, opening)
        if end < 0 or not _is_contract(source, found.start(1), end):
            continue
        result = _RESULT_NAME.match(source, opening + 1, end)
        condition = result.end() if result else opening + 1
        # As a block: alone, the grammar does not read a comparison as a statement.
        alone = b"{" + spaces(source[opening + 1 : condition]) + source[condition : end - 1] + b";}"
        yield [
            blank(source, found.start(1), opening),
            Edit(opening, spaces(source[opening:end]), alone),
        ]


def _is_contract(source: bytes, start: int, end: int) -> bool:
    """Whether it is no call, such as `if (x) post(y);`."""
    _, bracket, between = source[max(0, start - _LOOK_BACK_BYTES) : start].rpartition(b")")
    if not bracket or not _AFTER_PARAMETERS.fullmatch(between):
        return False
    if _AFTER_CONTRACT.match(source, end):
        return True
    line_start = source.rfind(b"\n", 0, start) + 1
    return _DECLARATION.match(source, line_start, start) is not None


def _digraphs(source: bytes) -> Iterator[Sequence[Edit]]:
    """Write the alternative spellings of brackets and `#` as these."""
    for found in occurrences(_DIGRAPH, source):
        yield [Edit(found.start(), _DIGRAPHS[found[0]].ljust(len(found[0])))]


REWRITES_OF_C: Final = (
    Rewrite(_type_macros, always=True),
    Rewrite(_function_macros),
    CONDITIONALS,
    Rewrite(_digraphs),
)
REWRITES: Final = (
    *REWRITES_OF_C,
    Rewrite(_modules),
    Rewrite(_exports),
    Rewrite(_contracts),
    blanked(_LOCK_MACRO),
    replaced(rb"\bif[ \t]+(!?[ \t]*consteval)(?=\s*\{)", b"(1)"),
    blanked(rb"\([ \t]*(this)[ \t]+(?=[\w:])"),  # a parameter for the object
    blanked(rb"\][ \t]{0,20}(?:\([^()\n]{0,200}\))?[ \t]{0,20}(static)\b(?=[^;\n]{0,100}\{)"),
    blanked(rb"\w(\.\.\.)\["),
    blanked(rb"[\[,][ \t]*(\.\.\.)\w+[ \t]*\][ \t]*="),
    blanked(rb"\bfriend\b[^;\n]{1,200}?(\.\.\.)[ \t]*;"),
    blanked(rb"^[ \t]*(#[ \t]*embed\b[^\n]*)"),
)
