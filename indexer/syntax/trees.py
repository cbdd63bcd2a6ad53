"""Trees: parsing within a budget, what could not be parsed, and rewrites that leave less of it.

The result is a function of the bytes alone: work is limited by counts, never by a clock.
Trees are walked with cursors, never by recursion. Never keep `Node.children` of a deep tree: the
binding frees such chains recursively and overflows the C stack (seen at 100,000).
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Final, TypeAlias

import tree_sitter

from indexer.languages import Grammar, Language
from indexer.languages.rewrites import Edit, Rewrite
from indexer.records.files import DegradeReason
from indexer.syntax.budget import Budget

# A query looks at all later siblings of each child of an ERROR node: the square of its width.
_MAX_ERROR_WORK = 300_000_000
_ERROR_WORK_PER_NODE = 2_000
_MAX_EDITED: Final = 1_000  # occurrences of a construct that one rewrite edits in a file
_MAX_REPARSES: Final = 8
_STRING: Final = "string"  # in the types of nodes, in all grammars
_TEXT: Final = re.compile(r"string|comment|heredoc|regex|char_literal|template_chars")
_CODE_IN_TEXT: Final = re.compile(r"interpol|substitution")

# Half-open bytes.
ByteRange: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Errors:
    """What a tree has not understood: byte ranges, in order, and how many tokens it has added."""

    ranges: tuple[ByteRange, ...] = ()
    missing: int = 0

    @property
    def size(self) -> int:
        """Their bytes; a token that is missing counts as one."""
        return self.missing + sum(end - start for start, end in self.ranges)


@dataclass(frozen=True, slots=True)
class SyntaxTrees:
    """The tree of a file, those of pieces that are parsed by themselves, and the errors of all."""

    tree: tree_sitter.Tree
    pieces: tuple[tree_sitter.Tree, ...] = ()
    errors: tuple[ByteRange, ...] = ()


def parse_trees(language: Language, grammar: Grammar, source: bytes) -> SyntaxTrees | DegradeReason:
    """Parse `source`, and again with each rewrite: those that leave fewer errors are kept.

    All offsets are those of `source`.
    """
    # A NUL would be the end of the file to the grammars.
    text = source.replace(b"\0", b" ")
    tree = _parse_within_budget(grammar, text)
    if tree is None:
        return DegradeReason.PARSE_BUDGET
    if _error_work(tree) > _MAX_ERROR_WORK:
        return DegradeReason.PARSE_FAILED
    parse = _RewritingParse(grammar, text, tree)
    parse.try_rewrites(language.rewrites)
    return parse.trees()


class _RewritingParse:
    """The best tree of a file so far, and the text with the edits that it is the tree of."""

    def __init__(self, grammar: Grammar, source: bytes, tree: tree_sitter.Tree) -> None:
        self._grammar = grammar
        self._source = source
        self._text = source
        self._tree = tree
        self._errors = read_errors(tree)
        self._reparses = _MAX_REPARSES
        self._pieces: list[Edit] = []
        self._found: dict[Rewrite, list[Edit]] = {}  # in the text and tree so far

    def try_rewrites(self, rewrites: Sequence[Rewrite]) -> None:
        """Try all rewrites together, then one after the other."""
        found = [edits for rewrite in rewrites if (edits := self._edits(rewrite))]
        if len(found) > 1:
            self._try([edit for edits in found for edit in edits])
        for rewrite in rewrites:
            self._try(self._edits(rewrite), allows_as_many_errors=rewrite.always)

    def trees(self) -> SyntaxTrees:
        """Parse the pieces and return all trees."""
        parsed = map(self._parse_piece, self._pieces)
        pieces = tuple(tree for tree in parsed if tree is not None)
        errors = [
            *self._errors.ranges,
            *(found for tree in pieces for found in read_errors(tree).ranges),
        ]
        return SyntaxTrees(self._tree, pieces, tuple(sorted(errors)))

    def _edits(self, rewrite: Rewrite) -> list[Edit]:
        """Return the edits of a rewrite where it applies to the tree so far."""
        if not (rewrite.always or self._tree.root_node.has_error):
            return []
        if not rewrite.may_occur(self._text):
            return []
        if rewrite not in self._found:
            self._found[rewrite] = self._find(rewrite)
        return self._found[rewrite]

    def _find(self, rewrite: Rewrite) -> list[Edit]:
        return [
            edit
            for edits in islice(rewrite.find(self._text), _MAX_EDITED)
            if self._is_code(edits[0].start)
            and (not rewrite.in_error or self._is_error(edits[0].start))
            and (not rewrite.within or self._is_within(edits[0].start, rewrite.within))
            for edit in edits
        ]

    def _try(self, edits: Sequence[Edit], *, allows_as_many_errors: bool = False) -> None:
        if not edits or not self._reparses:
            return
        self._reparses -= 1
        text = _edited(self._text, edits)
        tree = _parse_within_budget(self._grammar, text)
        if tree is None or _error_work(tree) > _MAX_ERROR_WORK:
            return
        errors = read_errors(tree)
        if errors.size < self._errors.size + allows_as_many_errors:
            self._text, self._tree, self._errors = text, tree, errors
            self._found.clear()
            self._pieces += [edit for edit in edits if edit.piece]

    def _is_code(self, offset: int) -> bool:
        """Whether the offset is in no string and no comment, as far as the tree tells."""
        cursor = self._tree.walk()
        is_code = True
        is_error = False
        while cursor.goto_first_child_for_byte(offset) is not None:
            node = cursor.node
            if node is None or node.start_byte > offset:
                break
            if _CODE_IN_TEXT.search(node.type):
                is_code = True
            elif _TEXT.search(node.type) and node.start_byte < offset:
                # A string's content without the string is a guess of the grammar.
                is_code = is_code and is_error and node.type == "string_content"
            is_error = node.is_error
        return is_code

    def _is_within(self, offset: int, kind: str) -> bool:
        """Whether the token at the offset is one of a node of this type, or of an error."""
        token = self._tree.root_node.descendant_for_byte_range(offset, offset + 1)
        parent = token.parent if token is not None else None
        return parent is not None and (parent.type == kind or parent.is_error)

    def _is_error(self, offset: int) -> bool:
        """Whether the offset is in an error."""
        found = bisect_right(self._errors.ranges, (offset, sys.maxsize))
        return found > 0 and offset < self._errors.ranges[found - 1][1]

    def _parse_piece(self, piece: Edit) -> tree_sitter.Tree | None:
        start, end = piece.start, piece.start + len(piece.piece)
        text = self._source[:start] + piece.piece + self._source[end:]
        included = tree_sitter.Range(_point(text, start), _point(text, end), start, end)
        return _parse_within_budget(self._grammar, text, [included])


def _edited(text: bytes, edits: Iterable[Edit]) -> bytes:
    edited = bytearray(text)
    for edit in edits:
        edited[edit.start : edit.end] = edit.text
    return bytes(edited)


def _point(source: bytes, offset: int) -> tree_sitter.Point:
    line_start = source.rfind(b"\n", 0, offset) + 1
    return tree_sitter.Point(source.count(b"\n", 0, offset), offset - line_start)


@cache
def grammar_language(grammar: Grammar) -> tree_sitter.Language:
    """Load a grammar."""
    module = import_module(grammar.module)
    return tree_sitter.Language(getattr(module, grammar.function)())


def _parse_within_budget(
    grammar: Grammar, source: bytes, included: Sequence[tree_sitter.Range] | None = None
) -> tree_sitter.Tree | None:
    budget = Budget(source)
    parser = tree_sitter.Parser(grammar_language(grammar), included_ranges=included)
    try:
        tree = parser.parse(budget.read, progress_callback=budget.consume)
    except ValueError:  # the binding's only way to say that the callback stopped it
        return None
    if budget.is_exhausted:
        return None
    budget.reset()
    return tree


@cache
def grammar_words(grammar: Grammar) -> frozenset[bytes]:
    """Return the words that the grammar itself has, such as `if`."""
    language = grammar_language(grammar)
    kinds = map(language.node_kind_for_id, range(language.node_kind_count))
    unnamed = (
        kind
        for number, kind in enumerate(kinds)
        if kind and not language.node_kind_is_named(number)
    )
    return frozenset(kind.encode() for kind in unnamed if kind.isidentifier())


def _error_work(tree: tree_sitter.Tree) -> int:
    """Estimate the cost of a query over the erroneous parts of the tree, up to the limit."""
    cursor = tree.walk()
    work = 0
    while work <= _MAX_ERROR_WORK:
        node = cursor.node
        if node is None or not node.has_error:
            descended = False
        else:
            work += _ERROR_WORK_PER_NODE + (node.child_count**2 if node.is_error else 0)
            descended = work <= _MAX_ERROR_WORK and cursor.goto_first_child()
        if not descended and not _next_outside(cursor):
            break
        work += _ERROR_WORK_PER_NODE
    return work


def _next_outside(cursor: tree_sitter.TreeCursor) -> bool:
    """Move to the next node in document order that is not inside this one."""
    while not cursor.goto_next_sibling():
        if not cursor.goto_parent():
            return False
    return True


def read_errors(tree: tree_sitter.Tree) -> Errors:
    """Return the errors of a tree. What an error holds in several lines without an error is none.

    An error often begins at the top of a file and holds the definitions before it. But a string of
    several lines in one is code, between the quotes of two others.
    """
    if not tree.root_node.has_error:
        return Errors()
    return _ErrorReader(tree).read()


class _ErrorReader:
    """A walk over the nodes with errors.

    `_open` has an item for each node around the current one: None if it is no error, else where the
    part of it that is still unread begins, and where it ends.
    """

    def __init__(self, tree: tree_sitter.Tree) -> None:
        self._cursor = tree.walk()
        self._open: list[ByteRange | None] = []
        self._ranges: list[ByteRange] = []
        self._missing = 0

    def read(self) -> Errors:
        """Walk over the tree."""
        while True:
            if not self._enters() and not self._moves_on():
                return Errors(tuple(self._ranges), self._missing)

    def _enters(self) -> bool:
        """Look at the node; move to its first child if there may be errors below it."""
        node = self._cursor.node
        if node is None:
            return False
        parent = self._open[-1] if self._open else None
        self._missing += node.is_missing
        if parent is not None:
            is_line = node.start_point.row == node.end_point.row
            if node.is_error or is_line or _STRING in node.type:
                return False
            self._add(parent[0], node.start_byte)
            self._open[-1] = (node.end_byte, parent[1])
        if not node.has_error:
            return False
        is_error = node.is_error
        start, end = node.byte_range
        if not self._cursor.goto_first_child():
            if is_error:
                self._add(start, end)
            return False
        self._open.append((start, end) if is_error else None)
        return True

    def _moves_on(self) -> bool:
        while not self._cursor.goto_next_sibling():
            if not self._cursor.goto_parent():
                return False
            left = self._open.pop()
            if left is not None:
                self._add(*left)
        return True

    def _add(self, start: int, end: int) -> None:
        if start < end:
            self._ranges.append((start, end))
