"""Relations of one parsed file to others: its namespace, imports, exports and references.

The queries capture syntax (languages/queries/README.md); scopes, lookup and resolver derive its
meaning.
"""

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from heapq import merge
from itertools import chain, islice
from typing import Final

from indexer.languages import Language
from indexer.records.files import NAME_CHARACTERS, Unparsed
from indexer.records.references import INNER, Export, Import, Reference, ReferenceKind
from indexer.resolution.alternatives import tell_alternatives_apart
from indexer.resolution.bindings import (
    BoundImport,
    bind_imports,
    bind_locals,
    join_patterns,
)
from indexer.resolution.class_calls import called_classes, class_calls
from indexer.resolution.exports import declared_functions, read_exports
from indexer.resolution.extensions import receiver_types
from indexer.resolution.fixtures import (
    FixtureFile,
    Fixtures,
    may_have_fixtures,
    read_fixtures,
)
from indexer.resolution.implicit_receivers import bind_implicit_parameters, read_receivers
from indexer.resolution.imports import import_path
from indexer.resolution.lookup import Lookup
from indexer.resolution.name_uses import (
    USE_LABELS,
    NameUse,
    collect_uses,
    drop_unresolvable_values,
)
from indexer.resolution.reaching import Reaching
from indexer.resolution.references import BINDABLE_KINDS, ReferenceReader
from indexer.resolution.resolver import Resolver
from indexer.resolution.scopes import Scope, ScopeTree
from indexer.resolution.type_references import (
    OF_FIXTURES,
    read_returns,
    returned_values,
    type_references,
)
from indexer.resolution.unparsed import UnparsedFile, read_unparsed
from indexer.resolution.value_flow import FLOW_LITERAL_CHARACTERS, FlowReader
from indexer.syntax.definitions import OutlineEntry
from indexer.syntax.parser import Definition, ParsedFile, QueryMatch
from indexer.syntax.source_text import SourceText

FILE_REFERENCES: Final = 20_000
_HEAD_LINES: Final = 20
_NAME: Final = re.compile(r"[^\W\d]\w*")
# The first known label of a match decides its group.
_GROUPS: Final = {
    **dict.fromkeys(USE_LABELS, "use"),
    **dict.fromkeys(("local", "local.among", "field", "narrowed"), "local"),
    **dict.fromkeys(
        ("returns", "returns.call", "returns.new", "returns.alias", "returns.object", *OF_FIXTURES),
        "returns",
    ),
    **dict.fromkeys(
        ("import.module", "import.tree", "import.submodule"),
        "import",
    ),
    **dict.fromkeys(("export.of", "export.default", "export.whole", "export.module"), "export"),
    **dict.fromkeys(("scope", "scope.function"), "scope"),
    "declares": "declares",
    "fallback": "fallback",
    "put": "put",
    "outer": "outer",
    "default": "default",
    "extends": "extends",
    "called": "called",
    "lambda": "lambda",
    "namespace": "namespace",
    "exports.only": "only",
}
_LITERALS: Final = frozenset({"local.literal", "field.literal"})
_READ_GROUPS: Final = ("local", "returns", "export", "extends", "put", "default")
# Labels of what is no expression, some of them long, and of names that `bind_locals` reads.
_UNREAD: Final = frozenset(
    {
        "local", "field", "narrowed", "local.after", "local.again", "local.in", "local.within",
        "local.among", "local.parameters", "local.part", "local.argument", "local.generic",
        "field.part", "extends.member", "returns.among",
    }
)  # fmt: skip
LABELS: Final = frozenset(_GROUPS) | {
    "receiver", "self", "passed", "initialized", "infix", "extends.member",
    "import.name", "import.alias", "import.default", "import.namespace",
    "import.wildcard", "import.exported", "import.relative", "export.name", "export.wildcard",
    "lambda.given", "lambda.items", "lambda.receiver",
    "local.in", "local.within", "local.part", "local.among", "local.items", "local.parameters",
    "put.at", "narrowed.type", "local.generic", "local.after", "local.again",
    "local.type", "local.new", "local.call", "local.alias", "local.literal", "returns.part",
    "returns.among", "returns.argument", "local.argument", "local.given", "local.entered",
    "field.of", "field.part", "field.type", "field.new", "field.call", "field.alias",
    "field.literal",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Relations:
    """How a file uses others. `declared_exports`: the names that it lists as exported, if any."""

    namespace: str = ""
    imports: tuple[Import, ...] = ()
    exports: tuple[Export, ...] = ()
    references: tuple[Reference, ...] = ()
    declared_exports: frozenset[str] | None = None
    unparsed: Unparsed | None = None


def extract_relations(path: str, parsed: ParsedFile, outlined: list[OutlineEntry]) -> Relations:
    """Return the relations of the file at `path`, each kind in order of position.

    Of more than 20,000 references the first are kept.
    """
    language = parsed.language
    groups = _grouped(parsed.matches)
    groups["local"] = join_patterns(groups["local"])
    text = _expression_text(parsed)
    tree = ScopeTree(outlined, groups["scope"], module_methods=language.module_methods)
    imports = bind_imports(tree, groups["import"], text, path=path, style=language.import_style)
    bindable_names = _bindable_names(imports, outlined, language) | _selves(groups["local"], text)
    has_fixtures = may_have_fixtures(path, language, imports)
    if not has_fixtures:
        groups["returns"] = [
            return_ for return_ in groups["returns"] if OF_FIXTURES.isdisjoint(return_)
        ]
    uses = collect_uses(
        groups["use"], text, not_null=language.not_null, prefixes=language.prefix_operators
    )
    if not language.open_modules:
        uses = drop_unresolvable_values(uses, bindable_names, language, groups["local"], text)
    read_names = _read_names(uses, groups, text, language.adapters)
    bind_locals(tree, groups["local"], groups["outer"], text, language, read_names)
    bind_implicit_parameters(groups["lambda"], tree, text, language.implicit_names)
    tree.merge_bindings(sorted(capture["fallback"] for capture in groups["fallback"]))
    tell_alternatives_apart(tree, parsed)
    scopes = tree.at(use.start for use in uses)
    imports_members = any(import_.imports_members for import_ in imports)
    path_prefixes = (
        language.module_roots | text.path_roots if language.module_roots else frozenset()
    )
    tree.called_classes = called_classes(groups["called"], tree)
    lookup = Lookup(
        tree,
        language,
        bases=_inheriting(uses, scopes),
        imports_members=imports_members,
        path_prefixes=path_prefixes,
    )
    resolver = Resolver(lookup, text, Reaching(parsed, text))
    fixtures = Fixtures()
    if has_fixtures:
        bases = _bases(uses, scopes)
        file = FixtureFile(path, parsed, outlined, text, tree, imports, uses, bases)
        fixtures = read_fixtures(file, groups["local"])
        resolver.assume(fixtures.values)
    read_receivers(groups["extends"], groups["lambda"], resolver, text)
    renamed = frozenset(import_.record.local for import_ in imports if _is_renamed(import_.record))
    flow = FlowReader(
        resolver, lookup, text, (import_.record for import_ in imports), fixtures.functions
    )
    reader = ReferenceReader(parsed, text, resolver, uses, scopes, renamed=renamed, flow=flow)
    read: Iterable[Reference] = reader.read()
    if fixtures.references:
        read = merge(read, fixtures.references, key=_position)
    found = list(islice(read, FILE_REFERENCES))
    rest = _unparsed(parsed, text, tree, found) if parsed.errors else None
    if rest:
        found = list(merge(found, rest.references, key=_position))
    returns = list(read_returns(groups["returns"], resolver, text, fixtures.functions))
    if language.has_methods:
        found += type_references(
            returns,
            reader.decorated,
            resolver,
            text,
            fixtures=fixtures.functions,
            bases=reader.generic_bases,
        )
        found += receiver_types(groups["extends"], resolver, text)
        found += class_calls(resolver, text)
    if language.functions_as_values:
        returned = returned_values(returns, text)
        placed = (_placed(groups[label], label, tree, text) for label in ("default", "put"))
        found += flow.references(returned, *placed)
    references = found[:FILE_REFERENCES]
    exports = read_exports(groups["export"], imports, resolver, text, path=path)
    exports += declared_functions(groups["declares"], tree, text)
    relations = Relations(
        namespace=_namespace(groups["namespace"], text),
        imports=(
            *(import_.record for import_ in imports),
            *_implicit_imports(imports, resolver, text, path),
            *fixtures.imports.values(),
        ),
        exports=(*exports, *fixtures.exports),
        references=tuple(references),
        declared_exports=(
            frozenset(text.slice(match["exports.only"]) for match in groups["only"]) or None
        ),
        unparsed=rest.unparsed if rest else None,
    )
    # Cycles would keep the whole parse until the garbage collector walks over it.
    resolver.release()
    tree.release()
    return relations


def unparsed_relations(language: Language, source: bytes) -> Relations:
    """Return what a scan finds of source whose grammar is of no use: all of it is unparsed."""
    found = read_unparsed(language, SourceText(source), [(0, len(source))])
    return Relations(references=found.references, unparsed=found.unparsed) if found else Relations()


def _unparsed(
    parsed: ParsedFile, text: SourceText, tree: ScopeTree, references: Iterable[Reference]
) -> UnparsedFile | None:
    """Return what the grammar does not understand; references that it has found are none of it."""
    return read_unparsed(
        parsed.language,
        text,
        parsed.errors,
        known={_position(reference) for reference in references},
        defined={
            (definition.name, line)
            for definition in parsed.definitions
            for line in _head(definition, text)
        },
        callers=lambda offsets: [scope.owner for scope in tree.at(offsets)],
    )


def _head(definition: Definition, text: SourceText) -> range:
    """Return the lines before the body of a definition, at most a few: one has its name."""
    start = definition.start_line
    last = start if definition.body_byte is None else text.line(definition.body_byte)
    return range(start, min(last, start + _HEAD_LINES) + 1)


def _expression_text(parsed: ParsedFile) -> SourceText:
    """Return the source with a dot before each member's name, at unchanged offsets."""
    operator = parsed.language.method_operator
    return SourceText(parsed.source.replace(operator, b".") if operator else parsed.source)


def _grouped(matches: Iterable[QueryMatch]) -> dict[str, list[QueryMatch]]:
    groups: dict[str, list[QueryMatch]] = {group: [] for group in _GROUPS.values()}
    for match in matches:
        for label in match:
            if label in _GROUPS:
                groups[_GROUPS[label]].append(match)
                break
    return groups


def _bindable_names(
    imports: list[BoundImport], outlined: list[OutlineEntry], language: Language
) -> frozenset[str]:
    """Return the first names of paths to imports, functions and classes."""
    names = {import_.record.local.partition(".")[0].partition(INNER)[0] for import_ in imports}
    names |= {
        outline_entry.name for outline_entry in outlined if outline_entry.kind in BINDABLE_KINDS
    }
    return language.self_names | language.class_names | names


def _selves(locals_and_fields: Iterable[QueryMatch], text: SourceText) -> frozenset[str]:
    """Return the names of receivers, in languages where each method chooses one (Go)."""
    return frozenset(
        text.slice(match["self"])
        for match in locals_and_fields
        if "self" in match and "local" in match
    )


def _read_names(
    uses: list[NameUse],
    groups: dict[str, list[QueryMatch]],
    text: SourceText,
    adapters: Container[str],
) -> set[str]:
    """Return the first names of all expressions and types. Other names need no binding.

    Of functions over items, whose arguments are read, and of literals all names; of a cast the
    type's.
    """
    names = {use.first for use in uses}
    matches = chain.from_iterable(groups[group] for group in _READ_GROUPS)
    for match in matches:
        for label, mark in match.items():
            if label in _UNREAD:
                continue
            first = text.leading_identifier(mark)
            names.add(first)
            if first in adapters:
                names.update(_NAME.findall(text.call(mark)))
            elif label in _LITERALS or (label == "local.alias" and "local.among" in match):
                names.update(_NAME.findall(text.slice(mark)[:FLOW_LITERAL_CHARACTERS]))
    for use in uses:
        if use.first in adapters or use.written.startswith("("):
            names.update(_NAME.findall(use.written))
    return names


def _inheriting(uses: list[NameUse], scopes: list[Scope]) -> frozenset[str]:
    """Return the classes that have base classes."""
    return frozenset(
        scope.class_name
        for use, scope in zip(uses, scopes, strict=True)
        if use.kind is ReferenceKind.INHERIT
    )


def _bases(uses: list[NameUse], scopes: list[Scope]) -> dict[str, list[str]]:
    """Return the base classes of each class, as written."""
    bases: dict[str, list[str]] = {}
    for use, scope in zip(uses, scopes, strict=True):
        if use.kind is ReferenceKind.INHERIT:
            bases.setdefault(scope.class_name, []).append(use.written)
    return bases


def _placed(
    matches: Iterable[QueryMatch], label: str, tree: ScopeTree, text: SourceText
) -> list[tuple[str, str, Scope, int]]:
    """Return where each value is put and the value, as written, with scope and offset."""
    marks = sorted((match.get(f"{label}.at", match[label]), match[label]) for match in matches)
    scopes = tree.at(place[0] for place, _ in marks)
    return [
        (text.shortened(place), text.shortened(value), scope, place[0])
        for (place, value), scope in zip(marks, scopes, strict=True)
    ]


def _is_renamed(import_: Import) -> bool:
    return (
        bool(import_.local) and import_.path.rpartition(".")[2] != import_.local.partition(INNER)[0]
    )


def _position(reference: Reference) -> tuple[int, int]:
    return reference.line, reference.column


def _implicit_imports(
    imports: list[BoundImport], resolver: Resolver, text: SourceText, path: str
) -> list[Import]:
    """Return imports without a statement: `os` after `import os.path`, Rust's crates."""
    lines: dict[str, int] = {}
    for import_ in imports:
        lines.setdefault(import_.record.local.partition(".")[0], import_.record.line)
    found = []
    for local, offset in sorted(resolver.implicit_imports.items()):
        line = lines.get(local) or text.line(offset)
        target = import_path(resolver.language.import_style, path, local)
        found.append(Import(local, local, target, wildcard=False, line=line))
    return found


def _namespace(matches: list[QueryMatch], text: SourceText) -> str:
    if not matches:
        return ""
    first = min(matches, key=lambda match: match["namespace"])
    written = text.slice(first["namespace"]).replace("\\", ".").replace("::", ".")
    return "".join(written.split()).strip(".")[:NAME_CHARACTERS]
