"""Cuts a file into chunks: whole lines, in order, each non-blank line in exactly one chunk.

Definitions with their doc comments and decorators are chunks of their own; the code between them
is module code. Text without a grammar is cut into windows. Sizes are in characters.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from indexer.records.files import NAME_CHARACTERS, ChunkType, Span
from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS, OutlineEntry
from indexer.syntax.parser import ParsedFile

SOFT_CHARACTERS = 1_500  # a definition up to here stays whole
PART_CHARACTERS = 1_100  # what a part of a larger one aims at

_HEADING = re.compile(r"#{1,6}\s|={3,}|\[\S|--- |<h[1-6]")


class SourceLines:
    """The lines of `split_lines`, numbered from 1; spans are inclusive."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._sizes = [0, *accumulate(len(line) for line in lines)]

    def size(self, span: Span) -> int:
        return self._sizes[span.end] - self._sizes[span.start - 1]

    def lines_of(self, span: Span) -> Sequence[str]:
        return self.lines[span.start - 1 : span.end]

    def is_blank(self, line: int) -> bool:
        return not self.lines[line - 1].strip()

    def trim(self, start: int, end: int) -> Span | None:
        """Trim blank lines at both ends of start..end; None if all are blank."""
        while start <= end and self.is_blank(start):
            start += 1
        while end >= start and self.is_blank(end):
            end -= 1
        return Span(start, end) if start <= end else None

    def split(self, span: Span, max_lines: int | None = None) -> Iterator[Span]:
        """Split into parts of even size at headings, blank lines and outer levels."""
        while self._is_large(span, max_lines):
            cut = self._cut(span, max_lines)
            head, tail = self.trim(span.start, cut - 1), self.trim(cut, span.end)
            if head is not None:
                yield head
            if tail is None:
                return
            span = tail
        yield span

    def _is_large(self, span: Span, max_lines: int | None) -> bool:
        if span.start == span.end:
            return False
        too_long = max_lines is not None and span.end - span.start >= max_lines
        return too_long or self.size(span) > SOFT_CHARACTERS

    def _cut(self, span: Span, max_lines: int | None) -> int:
        """Return the line before which the first part of `span` ends; always inside the span."""
        size = self.size(span)
        target = size / max(2, round(size / PART_CHARACTERS)) * 1.15
        last = span.start + 1
        limit = span.end if max_lines is None else min(span.end, span.start + max_lines)
        while last < limit and self._sizes[last] - self._sizes[span.start - 1] < target:
            last += 1
        first = span.start + max(1, (last - span.start) * 2 // 5)
        return max(range(first, last + 1), key=self._boundary)

    def _boundary(self, line: int) -> tuple[bool, bool, int, int]:
        text = self.lines[line - 1]
        stripped = text.lstrip()
        after_blank = self.is_blank(line - 1)
        indent = len(text) - len(stripped) if stripped else 1_000
        closes = stripped[:1] in ("}", ")", "]")
        heading = after_blank and _HEADING.match(text) is not None
        return heading, after_blank and bool(stripped), -(indent + closes), line


WINDOW_LINES = 60
WHOLE_CLASS_CHARACTERS = 400
TINY_CHARACTERS = 150
TINY_LINES = 3
MERGED_CHARACTERS = 650  # the chunk that the embedding model was measured with
_LICENCE_CHARACTERS = 80

STRUCTURAL_KINDS = CLASS_KINDS | FUNCTION_KINDS | {"scope", "namespace", "module", "type"}
_NAMESPACE_KINDS = frozenset({"scope", "namespace", "module"})
_CLOSING = re.compile(r"[\W_]+|end|esac|fi|done|#endif|#else|(?:private|protected|public):?")
_COMMENT_START = re.compile(r"\s(?://|/\*|#|--)")
_OPENING = re.compile(r"[\w \t]*[({]")


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A chunk before its terms are computed. `names` are the definitions in it."""

    span: Span
    type: ChunkType
    names: tuple[str, ...] = ()
    container: str = ""

    @property
    def name(self) -> str:
        """The name, or the names of a run of small definitions, separated by commas."""
        return ", ".join(self.names)[:NAME_CHARACTERS]


@dataclass(slots=True)
class _Block:
    """A definition's lines. The root block is the file; its header line is 0."""

    span: Span
    header_line: int
    outlined: OutlineEntry | None
    children: list["_Block"] = field(default_factory=list)

    @property
    def is_namespace(self) -> bool:
        return self.outlined is None or self.outlined.kind in _NAMESPACE_KINDS

    @property
    def is_function(self) -> bool:
        return self.outlined is not None and self.outlined.kind in FUNCTION_KINDS


def chunk_text(lines: Sequence[str]) -> list[ChunkDraft]:
    """Cut a text into windows of at most 60 lines, at headings and blank lines if possible."""
    return chunk_lines(SourceLines(lines), Span(1, len(lines)))


def chunk_lines(source: SourceLines, span: Span) -> list[ChunkDraft]:
    """Cut a part of a text into windows."""
    whole = source.trim(*span)
    if whole is None:
        return []
    return [ChunkDraft(part, ChunkType.TEXT) for part in source.split(whole, WINDOW_LINES)]


def chunk_definitions(
    parsed: ParsedFile, outlined: Iterable[OutlineEntry], lines: Sequence[str]
) -> list[ChunkDraft]:
    """Cut a parsed file into chunks. `lines` is the result of `records.split_lines`."""
    return chunk_code(parsed, outlined, SourceLines(lines), Span(1, len(lines)))


def chunk_code(
    parsed: ParsedFile, outlined: Iterable[OutlineEntry], source: SourceLines, span: Span
) -> list[ChunkDraft]:
    """Cut a part of a parsed file, in which all of `outlined` are."""
    root = _blocks(parsed, outlined, span)
    drafts = list(_Emitter(source, parsed.comment_lines).emit(root))
    return _merge(_merge_gaps(drafts, source), source)


def _blocks(parsed: ParsedFile, outlined: Iterable[OutlineEntry], span: Span) -> _Block:
    """Return the tree of definitions in lines; siblings share no line, children lie inside."""
    root = _Block(span, span.start - 1, None)
    enclosing = [root]
    for outline_entry in outlined:
        if outline_entry.kind not in STRUCTURAL_KINDS:
            continue
        while _ends_before(enclosing[-1], outline_entry):
            enclosing.pop()
        parent = enclosing[-1]
        free = 1 + (parent.children[-1].span.end if parent.children else parent.header_line)
        start = max(_leading_line(parsed, outline_entry.definition.start_line, free), free)
        if start > outline_entry.definition.end_line:
            continue
        span = Span(start, outline_entry.definition.end_line)
        block = _Block(span, max(outline_entry.definition.start_line, start), outline_entry)
        parent.children.append(block)
        enclosing.append(block)
    return root


def _ends_before(block: _Block, outlined: OutlineEntry) -> bool:
    return (
        block.outlined is not None
        and block.outlined.definition.end_byte <= outlined.definition.start_byte
    )


def _leading_line(parsed: ParsedFile, line: int, free: int) -> int:
    """Return the first line of the comments and decorators directly before `line`."""
    while line > free and line - 1 in parsed.leading_comments:
        line = parsed.leading_comments[line - 1]
    return line


class _Emitter:
    """Conversion of blocks to drafts. It recurses as deep as definitions nest, at most 64."""

    def __init__(self, source: SourceLines, comment_lines: frozenset[int]) -> None:
        self._source = source
        self._comment_lines = comment_lines

    def emit(self, block: _Block) -> Iterator[ChunkDraft]:
        if self._stays_whole(block):
            yield from self._own(block, block.span)
            return
        line = block.span.start
        for child in block.children:
            yield from self._between(block, line, child.span.start - 1)
            yield from self.emit(child)
            line = child.span.end + 1
        yield from self._between(block, line, block.span.end)

    def _stays_whole(self, block: _Block) -> bool:
        if not block.children:
            return block.outlined is not None
        if block.is_namespace:
            return False
        limit = SOFT_CHARACTERS if block.is_function else WHOLE_CLASS_CHARACTERS
        return self._source.size(block.span) <= limit

    def _between(self, block: _Block, start: int, end: int) -> Iterator[ChunkDraft]:
        span = self._source.trim(start, end)
        if span is None:
            return
        if block.outlined is None:
            yield from self._module_code(span)
        else:
            yield from self._own(block, span)

    def _own(self, block: _Block, span: Span) -> Iterator[ChunkDraft]:
        outlined = block.outlined
        if outlined is None:
            return
        names = (outlined.name,) if outlined.name else ()
        for part in self._source.split(span):
            if block.is_namespace:
                yield ChunkDraft(part, ChunkType.MODULE, (), outlined.qualified_name)
            else:
                yield ChunkDraft(part, _chunk_type(outlined.kind), names, outlined.prefix)

    def _module_code(self, span: Span) -> Iterator[ChunkDraft]:
        """Yield top-level code; leading comments are a chunk of their own if they are long."""
        code = span.start
        while code <= span.end and (code in self._comment_lines or self._source.is_blank(code)):
            code += 1
        comments = self._source.trim(span.start, code - 1)
        rest = self._source.trim(code, span.end)
        if comments is not None and (
            rest is None or self._source.size(comments) >= _LICENCE_CHARACTERS
        ):
            for part in self._source.split(comments):
                yield ChunkDraft(part, ChunkType.COMMENT)
        elif rest is not None:
            rest = span
        if rest is not None:
            for part in self._source.split(rest):
                yield ChunkDraft(part, ChunkType.MODULE)


def _chunk_type(kind: str) -> ChunkType:
    if kind == "method":
        return ChunkType.METHOD
    return ChunkType.FUNCTION if kind in FUNCTION_KINDS else ChunkType.CLASS


def _merge_gaps(drafts: Sequence[ChunkDraft], source: SourceLines) -> list[ChunkDraft]:
    """Join closing brackets to the chunk before them, and bare namespace lines to the next."""
    kept: list[ChunkDraft] = []
    opening: ChunkDraft | None = None
    for original in drafts:
        draft = original
        if opening is not None:
            draft = replace(draft, span=Span(opening.span.start, draft.span.end))
            opening = None
        if kept and _is_filler(draft, source):
            kept[-1] = replace(kept[-1], span=Span(kept[-1].span.start, draft.span.end))
        elif _is_opening(draft, source) and original is not drafts[-1]:
            opening = draft
        else:
            kept.append(draft)
    return kept


def _is_filler(draft: ChunkDraft, source: SourceLines) -> bool:
    if source.size(draft.span) > TINY_CHARACTERS or draft.type is ChunkType.COMMENT:
        return False
    return all(_is_closing(line.strip()) for line in source.lines_of(draft.span))


def _is_closing(line: str) -> bool:
    """Whether a stripped line, except for a comment at its end, only closes a block."""
    return not line or _CLOSING.fullmatch(_COMMENT_START.split(line, 1)[0].strip()) is not None


def _is_opening(draft: ChunkDraft, source: SourceLines) -> bool:
    if draft.type is not ChunkType.MODULE or source.size(draft.span) > TINY_CHARACTERS:
        return False
    lines = source.lines_of(draft.span)
    return draft.container != "" or (
        len(lines) == 1 and _OPENING.fullmatch(lines[0].strip()) is not None
    )


def _merge(drafts: Iterable[ChunkDraft], source: SourceLines) -> list[ChunkDraft]:
    """Join runs of tiny drafts of one type and container."""
    merged: list[ChunkDraft] = []
    run_is_tiny = False
    for draft in drafts:
        tiny = _is_tiny(draft, source)
        if run_is_tiny and tiny and _may_join(merged[-1], draft, source):
            before = merged[-1]
            span = Span(before.span.start, draft.span.end)
            names = tuple(dict.fromkeys(before.names + draft.names))
            merged[-1] = replace(before, span=span, names=names)
        else:
            merged.append(draft)
        run_is_tiny = tiny
    return merged


def _is_tiny(draft: ChunkDraft, source: SourceLines) -> bool:
    few_lines = draft.span.end - draft.span.start < TINY_LINES
    return few_lines and source.size(draft.span) <= TINY_CHARACTERS


def _may_join(before: ChunkDraft, draft: ChunkDraft, source: SourceLines) -> bool:
    joined = Span(before.span.start, draft.span.end)
    return (before.type, before.container) == (draft.type, draft.container) and source.size(
        joined
    ) <= MERGED_CHARACTERS
