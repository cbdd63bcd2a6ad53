"""Definitions with qualified names, kinds, signatures and visibility, from a parsed file."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from indexer.languages import ExportRule, Language
from indexer.records.files import NAME_CHARACTERS, VALUE_KINDS, DegradeReason, Span, Symbol
from indexer.syntax.parser import Definition, ParsedFile

MAX_DEFINITION_DEPTH = 64

CLASS_KINDS = frozenset({"class", "interface", "enum", "struct", "trait"})
FUNCTION_KINDS = frozenset({"function", "method", "macro"})
_PREFIX_KINDS = frozenset({"scope", "namespace"})  # `scope`: of methods, such as an impl
_NAMESPACE_KINDS = frozenset(
    {"module", "namespace"}
)  # `namespace`: a scope of functions, no symbol

_SIGNATURE_BYTES = 2_000
_OPENING = re.compile(r"\s*(?:\{|=>|=|:|;)$")
_KEYWORDS = re.compile(rb"[ \t]*((?:[A-Za-z]+[ \t]+)+)$")
_OPERATOR = re.compile(r"(?:^|::\s*)operator(?![\w.])\s*(\S.*)", re.DOTALL)
_QUOTED = re.compile(r"\[?(['\"`])(.+)\1\]?", re.DOTALL)
_BRACKET_OR_END = re.compile(r"[()\[\]\n]")
_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A definition with its context. `prefix` is the dotted name of the enclosing definitions.

    `kind` is the captured kind, except that a function of a class is a method.
    """

    definition: Definition
    kind: str
    name: str
    prefix: str
    parent: "OutlineEntry | None"
    exported: bool

    @property
    def qualified_name(self) -> str:
        """The dotted name from the file's top level, cut at 500 characters."""
        return _dotted(self.prefix, self.name)


def outline(parsed: ParsedFile) -> list[OutlineEntry] | DegradeReason:
    """Return the file's definitions with their qualified names, outer before inner."""
    outlined: list[OutlineEntry] = []
    enclosing: list[OutlineEntry] = []
    for definition in parsed.definitions:
        while enclosing and enclosing[-1].definition.end_byte <= definition.start_byte:
            enclosing.pop()
        if len(enclosing) > MAX_DEFINITION_DEPTH:
            return DegradeReason.TOO_DEEP
        parent = enclosing[-1] if enclosing else None
        if definition.kind in VALUE_KINDS and _in_function(parent):
            continue
        outline_entry = _outline_entry(definition, parent, parsed.language)
        outlined.append(outline_entry)
        enclosing.append(outline_entry)
    return outlined


def symbols(parsed: ParsedFile, outlined: Sequence[OutlineEntry]) -> tuple[Symbol, ...]:
    """Return one symbol for each named definition, in order of position.

    A span begins at the definition itself, after decorators and annotations.
    """
    found = []
    for outline_entry in outlined:
        if outline_entry.kind in _PREFIX_KINDS or not outline_entry.name:
            continue
        start_byte = _after_decorators(parsed, outline_entry.definition)
        start_line = outline_entry.definition.start_line + parsed.source.count(
            b"\n", outline_entry.definition.start_byte, start_byte
        )
        found.append(
            Symbol(
                name=outline_entry.name,
                qualified_name=outline_entry.qualified_name,
                kind=outline_entry.kind,
                span=Span(start_line, outline_entry.definition.end_line),
                signature=_signature(parsed, outline_entry.definition, start_byte, start_line),
                exported=outline_entry.exported,
            )
        )
    return tuple(found)


def _outline_entry(
    definition: Definition, parent: OutlineEntry | None, language: Language
) -> OutlineEntry:
    separator = language.name_separator
    path = _components(definition.name, separator)
    container = ".".join([*_components(definition.container, separator), *path[:-1]])
    in_class = bool(container) or _in_class(parent)
    kind = definition.kind
    if kind == "function" and in_class:
        kind = "method"
    elif kind == "macro":
        kind = "function"
    return OutlineEntry(
        definition=definition,
        kind=kind,
        name=path[-1] if path else "",
        prefix=_dotted(parent.qualified_name if parent else "", container),
        parent=parent,
        exported=_is_exported(definition, path[-1] if path else "", parent, language.export_rule),
    )


def _components(name: str, separator: str) -> list[str]:
    """Split a name: `a::B<T>::c` → a, B, c; operators keep their signs."""
    if "operator" in name and (found := _OPERATOR.search(name)):
        sign = "".join(found[1].split())
        if found[1][0].isalpha():  # a conversion, `new`: a word, before its parameters
            sign = " " + " ".join(found[1].partition("(")[0].split())
        return [*_components(name[: found.start()], separator), f"operator{sign}"[:NAME_CHARACTERS]]
    quoted = _QUOTED.fullmatch(name)
    name = (quoted[2] if quoted else name.strip("'\"`")).removeprefix("::").removeprefix(":")
    while "::" in name and _TEMPLATE_ARGUMENTS.search(name):
        name = _TEMPLATE_ARGUMENTS.sub("", name)
    return [" ".join(part.split())[:NAME_CHARACTERS] for part in name.split(separator) if part]


def _dotted(prefix: str, name: str) -> str:
    return (f"{prefix}.{name}" if prefix and name else prefix or name)[:NAME_CHARACTERS]


def _in_function(parent: OutlineEntry | None) -> bool:
    return parent is not None and parent.kind in FUNCTION_KINDS


def _in_class(parent: OutlineEntry | None) -> bool:
    return parent is not None and (parent.kind in CLASS_KINDS or parent.kind == "scope")


def _is_exported(
    definition: Definition, name: str, parent: OutlineEntry | None, rule: ExportRule
) -> bool:
    if _in_function(parent) or (parent is not None and not parent.exported):
        return False
    match rule:
        case ExportRule.UNDERSCORE:
            return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))
        case ExportRule.CAPITAL:
            return name[:1].isupper()
        case ExportRule.EXPLICIT:
            return definition.exported or definition.kind in _PREFIX_KINDS
        case ExportRule.EXPLICIT_AT_TOP:
            at_top = parent is None or parent.kind in _NAMESPACE_KINDS
            return definition.exported if at_top else not definition.private
        case ExportRule.EVERYTHING:
            return not definition.private


def _after_decorators(parsed: ParsedFile, definition: Definition) -> int:
    """Return the offset of the definition after annotations and white space."""
    position = definition.start_byte
    while position in parsed.decorators:
        position = parsed.decorators[position]
        while parsed.source[position : position + 1].isspace():
            position += 1
    return min(position, max(definition.end_byte - 1, definition.start_byte))


def _signature(parsed: ParsedFile, definition: Definition, start: int, line: int) -> str:
    """Return the definition from byte `start` in `line` to its body, or its first line."""
    source = parsed.source
    end = definition.body_byte or definition.end_byte
    text = source[start : min(end, start + _SIGNATURE_BYTES)].decode("utf-8", "ignore")
    if definition.body_byte is None or definition.body_byte <= start:
        text = _first_complete_line(text)
    elif "\n" in text:
        text = "\n".join(
            part
            for number, part in enumerate(text.split("\n"), line)
            if number not in parsed.comment_lines
        )
    line_start = source.rfind(b"\n", 0, start) + 1
    keywords = _KEYWORDS.fullmatch(source[line_start:start])
    if keywords:  # `const` or `type` stand before the node that has the name
        text = keywords[1].decode() + text
    return _OPENING.sub("", " ".join(text.split()))[:NAME_CHARACTERS]


def _first_complete_line(text: str) -> str:
    """Return the first lines of `text` up to a line end outside parentheses."""
    depth = 0
    for found in _BRACKET_OR_END.finditer(text):
        sign = found[0]
        if sign == "\n" and depth <= 0:
            return text[: found.start()]
        depth += (sign in "([") - (sign in ")]")
    return text
