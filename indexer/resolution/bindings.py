"""Bindings of the variables, parameters, fields and imports that the queries capture."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final, NamedTuple

from indexer.languages import Language
from indexer.languages.import_style import ImportStyle
from indexer.records.files import NAME_CHARACTERS
from indexer.records.references import ENTER_METHODS, INNER, Import, argument, cut_path
from indexer.resolution.imports import ImportedName, expand_import, import_path, join_path
from indexer.resolution.scopes import (
    ANONYMOUS_FUNCTION,
    BLOCK,
    NameBinding,
    Scope,
    ScopeTree,
    ValueSource,
)
from indexer.syntax.containers import is_generic
from indexer.syntax.definitions import FUNCTION_KINDS
from indexer.syntax.expressions import (
    MAX_EXPRESSION_CHARACTERS,
    places_in,
    read_arguments,
    shortened_call,
    take_apart,
)
from indexer.syntax.parser import QueryMatch
from indexer.syntax.source_text import SourceText, leading_identifier
from indexer.syntax.trees import ByteRange
from indexer.syntax.types import documented_type, split_type

UNPACKED_BYTES: Final = 2_000  # of a pattern of names, such as `a, b` of `a, b = f()`
# Module constants, because a look-up on the enumeration costs more than the test it is for.
_TYPE: Final = ValueSource.TYPE
_CALL: Final = ValueSource.CALL
_ALIAS: Final = ValueSource.ALIAS
# By label, what may say the value, the first that is there.
_SOURCES: Final = {
    label: (
        (f"{label}.type", _TYPE),
        (f"{label}.new", ValueSource.NEW),
        (f"{label}.call", _CALL),
        (f"{label}.alias", _ALIAS),
        (f"{label}.items", ValueSource.ITEMS),
        (f"{label}.literal", ValueSource.LITERAL),
        (f"{label}.generic", ValueSource.TYPE_PARAMETER),
    )
    for label in ("local", "field", "narrowed")
}
# Labels of what tells which part of the value a name has.
_PARTS: Final = frozenset(
    f"{label}.{part}"
    for label in ("local", "field", "returns")
    for part in ("entered", "given", "argument", "part", "among")
)
# A type that is defined where a variable is: C's `struct Point { … } start;`.
_DEFINED_TYPE: Final = re.compile(r"(?:class|struct|union)\s+([\w:]+)[^{;]{0,500}\{")
_NOWHERE: Final = (0, 0)
_NO_PLACE: Final = 999
_WORD: Final = re.compile(r"\w+")
_BIND: Final = ".bind"  # the method itself, with its object
_OBJECT: Final = re.compile(r"\s*this\s")
_UNNAMED: Final = (BLOCK, ANONYMOUS_FUNCTION)
_FIRST_PARAMETER: Final = re.compile(r"\bdef\s+\w+\s*(?:\[[^\[\]]*\]\s*)?\(\s*$")
_STATIC_METHOD: Final = re.compile(r"@staticmethod\s*(?:#[^\n]*)?\n(?:\s*@[^\n]*\n)*\s*$")
_HEAD_BYTES: Final = 1_000  # of a method before its first parameter, and of decorators above
_STATIC: Final = re.compile(r"(?:global\s+)?(?:import|using)\s+static\s")
_PART: Final = re.compile(
    r"(?:@\w+\s+)*import\s+(?:struct|class|enum|protocol|func|typealias|let|var)\s"
)
_BINDING_LABELS: Final = ("import.alias", "import.name", "import.default", "import.namespace")


# Kinds of definitions in the file's own module that a `use` may begin with, besides crates.
_PATH_KINDS: Final = frozenset({"module", "enum"})
# `#[path = "x.rs"]` before the name of a module, with other attributes and comments between.
_PLACE: Final = re.compile(
    r'#\[\s*path\s*=\s*"([^"\n]{1,500})"\s*\]'
    r"(?:\s+|#\[[^\[\]]*\]|//[^\n]*\n|pub(?:\s*\([^()]*\))?|mod\b)*\Z"
)
_FOREIGN: Final = re.compile(r"(?:pub\s*(?:\([^()]*\)\s*)?)?use\s*::")


class _ImportContext(NamedTuple):
    """The position of an import: the file and, in Rust, the file's own module around it.

    `inside` is that module's dotted name, `modules` are the names of modules in it, and
    whether they are other files.
    """

    path: str
    style: ImportStyle
    inside: str
    modules: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class BoundImport:
    """An import and the scope of its statement. `is_reexported`: by the statement itself.

    `imports_members`: all members of a class become visible by bare name (`import static A.*`).
    """

    record: Import
    scope: Scope
    is_reexported: bool
    imports_members: bool


class _Again(NamedTuple):
    """Names that are assigned and not declared: their bytes, or scope and name."""

    assigned: Container[ByteRange]
    outside: Container[tuple[int, str]]

    @classmethod
    def read(
        cls,
        tree: ScopeTree,
        matches: Iterable[QueryMatch],
        outer: Iterable[QueryMatch],
        text: SourceText,
    ) -> "_Again":
        """Read what the queries say, and which names a function says to be of one around it."""
        named = sorted(match["outer"] for match in outer)
        around = tree.at(start for start, _ in named)
        return cls(
            {match["local"] for match in matches if "local.again" in match},
            {(scope.start, text.slice(mark)) for scope, mark in zip(around, named, strict=True)},
        )

    def move(self, tree: ScopeTree, name: NameBinding, written: str, mark: ByteRange) -> bool:
        """Give an assignment the scope that has declared its name, if one around it has.

        Return whether it is one. If its function says that the name is outside, it is the file's at
        least.
        """
        is_outside = bool(self.outside) and (name.scope.start, written) in self.outside
        if not is_outside and mark not in self.assigned:
            return False
        name.is_again = True
        here, inside = name.scope, None
        while written not in here.names or here.is_class:
            if here.parent is None or (here.kind == "method" and not is_outside):
                break
            is_function = here.kind in FUNCTION_KINDS or here.kind == ANONYMOUS_FUNCTION
            inside = here if is_function else inside
            here = here.parent
        if written in here.names or (is_outside and here is tree.root):
            name.scope, name.inside = here, inside
        return True


def join_patterns(matches: Iterable[QueryMatch]) -> list[QueryMatch]:
    """Give each name of a pattern what a match without a name says of the pattern.

    One query pattern for both would take the cube of the number of names.
    """
    given: dict[ByteRange, QueryMatch] = {}
    named = []
    for match in matches:
        if "local.among" in match and "local" not in match and "field" not in match:
            given.setdefault(match["local.among"], {}).update(match)
        else:
            named.append(match)
    return [_joined(match, given) if "local.among" in match else match for match in named]


def _joined(match: QueryMatch, given: Mapping[ByteRange, QueryMatch]) -> QueryMatch:
    if len(match) > 2:
        return match
    among, mark = match["local.among"], match["local"]
    if among not in given or mark[0] - among[0] > UNPACKED_BYTES:
        return {"local": mark}
    return {**given[among], **match}


def bind_locals(
    tree: ScopeTree,
    matches: Sequence[QueryMatch],
    outer: Iterable[QueryMatch],
    text: SourceText,
    language: Language,
    read: Container[str],
) -> None:
    """Bind the names of matches with `@local`, `@field` or `@narrowed`.

    `outer` are names that a function says are those of a scope around it. Call `merge_bindings`
    afterwards. A local of unknown value that has none elsewhere either and is not among the names
    `read` is omitted, unless it is a parameter.
    """
    found = []
    valued = set()
    again = _Again.read(tree, matches, outer, text)
    for match in matches:
        label = "local" if "local" in match else "field" if "field" in match else "narrowed"
        written = text.slice(match[label])
        is_bare = len(match) == 1 + ("local.again" in match)
        if not is_bare:
            valued.add(leading_identifier(written))
        where = match.get("local.in")
        mark = match[label] if where is None else (where[0], where[0] + 1)
        found.append((is_bare, (mark, written, label, match)))
    marked = [
        bound for is_bare, bound in found if not is_bare or bound[1] in valued or bound[1] in read
    ]
    marked.sort(key=itemgetter(0))
    scopes = tree.at(start for (start, _), *_ in marked)
    for (mark, written, label, match), scope in zip(marked, scopes, strict=True):
        name = NameBinding(*mark, _outside_definition(scope, mark[0]))
        if len(match) > 1:
            _set_value(name, written, label, match, text, language)
        if written in language.class_names and _is_class_parameter(name.scope, mark[0], text):
            name.source = ValueSource.CLASS
        is_fixed = again.move(tree, name, written, mark) and _is_fixed(name, written, language)
        if label == "local" and not (is_fixed or _is_wrapped(name, written, match, text)):
            tree.bind(written, name)
        elif label != "local":
            _bind_field(tree, name, written, match, text, language)


def _is_fixed(name: NameBinding, written: str, language: Language) -> bool:
    """Whether a variable is what it is declared as, and has held no function."""
    known = name.scope.names.get(written, ())
    return language.fixed_types and all(binding.source is not _ALIAS for binding in known)


def _take_apart(name: NameBinding, pattern: str, before: str) -> None:
    """Set what a name of a pattern takes of a tuple that is written beside it.

    It is unknown if it takes what a name before it was: `b` of `a, b = b, a`. So is `*rest` of what
    is not written.
    """
    if name.source is not ValueSource.ALIAS:
        name.source = ValueSource.UNKNOWN if before.endswith("*") else name.source
        return
    taken = take_apart(pattern, name.text, name.steps)
    if taken is None or leading_identifier(taken[0]) in _WORD.findall(before):
        name.source = ValueSource.UNKNOWN
    else:
        name.text, name.steps = taken
        name.source = ValueSource.LITERAL if name.text[:1] == "[" else name.source


def _is_wrapped(name: NameBinding, written: str, match: QueryMatch, text: SourceText) -> bool:
    """Whether a function or import is bound to what a call of it gives: `f = cached(f)`.

    Like a function that is decorated, it counts as itself.
    """
    known = name.scope.names.get(written) if name.source is _CALL else None
    if not known or not any(bound.imported or bound.kind in FUNCTION_KINDS for bound in known):
        return False
    call = text.call(match["local.call"])
    bracket = call.find("(", len(name.text))
    return bracket >= 0 and written in {
        written.strip() for written in read_arguments(call, bracket)[0]
    }


def _bind_field(
    tree: ScopeTree,
    name: NameBinding,
    written: str,
    match: QueryMatch,
    text: SourceText,
    language: Language,
) -> None:
    if "narrowed" in match:
        tree.narrow("".join(written.split()), name)
    elif "field.of" in match:
        tree.bind_member(text.slice(match["field.of"]), written, name)
    elif "self" not in match or text.slice(match["self"]) in language.self_names:
        tree.bind_field(written, name)


def _is_class_parameter(scope: Scope, start: int, text: SourceText) -> bool:
    """Whether the name at `start` is the first parameter of a method that is not static."""
    if scope.kind not in FUNCTION_KINDS or scope.parent is None or not scope.parent.is_class:
        return False
    head = text.slice((max(scope.start, start - _HEAD_BYTES), start))
    above = text.slice((max(0, scope.start - _HEAD_BYTES), scope.start))
    return bool(_FIRST_PARAMETER.search(head)) and not _STATIC_METHOD.search(above)


def _set_value(
    name: NameBinding,
    own_name: str,
    label: str,
    match: QueryMatch,
    text: SourceText,
    language: Language,
) -> None:
    if "local.parameters" in match:
        name.parameters = match["local.parameters"][0]
        if len(match) == 2:
            return
    name.source, name.text = _value_source(match, own_name, label, text, language)
    if name.source is _ALIAS and is_generic(name.text, language.containers):
        name.source = ValueSource.TYPE  # a name of `dict[str, Item]`
    name.steps = part_taken(match, label, text)
    if f"{label}.among" in match:
        start, end = match[f"{label}.among"]
        _take_apart(name, text.slice((start, end)), text.slice((start, match[label][0])))
    if name.source is _CALL:
        callee = match[f"{label}.call"]
        name.callee_end = callee[1]
        name.since = _call_end(callee, own_name, text)
    if "local.within" in match:  # from the brace or white space before it
        start, name.until = match["local.within"]
        name.start = match["local.after"][1] if "local.after" in match else start - 1


def _call_end(callee: ByteRange, name: str, text: SourceText) -> int:
    """Return the end of a call if it may use the name, else 0."""
    if name not in text.slice((callee[0], callee[1] + MAX_EXPRESSION_CHARACTERS)):
        return 0
    return callee[0] + len(text.call(callee).encode())


def _value_source(
    match: QueryMatch, name: str, label: str, text: SourceText, language: Language
) -> tuple[ValueSource, str]:
    for source_label, source in _SOURCES[label]:
        if source_label not in match:
            continue
        mark = match[source_label]
        if source is _CALL and "receiver" in match:
            mark = (match["receiver"][0], mark[1])
        written = _written(source, text.slice(mark), name)
        if source is _TYPE and (not written or written in language.inferred_type_keywords):
            continue
        if source is _CALL and written.endswith(_BIND):
            return _ALIAS, written.removesuffix(_BIND)
        if source is _CALL and written in language.adapters:
            return _ALIAS, text.call(mark)
        return source, written
    return ValueSource.UNKNOWN, ""


def _written(source: ValueSource, written: str, name: str) -> str:
    """Return a callee or type that may be longer or in the doc comment of a name; "" of no type."""
    if source is _CALL:
        return shortened_call(written)
    if source is not _TYPE:
        return written
    if written.startswith("/**"):
        return documented_type(written, name)
    defined = _DEFINED_TYPE.match(written)
    return defined[1] if defined else written


def part_taken(match: QueryMatch, label: str, text: SourceText) -> tuple[str, ...]:
    """Return the parts of the value that lead to it: a parameter, a member, a place in a tuple."""
    if _PARTS.isdisjoint(match):
        return ()
    mark = match.get(label, _NOWHERE)
    parts = []
    if f"{label}.entered" in match:
        start, _ = match[f"{label}.entered"]
        parts.append(ENTER_METHODS[text.slice((start, start + 5)) == "async"])
    given, among = match.get(f"{label}.given"), match.get(f"{label}.argument")
    if given is not None:
        before = text.slice((given[0], (among or mark)[0]))
        is_spread = "..." in before  # its place is unknown
        parts.append(argument(_NO_PLACE if is_spread else _place(given, among or mark, text)))
    if among is not None:
        parts.append(argument(_place(among, mark, text)))
    if f"{label}.part" in match:
        parts.append(text.slice(match[f"{label}.part"]))
    elif f"{label}.among" in match:
        start, end = match[f"{label}.among"]
        parts += places_in(text.slice((start, end)), len(text.slice((start, mark[0]))))
    return tuple(parts)


def _place(among: ByteRange, inside: ByteRange, text: SourceText) -> int:
    """Return how many there are before `inside` in a list that may begin with a bracket.

    A parameter for the object, C#'s `this A a`, takes no place, and has none.
    """
    before = text.slice((among[0], inside[0]))
    before = before[1:] if before[:1] in {"(", "["} else before
    place = len(split_type(before, ",")) - 1
    return place if not _OBJECT.match(before) else place - 1 if place else _NO_PLACE


def _outside_definition(scope: Scope, start: int) -> Scope:
    """Return the scope outside a definition that begins with its name: `f = () => {}`."""
    while scope.start == start and scope.prefix and scope.kind not in _UNNAMED and scope.parent:
        scope = scope.parent
    return scope


def bind_imports(
    tree: ScopeTree,
    matches: Iterable[QueryMatch],
    text: SourceText,
    *,
    path: str,
    style: ImportStyle,
) -> list[BoundImport]:
    """Return the imports in order of position, and bind each local name in its scope."""
    ordered = sorted(matches, key=_start)
    scopes = tree.at(map(_start, ordered))
    has_inner = style.has_inner_modules
    modules = _modules(tree, ordered, scopes, text) if has_inner else {}
    bound, written = [], []
    for match, scope in zip(ordered, scopes, strict=True):
        imports_members = "import.tree" in match and bool(
            _STATIC.match(text.slice(match["import.tree"]))
        )
        around = _enclosing_module(scope) if has_inner else tree.root
        context = _ImportContext(path, style, around.prefix, modules.get(around.start, {}))
        for record in _records(match, text, context):
            is_reexported = "import.exported" in match or (
                "import.submodule" in match and scope.parent is None
            )
            bound.append(
                BoundImport(record, scope, is_reexported, imports_members and record.wildcard)
            )
            written.append((record.local, _bound_mark(match)))
    bound = _told_apart(bound)
    for bound_import, (local, mark) in zip(bound, written, strict=True):
        if local:
            name = NameBinding(*mark, bound_import.scope, imported=bound_import.record.local)
            tree.bind(local.partition(".")[0] if style.binds_first_name else local, name)
    return bound


def _told_apart(imports: list[BoundImport]) -> list[BoundImport]:
    """Number the local names of inner scopes, where scopes bind one name to different paths."""
    paths: dict[str, set[str]] = {}
    for imported in imports:
        paths.setdefault(imported.record.local, set()).add(imported.record.path)
    several = {local for local, found in paths.items() if local and len(found) > 1}
    if not several:
        return imports
    numbers: dict[str, dict[int, int]] = {local: {} for local in several}
    for import_ in sorted(imports, key=lambda inside: inside.scope.start):
        if import_.record.local in several:
            known = numbers[import_.record.local]
            known.setdefault(import_.scope.start, len(known))
    told = []
    for bound_import in imports:
        local = bound_import.record.local
        number = numbers[local][bound_import.scope.start] if local in several else 0
        numbered = f"{local[: NAME_CHARACTERS - 8]}{INNER}{number}" if number else local
        told.append(replace(bound_import, record=bound_import.record._replace(local=numbered)))
    return told


def _modules(
    tree: ScopeTree, ordered: Sequence[QueryMatch], scopes: Sequence[Scope], text: SourceText
) -> dict[int, dict[str, bool]]:
    """Return the names that paths may begin with, true for other files, by module of the file.

    A module is given by its start offset.
    """
    found: dict[int, dict[str, bool]] = {
        scope.start: {
            name: False
            for name, bound in scope.names.items()
            if any(binding.kind in _PATH_KINDS for binding in bound)
        }
        for scope in (tree.root, *tree.scopes)
        if scope is tree.root or scope.kind == "module"
    }
    for match, scope in zip(ordered, scopes, strict=True):
        if "import.submodule" in match:
            found[_enclosing_module(scope).start][text.slice(match["import.submodule"])] = True
    return found


def _enclosing_module(scope: Scope) -> Scope:
    while scope.parent is not None and scope.kind != "module":
        scope = scope.parent
    return scope


def _bound_mark(match: QueryMatch) -> ByteRange:
    """Return the bytes of the bound name, if it is a separate node."""
    for label in _BINDING_LABELS:
        mark = match.get(label)
        if mark is not None:
            return mark
    start = _start(match)
    return start, start + 1


def _start(match: QueryMatch) -> int:
    return min(match.values())[0]


def _records(match: QueryMatch, text: SourceText, context: _ImportContext) -> Iterator[Import]:
    style = context.style
    line = text.line(_start(match))
    if "import.submodule" in match and style.submodule:
        mark = match["import.submodule"]
        name = text.slice(mark)
        before = _PLACE.search(text.slice((max(0, mark[0] - _HEAD_BYTES), mark[0])))
        module = style.submodule(context.path, name, context.inside, before[1] if before else "")
        local = name[:NAME_CHARACTERS]
        yield Import(local=local, module="self", path=cut_path(module), wildcard=False, line=line)
        return
    is_foreign = "import.tree" not in match or _FOREIGN.match(text.slice(match["import.tree"]))
    for imported in _imported(match, text, style):
        is_own = not is_foreign and imported.module.partition(".")[0] in context.modules
        module = _path(imported.module, context, is_own=is_own)
        local = imported.local or (
            imported.names[-1]
            if imported.names
            else style.local_name(imported.module, text.has_member_of)
        )
        yield Import(
            local="" if imported.is_wildcard else local[:NAME_CHARACTERS],
            module=imported.module[:NAME_CHARACTERS],
            path=join_path(module, imported.names),
            wildcard=imported.is_wildcard,
            line=line,
        )


def _path(module: str, context: _ImportContext, *, is_own: bool) -> str:
    """Return the path of a module; `is_own` if it begins with one that is declared beside it."""
    first, *rest = module.split(".")
    submodule = context.style.submodule
    if is_own and submodule and context.inside and context.modules[first]:
        return join_path(submodule(context.path, first, context.inside, ""), rest)
    written = f"self.{module}" if is_own else module
    return import_path(context.style, context.path, written, context.inside)


def _imported(match: QueryMatch, text: SourceText, style: ImportStyle) -> Iterable[ImportedName]:
    """Return the imports of one match, as written."""
    if "import.tree" in match:
        return _of_tree(text.slice(match["import.tree"]), style)
    part = {label.removeprefix("import."): text.slice(mark) for label, mark in match.items()}
    module, alias = style.expand(part.get("module", ""), text.source), part.get("alias", "")
    if "relative" in part and not module.startswith("."):
        module = f"./{module}"
    if "default" in part:
        return (ImportedName(module, ("default",), part["default"]),)
    if "namespace" in part:
        return (ImportedName(module, (), part["namespace"]),)
    if "name" in part:
        return (ImportedName(module, (part["name"],), alias),)
    if "wildcard" in part or alias == "." or style.binds_no_name:
        return (ImportedName(module, is_wildcard=True),)
    return () if alias == "_" else (ImportedName(module, (), alias),)


def _of_tree(statement: str, style: ImportStyle) -> Sequence[ImportedName]:
    """Parse a statement; a namespace imported without another name is a wildcard."""
    found = expand_import(statement)
    if not style.namespace_wildcards or _PART.match(statement):
        return found
    return [bound if bound.local else bound._replace(is_wildcard=True) for bound in found]
