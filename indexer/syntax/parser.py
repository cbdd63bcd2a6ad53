"""The parser: bytes to definitions, comments and decorators, by the queries of the language."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

import tree_sitter

from indexer.languages import Grammar, Language
from indexer.records.files import DegradeReason
from indexer.syntax.budget import bracket_depth
from indexer.syntax.trees import ByteRange, SyntaxTrees, grammar_language, parse_trees

PARSED_BYTES: Final = 2_097_152  # of a file; what is larger is cut into windows
PARSED_BRACKETS: Final = 1_000  # nested
FILE_DEFINITIONS: Final = 20_000
_MATCH_LIMIT = 65_536

_PREFIXES = ("scope", "namespace")

# The nodes of one match of a trace query, by label.
QueryMatch: TypeAlias = dict[str, ByteRange]

Node: TypeAlias = tree_sitter.Node

_Captures = dict[str, list[Node]]


@dataclass(frozen=True, slots=True)
class Definition:
    """A captured definition, or a scope that only prefixes names.

    Kind `scope` prefixes methods (an impl, an extension), kind `namespace` functions. Bytes are
    half-open offsets, lines are 1-based and inclusive. `container` is the owner that the definition
    itself names, such as a Go method's receiver.
    """

    kind: str
    name: str
    container: str
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    body_byte: int | None
    exported: bool
    private: bool
    member: bool  # of an object: no bare name means it


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """One parse of one file, passed to everything that reads the tree.

    `definitions` come in order of start, outer before inner. `leading_comments` maps the last
    line of each comment and decorator that begins its line to its first line; `comment_lines` are
    lines of nothing but comments. `decorators` maps start to end in bytes. `matches` are those of
    the trace queries (queries/README.md), as byte ranges by label. `errors` are what the grammar
    does not understand.
    """

    language: Language
    source: bytes
    tree: tree_sitter.Tree
    definitions: tuple[Definition, ...]
    leading_comments: dict[int, int]
    comment_lines: frozenset[int]
    decorators: dict[int, int]
    exported_names: frozenset[str]
    matches: tuple[QueryMatch, ...]
    errors: tuple[ByteRange, ...]


def parse(language: Language, source: bytes) -> ParsedFile | DegradeReason:
    """Parse UTF-8 `source` without a byte order mark; the language must have a grammar."""
    grammar = language.grammar
    if grammar is None:
        raise ValueError(f"{language.name} has no grammar")
    if len(source) > PARSED_BYTES:
        return DegradeReason.PARSE_BUDGET
    if bracket_depth(source) > PARSED_BRACKETS:
        return DegradeReason.TOO_DEEP
    trees = parse_trees(language, grammar, source)
    if isinstance(trees, DegradeReason):
        return trees
    collector = _collect(grammar, source, trees)
    return DegradeReason.PARSE_BUDGET if collector is None else collector.parsed(language, trees)


def _collect(grammar: Grammar, source: bytes, trees: SyntaxTrees) -> "_Collector | None":
    """Collect all matches of the queries; None if there are too many."""
    query, definition_patterns = read_query(grammar)
    collector = _Collector(source)
    for tree in (trees.tree, *trees.pieces):
        cursor = tree_sitter.QueryCursor(query, match_limit=_MATCH_LIMIT)
        for pattern, captures in cursor.matches(tree.root_node):
            if pattern < definition_patterns:
                collector.add(pattern, captures)
            else:
                collector.matches.append(
                    {label: nodes[0].byte_range for label, nodes in captures.items()}
                )
        if cursor.did_exceed_match_limit or len(collector.found) > FILE_DEFINITIONS:
            return None
    return collector


@cache
def read_query(grammar: Grammar) -> tuple[tree_sitter.Query, int]:
    """Return all queries of a grammar as one, and the number of patterns for definitions.

    Those come first. One pass costs less than several, whatever the number of patterns.
    """
    definitions = _query_text(grammar, ".scm")
    query = tree_sitter.Query(
        grammar_language(grammar), definitions + _query_text(grammar, ".trace.scm")
    )
    starts = map(query.start_byte_for_pattern, range(query.pattern_count))
    return query, sum(start < len(definitions.encode()) for start in starts)


def _query_text(grammar: Grammar, suffix: str) -> str:
    folder = Path(__file__).parents[1] / "languages" / "queries"
    files = [folder / f"{name}{suffix}" for name in grammar.queries]
    return "".join(file.read_text("utf-8") + "\n" for file in files if file.is_file())


@dataclass(slots=True)
class _CapturedDefinition:
    pattern: int
    kind: str
    node: tree_sitter.Node
    name: str
    container: str
    body: int | None


@dataclass(slots=True)
class _Collector:
    """A collector of matches; the first pattern in the query file wins for a node."""

    source: bytes
    found: dict[int, _CapturedDefinition] = field(default_factory=dict)
    marks: dict[str, set[int]] = field(
        default_factory=lambda: {"exported": set(), "private": set(), "member": set()}
    )
    exported_names: set[str] = field(default_factory=set)
    leading_comments: dict[int, int] = field(default_factory=dict)
    comment_lines: set[int] = field(default_factory=set)
    decorators: dict[int, int] = field(default_factory=dict)
    matches: list[QueryMatch] = field(default_factory=list)

    def add(self, pattern: int, captures: _Captures) -> None:
        for label, nodes in captures.items():
            if label == "comment":
                self._add_comments(nodes)
            elif label == "decorator":
                self._add_decorators(nodes)
            elif label in self.marks:
                self.marks[label].update(node.id for node in nodes)
            elif label == "exported.name":
                self.exported_names.update(self._text(node) for node in nodes)
            elif label in _PREFIXES or label.startswith("definition."):
                self._add_definition(pattern, label.removeprefix("definition."), nodes[0], captures)

    def parsed(self, language: Language, trees: SyntaxTrees) -> ParsedFile:
        found = sorted(
            self.found.values(),
            key=lambda captured: (captured.node.start_byte, -captured.node.end_byte),
        )
        return ParsedFile(
            language=language,
            source=self.source,
            tree=trees.tree,
            definitions=tuple(self._definition(captured) for captured in found),
            leading_comments=self.leading_comments,
            comment_lines=frozenset(self.comment_lines),
            decorators=self.decorators,
            exported_names=frozenset(self.exported_names),
            matches=tuple(self.matches),
            errors=trees.errors,
        )

    def _add_definition(
        self, pattern: int, kind: str, node: tree_sitter.Node, captures: _Captures
    ) -> None:
        known = self.found.get(node.id)
        if known is not None and known.pattern <= pattern:
            return
        bodies = captures.get("body")
        owner, *_ = captures.get("body.of", (node,))
        body = bodies[0] if bodies else owner.child_by_field_name("body")
        self.found[node.id] = _CapturedDefinition(
            pattern=pattern,
            kind=kind,
            node=node,
            name=self._joined(captures.get("name", [])),
            container=".".join(map(self._text, captures.get("container", ()))),
            body=None if body is None else body.start_byte,
        )

    def _definition(self, captured: _CapturedDefinition) -> Definition:
        start, end = _lines(captured.node)
        return Definition(
            kind=captured.kind,
            name=captured.name,
            container=captured.container,
            start_byte=captured.node.start_byte,
            end_byte=captured.node.end_byte,
            start_line=start,
            end_line=end,
            body_byte=captured.body,
            exported=captured.node.id in self.marks["exported"]
            or captured.name in self.exported_names,
            private=captured.node.id in self.marks["private"],
            member=captured.node.id in self.marks["member"],
        )

    def _add_comments(self, nodes: Iterable[tree_sitter.Node]) -> None:
        for node in nodes:
            start, end = _lines(node)
            if self._begins_line(node):
                self.leading_comments[end] = min(start, self.leading_comments.get(end, start))
                if self._ends_line(node):
                    self.comment_lines.update(range(start, end + 1))

    def _add_decorators(self, nodes: Iterable[tree_sitter.Node]) -> None:
        for node in nodes:
            self.decorators[node.start_byte] = node.end_byte
            if self._begins_line(node):
                start, end = _lines(node)
                self.leading_comments[end] = min(start, self.leading_comments.get(end, start))

    def _begins_line(self, node: tree_sitter.Node) -> bool:
        start = node.start_byte
        return not self.source[start - node.start_point.column : start].strip()

    def _ends_line(self, node: tree_sitter.Node) -> bool:
        end = node.end_byte
        if self.source[end - 1 : end] == b"\n":
            return True
        line_end = self.source.find(b"\n", end)
        return not self.source[end : line_end if line_end >= 0 else None].strip()

    def _joined(self, nodes: Iterable[tree_sitter.Node]) -> str:
        return "".join(self._text(node) for node in nodes)

    def _text(self, node: tree_sitter.Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _lines(node: tree_sitter.Node) -> tuple[int, int]:
    """Return first and last line of a node.

    A node that ends with its line's LF does not extend into the next line.
    """
    start, end = node.start_point.row, node.end_point
    last = end.row - 1 if end.column == 0 and end.row > start else end.row
    return start + 1, last + 1
