"""How one parsed file uses others: its namespace, imports, exports and references.

The queries say what stands where (languages/queries/README.md); `scopes` and `values` say what
it means.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from indexer.languages import Language
from indexer.limits import FILE_REFERENCES, NAME_CHARACTERS
from indexer.records.references import Export, Import, Reference, ReferenceKind
from indexer.resolution.bindings import BoundImport, bind_imports, bind_locals
from indexer.resolution.exports import read_exports
from indexer.resolution.imports import import_path
from indexer.resolution.lookup import Lookup
from indexer.resolution.references import (
    BINDABLE_KINDS,
    USE_LABELS,
    ReferenceReader,
    Use,
    read_uses,
    without_idle_values,
)
from indexer.resolution.resolver import Values
from indexer.resolution.scopes import Scope, ScopeTree
from indexer.resolution.type_references import read_typings
from indexer.syntax.definitions import Outlined
from indexer.syntax.parser import Fact, Parsed
from indexer.syntax.source_text import SourceText, first_name

# Of the labels of a fact, the first that is known says what the fact is of.
_GROUPS: Final = {
    **dict.fromkeys(USE_LABELS, "use"),
    **dict.fromkeys(("local", "field"), "local"),
    **dict.fromkeys(("returns", "returns.call", "returns.new"), "returns"),
    **dict.fromkeys(
        ("import.module", "import.tree", "import.submodule"),
        "import",
    ),
    **dict.fromkeys(("export.of", "export.default", "export.whole", "export.module"), "export"),
    **dict.fromkeys(("scope", "scope.function"), "scope"),
    "namespace": "namespace",
    "exports.only": "only",
}
LABELS: Final = frozenset(_GROUPS) | {
    "receiver", "self", "import.name", "import.alias", "import.default", "import.namespace",
    "import.wildcard", "import.exported", "import.relative", "export.name", "export.wildcard",
    "local.in", "local.type", "local.new", "local.call", "local.alias",
    "field.type", "field.new", "field.call", "field.alias",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Relations:
    """What a file says of others. `only` are the names that it offers, if it lists them."""

    namespace: str = ""
    imports: tuple[Import, ...] = ()
    exports: tuple[Export, ...] = ()
    references: tuple[Reference, ...] = ()
    only: frozenset[str] | None = None


def relate(path: str, parsed: Parsed, outlined: list[Outlined]) -> Relations:
    """The relations of the file at `path`, each kind in order of position.

    Of more than 20,000 references the first are kept.
    """
    language = parsed.language
    groups = _grouped(parsed.facts)
    text = SourceText(parsed.source)
    tree = ScopeTree(outlined, groups["scope"], module_methods=language.module_methods)
    imports = bind_imports(tree, groups["import"], text, path=path, style=language.import_style)
    things = _things(imports, outlined, language) | _selves(groups["local"], text)
    uses = read_uses(groups["use"], text)
    if not language.open_modules:
        uses = without_idle_values(
            uses, things, package_visible_types=language.package_visible_types
        )
    bind_locals(tree, groups["local"], text, language, _read_names(uses, groups, text))
    tree.settle()
    scopes = tree.at(use.start for use in uses)
    opens_classes = any(one.opens_class for one in imports)
    path_roots = language.module_roots | text.path_roots if language.module_roots else frozenset()
    lookup = Lookup(
        tree,
        language,
        bases=_inheriting(uses, scopes),
        opens_classes=opens_classes,
        path_roots=path_roots,
    )
    values = Values(lookup)
    typings = read_typings(groups["returns"], values, text) if language.has_methods else ()
    found = islice(ReferenceReader(parsed, text, values, uses, scopes).read(), FILE_REFERENCES)
    references = [*found, *typings][:FILE_REFERENCES]
    exports = read_exports(groups["export"], imports, values, text, path=path)
    return Relations(
        namespace=_namespace(groups["namespace"], text),
        imports=(*(one.record for one in imports), *_implied(imports, values, text, path)),
        exports=tuple(exports),
        references=tuple(references),
        only=_only(groups["only"], text),
    )


def _grouped(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    groups: dict[str, list[Fact]] = {group: [] for group in _GROUPS.values()}
    for fact in facts:
        for label in fact:
            if label in _GROUPS:
                groups[_GROUPS[label]].append(fact)
                break
    return groups


def _things(
    imports: list[BoundImport], outlined: list[Outlined], language: Language
) -> frozenset[str]:
    """What a path to an import, a function or a class may begin with."""
    names = {one.record.local.partition(".")[0] for one in imports}
    names |= {one.name for one in outlined if one.kind in BINDABLE_KINDS}
    return language.self_names | language.class_names | names


def _selves(locals_and_fields: Iterable[Fact], text: SourceText) -> frozenset[str]:
    """What methods call their object, where each names it itself (Go)."""
    return frozenset(
        text.of(fact["self"]) for fact in locals_and_fields if "self" in fact and "local" in fact
    )


def _read_names(uses: list[Use], groups: dict[str, list[Fact]], text: SourceText) -> set[str]:
    """The names that some expression or type begins with: others need not be bound."""
    names = {use.first for use in uses}
    marks = {
        mark
        for group in ("local", "returns", "export")
        for fact in groups[group]
        if len(fact) > 1 or group != "local"
        for mark in fact.values()
    }
    return names | set(map(first_name, map(text.ends, marks)))


def _inheriting(uses: list[Use], scopes: list[Scope]) -> frozenset[str]:
    """The classes that have bases."""
    return frozenset(
        scope.class_name
        for use, scope in zip(uses, scopes, strict=True)
        if use.kind is ReferenceKind.INHERIT
    )


def _implied(
    imports: list[BoundImport], values: Values, text: SourceText, path: str
) -> list[Import]:
    """What is used as if imported: `os` after `import os.path`, Rust's crates, `super`."""
    lines: dict[str, int] = {}
    for one in imports:
        lines.setdefault(one.record.local.partition(".")[0], one.record.line)
    found = []
    for local, offset in sorted(values.implied.items()):
        line = lines.get(local) or text.line(offset)
        target = import_path(values.language.import_style, path, local)
        found.append(Import(local, local, target, wildcard=False, line=line))
    return found


def _namespace(facts: list[Fact], text: SourceText) -> str:
    if not facts:
        return ""
    first = min(facts, key=lambda fact: fact["namespace"])
    written = text.of(first["namespace"]).replace("\\", ".").replace("::", ".")
    return "".join(written.split()).strip(".")[:NAME_CHARACTERS]


def _only(facts: list[Fact], text: SourceText) -> frozenset[str] | None:
    return frozenset(text.of(fact["exports.only"]) for fact in facts) or None
