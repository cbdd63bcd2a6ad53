"""Why a definition without callers may be used all the same."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from aeterna_code_search.contract.codemap import CODES
from central.codemap.answers import Doubt
from central.codemap.currency import Beside
from central.codemap.mentions import first_mentions, languages_with
from central.codemap.reached import ImportUses
from central.corpus.models import File, Module, Package
from central.db import fetch_rows, fetch_rows_planned_each_time, id_array, sql_with
from central.repositories.extractors import older_extractor
from central.trace.receipts import missing_projects
from central.trace.request_scope import TraceScope
from central.trace.resolve.definitions import Definition
from central.trace.resolve.hierarchy import subclasses_of
from central.trace.resolve.questions import FUNCTIONS, Ancestors, Bases, Key
from central.trace.resolve.sql import BaseRow, NamedBases
from central.trace.stored.models import Edge as StoredEdge
from central.trace.stored.models import Source
from central.trace.stored.rows import UNRESOLVED
from central.trace.stored.state import CURRENT
from indexer.records.files import OTHER_NAMES
from indexer.records.manifests import Ecosystem

_CALLED_BY_LANGUAGE: Final = re.compile(
    r"__\w+__|operator.*|\W+|(?:main|init|default|toString|equals|hashCode|compareTo|finalize|clone"
    r"|ToString|Equals|GetHashCode|CompareTo|Dispose|DisposeAsync|valueOf|toJSON|then|deinit|to_s"
    r"|to_str|to_h|to_a|to_proc|inspect|each|call|method_missing|respond_to_missing\?|inherited"
    r"|included|extended|prepended|coerce|setUp|tearDown|[tT]est\w*|PyInit_\w+|Java_\w+|DllMain)"
)
_DECORATION: Final = re.compile(r"@(?!interface\b)\w|#\[|\[[A-Z]\w*")
# They leave the caller as it is.
_HARMLESS: Final = re.compile(
    r"@(?:staticmethod|classmethod|property|abstractmethod|abc\.abstractmethod|override|final|wraps"
    r"|functools\.\w+|lru_cache|cache|cached_property|overload|typing\.\w+|contextmanager"
    r"|asynccontextmanager|contextlib\.\w+|dataclass|dataclasses\.\w+|attr\.\w+|attrs\.\w+|deprecated"
    r"|Deprecated|SuppressWarnings|Nullable|NonNull|NotNull|JvmStatic|JvmOverloads|discardableResult"
    r"|internal|public|param|returns?)\b"
    r"|#\[(?:derive|inline|must_use|allow|cfg|doc|deprecated|non_exhaustive|repr|track_caller)\b"
)
_NO_BASES: Final = frozenset({"object", "ABC", "Generic"})  # call nothing, and find no subclasses
_CLOSING: Final = (")", "]", "}", "#", "/", "*")  # of a decorator's arguments, or a comment
_LINES_ABOVE: Final = 12
_sql = sql_with(
    current=CURRENT,
    edge=StoredEdge,
    source=Source,
    file=File,
    module=Module,
    package=Package,
    unresolved=f"'{UNRESOLVED}'",
)
_UNRESOLVED: Final = _sql("""SELECT q.name, q.ecosystem, sum(cardinality(e.references))::bigint
    FROM unnest(%s::text[], %s::text[]) AS q (name, ecosystem)
    JOIN {edge} e ON e.target IS NULL AND e.name = q.name AND e.ecosystem = q.ecosystem
        AND e.rule = {unresolved} AND e.repository_id = ANY(%s::bigint[])
    JOIN {source} s ON s.path_id = e.source AND {current}
    GROUP BY q.name, q.ecosystem""")
# Without a version npm publishes nothing; there and in Cargo, modules re-export what is in others.
_PUBLIC: Final = _sql("""SELECT f.id FROM {file} f JOIN {package} p ON p.id = f.package_id
    WHERE f.id = ANY(%s::bigint[]) AND f.repository_id = ANY(%s::bigint[])
        AND p.name <> '' AND (p.version <> '' OR p.ecosystem <> 'npm')
        AND (p.ecosystem IN ('npm', 'cargo')
            OR EXISTS (SELECT FROM {module} m WHERE m.file_id = f.id AND m.public))""")
_UNPARSED: Final = _sql("""SELECT f.language, f.unparsed_names FROM {file} f
    WHERE f.unparsed_names && %s::text[] AND f.unparsed_names IS NOT NULL
        AND f.repository_id = ANY(%s::bigint[])""")
_ABOVE: Final = _sql("""SELECT q.id, (string_to_array(f.content, chr(10)))[
        greatest(q.line - %s::int, 1):q.line]
    FROM unnest(%s::bigint[], %s::bigint[], %s::int[]) AS q (id, file, line)
    JOIN {file} f ON f.id = q.file WHERE f.repository_id = ANY(%s::bigint[])""")


Doubts = Mapping[int, list[Doubt]]
_Found = Iterator[tuple[int, Doubt]]  # with the id of the definition


def doubts_of(
    scope: TraceScope,
    beside: Beside,
    definitions: Sequence[Definition],
    imports: ImportUses,
    *,
    allowed: Collection[str] = tuple(CODES),
) -> Doubts:
    """Return the doubts about each definition, by its id. The definitions have no callers.

    The text is searched last, and only for those of which all other doubts are `allowed`.
    """
    unresolved = _unresolved_uses(scope, beside, definitions)
    found: dict[int, list[Doubt]] = {
        definition.id: [*_about_all(scope, beside)] for definition in definitions
    }
    for id_, doubt in chain(
        _of_itself(definitions, imports, unresolved),
        _entry_points(scope, definitions),
        _with_outside_bases(scope, definitions),
        _partly_parsed(scope, definitions),
        _published(scope, definitions),
    ):
        found[id_].append(doubt)
    unnamed = [
        definition
        for definition in definitions
        if not unresolved[definition.name, definition.ecosystem]
        and all(doubt.code in allowed for doubt in found[definition.id])
    ]
    for id_, doubt in _mentioned(scope, unnamed, imports):
        found[id_].append(doubt)
    return {id_: sorted(doubts, key=lambda doubt: doubt.code) for id_, doubts in found.items()}


def _about_all(scope: TraceScope, beside: Beside) -> Iterator[Doubt]:
    if beside.left_out:
        yield Doubt("edges_behind", beside.left_out)
    if missing := missing_projects(scope):
        yield Doubt("missing_projects", len(missing))
    if older := older_extractor(scope.repositories.values()).count:
        yield Doubt("older_extractor", older)


def _of_itself(
    definitions: Iterable[Definition], imports: ImportUses, unresolved: Counter[tuple[str, str]]
) -> _Found:
    for definition in definitions:
        if definition.generated:
            yield definition.id, Doubt("generated")
        if count := imports.reexported[definition.key]:
            yield definition.id, Doubt("reexported", count)
        if count := unresolved[definition.name, definition.ecosystem]:
            yield definition.id, Doubt("unresolved_uses", count)


def _mentioned(scope: TraceScope, definitions: Iterable[Definition], imports: ImportUses) -> _Found:
    indexed = [repository.id for repository in scope.repositories.values() if repository.generation]
    mentions = first_mentions(scope.resolver, indexed, definitions, imports.lines)
    for id_, mention in mentions.items():
        project = scope.repositories[mention.repository].name if mention.repository else ""
        yield id_, Doubt("name_in_text", None, mention.in_project(project) if project else None)


def _unresolved_uses(
    scope: TraceScope, beside: Beside, definitions: Iterable[Definition]
) -> Counter[tuple[str, str]]:
    names = sorted({(definition.name, definition.ecosystem) for definition in definitions})
    counts = Counter({name: beside.unresolved.get(name, 0) for name in names})
    columns = [[name for name, _ in names], [ecosystem for _, ecosystem in names]]
    asked = [*columns, scope.resolver.repositories, beside.hidden]
    for name, ecosystem, count in fetch_rows(_UNRESOLVED, asked):
        counts[name, ecosystem] += count
    return counts


def _published(scope: TraceScope, definitions: Sequence[Definition]) -> _Found:
    """Yield what is in packages that others may install."""
    files = id_array({definition.file for definition in definitions})
    rows = fetch_rows(_PUBLIC, [files, scope.resolver.repositories])
    public = {file for (file,) in rows}
    return (
        (definition.id, Doubt("published"))
        for definition in definitions
        if definition.file in public
    )


def _partly_parsed(scope: TraceScope, definitions: Sequence[Definition]) -> _Found:
    names = sorted({definition.name for definition in definitions} | {OTHER_NAMES})
    rows = fetch_rows_planned_each_time(_UNPARSED, [names, scope.resolver.repositories])
    for definition in definitions:
        languages = languages_with(definition.language)
        count = sum(
            language in languages and not {definition.name, OTHER_NAMES}.isdisjoint(known)
            for language, known in rows
        )
        if count:
            yield definition.id, Doubt("partly_parsed", count)


def _with_outside_bases(scope: TraceScope, definitions: Sequence[Definition]) -> _Found:
    """Yield the members whose classes, or those around these in a hierarchy, have a base outside.

    A class below may mix a member into what a base outside calls. A type of Go implements
    interfaces without naming them.
    """
    members = [definition for definition in definitions if "." in definition.qualified_name]
    owners = [(member.file, member.qualified_name.rpartition(".")[0]) for member in members]
    subclasses_of(scope.resolver, set(owners), {member.ecosystem for member in members})
    below = {class_: _below(scope.resolver.subclasses, class_) for class_ in owners}
    asked = sorted(set(chain(*below.values())))
    lineages = dict(
        zip(
            asked, scope.resolver.resolve_all([Ancestors(*class_) for class_ in asked]), strict=True
        )
    )
    around = {
        owner: {
            key
            for class_ in several
            for key in (class_, *(found.key for found in lineages[class_]))
        }
        for owner, several in below.items()
    }
    outside = _outside_bases(scope, set(chain(*around.values())))
    for member, owner in zip(members, owners, strict=True):
        if member.ecosystem == Ecosystem.GO or not outside.isdisjoint(around[owner]):
            yield member.id, Doubt("outside_base")


def _below(subclasses: Mapping[Key, Sequence[Key]], owner: Key) -> set[Key]:
    found, ahead = {owner}, [owner]
    while ahead:
        fresh = set(subclasses.get(ahead.pop(), ())) - found
        found |= fresh
        ahead += fresh
    return found


def _outside_bases(scope: TraceScope, classes: Iterable[Key]) -> set[Key]:
    """Return those of the classes that have a base outside, or one that is unknown."""
    asked = sorted(classes)
    named = scope.resolver.resolve_all([NamedBases(*class_) for class_ in asked])
    known = scope.resolver.resolve_all([Bases(*class_) for class_ in asked])
    found = {class_ for class_ in asked if not class_[0]}  # of a model of a library
    for class_, rows, bases in zip(asked, named, known, strict=True):
        if len(_telling(rows)) > len({base.key for base in bases if base.file}):
            found.add(class_)
    return found


def _telling(rows: Iterable[BaseRow]) -> list[BaseRow]:
    return [row for row in rows if row.chain or row.root not in _NO_BASES]


def _entry_points(scope: TraceScope, definitions: Sequence[Definition]) -> _Found:
    """Yield what the language calls by its name, and what a decorator or a base class may find."""
    columns = [
        id_array(definition.id for definition in definitions),
        id_array(definition.file for definition in definitions),
        [definition.start_line for definition in definitions],
    ]
    rows = fetch_rows(_ABOVE, [_LINES_ABOVE, *columns, scope.resolver.repositories])
    found = {id_ for id_, lines in rows if _is_decorated(lines)}
    classes = [definition for definition in definitions if definition.kind not in FUNCTIONS]
    named = scope.resolver.resolve_all([NamedBases(*class_.key) for class_ in classes])
    found.update(class_.id for class_, rows in zip(classes, named, strict=True) if _telling(rows))
    for definition in definitions:
        if definition.id in found or _CALLED_BY_LANGUAGE.fullmatch(definition.name):
            yield definition.id, Doubt("entry_point")


def _is_decorated(lines: Sequence[str]) -> bool:
    """Whether a decorator stands before the last line, or begins it."""
    own = lines[-1]
    if _is_telling(own.strip()):
        return True
    indent = len(own) - len(own.lstrip())
    for line in reversed(lines[:-1]):
        text = line.strip()
        is_inside = len(line) - len(line.lstrip()) > indent or text[:1] in _CLOSING
        if not text or not (is_inside or _DECORATION.match(text)):
            return False
        if _is_telling(text):
            return True
    return False


def _is_telling(text: str) -> bool:
    return bool(_DECORATION.match(text)) and not _HARMLESS.match(text)
