"""The consumers of a project: which versions they have, and what of it they use.

Without definitions that is all of the project, or of one of its packages, by stored edges, imports
and manifests. With definitions it is what a change or a removal of these concerns.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from aeterna_code_search.contract.codemap import ConsumersRequest
from central.codemap.answers import (
    Consumer,
    Consumers,
    Inside,
    MapReceipt,
    UsedDefinition,
    Versions,
)
from central.codemap.currency import NOTHING_BESIDE, Beside, beside_stored, map_receipt
from central.codemap.packages import Packages
from central.codemap.uses import imports, uses
from central.errors import NotFoundError
from central.owners.reading import owner_counts
from central.repositories.visibility import RepositorySnapshot
from central.sentences import Sentence
from central.tenancy.credentials import Credential
from central.trace.callers import CUT_CALLERS, find_callers
from central.trace.edges import Edge, Step, without_repeated
from central.trace.impact import changed_definitions
from central.trace.imports import edges_from_imports
from central.trace.request_scope import TraceScope, traced
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.questions import Key
from central.trace.stored.package_imports import PackagePlace

_VERSIONS: Final = 20  # of a consumer
_DEFINITIONS: Final = 20  # of a consumer
_NAMES: Final = 20  # of packages, in an error
_UNUSED: Final = "No other project that this credential sees uses it, or asks for it."
_NOT_CALLED: Final = "No other project that this credential sees uses these definitions."
_NOT_INDEXED: Final = "Nothing in the index is defined by these names or at these lines."
_NO_LAG: Final = (
    "Of none of the {count} consumers is the pinned version known to be older; lags_only leaves "
    "them out."
)
_INSIDE: Final = "The project itself does: see inside."
_UNRESOLVED: Final = (
    "{count} references by these names are of something unknown; min_confidence=low counts them."
)
_INCOMPLETE: Final = "Something may be missing: see receipt."


def consumers(*, credential: Credential, request: ConsumersRequest) -> Consumers:
    """Return the packages of other projects that use a project, the strongest first.

    Raises NotFoundError for an unknown project or package and, if no definitions are asked for,
    UnavailableError while edges are behind.
    """
    with traced(credential, "consumers", request.project) as scope:
        repository = scope.named(request.project)
        asked = _Asked(scope, repository, request)
        if request.symbols or request.files:
            found = _of_definitions(asked)
        else:
            found = _of_packages(credential, asked)
        answer = _answer(asked, found)
        scope.span.set_attributes(resultCount=len(answer.consumers))
    return answer


class _Asked:
    """A request with the repository that it names; `packages` are those asked for, if any are."""

    def __init__(
        self, scope: TraceScope, repository: RepositorySnapshot, request: ConsumersRequest
    ) -> None:
        self.scope = scope
        self.repository = repository
        self.request = request
        self.every = Packages(scope)
        self.packages: Collection[int] | None = None
        if request.package:
            self.packages = self.every.named(repository.id, request.package)
            if not self.packages:
                raise NotFoundError(
                    "There is no such package in the project; check package.",
                    code="package_not_found",
                    near=self.every.names(repository.id)[:_NAMES],
                )

    def has(self, package: int) -> bool:
        """Whether a package of the project is asked for."""
        return self.packages is None or package in self.packages


@dataclass(slots=True)
class _Found:
    """Uses by user and definition, and what is not known; users may be of the project itself."""

    packages: Collection[int] | None  # of the definitions; None: all of the project
    beside: Beside = NOTHING_BESIDE
    cut: Sequence[str] = ()
    calls: Counter[tuple[PackagePlace, Key]] = field(default_factory=Counter)
    named: Counter[tuple[PackagePlace, Key]] = field(default_factory=Counter)  # by imports
    imports: Counter[PackagePlace] = field(default_factory=Counter)
    definitions: int | None = None
    unknown: Sequence[str] = ()
    unresolved: int = 0


def _of_packages(credential: Credential, asked: _Asked) -> _Found:
    """Find what uses the project or the package, whatever of it that is."""
    scope, of = asked.scope, asked.repository.id
    beside = beside_stored(credential.organization, scope)
    found = _Found(asked.packages, beside)
    confidence = asked.request.min_confidence
    for use, count in uses(
        scope.resolver, beside, inside=of, of=of, min_confidence=confidence
    ).items():
        if asked.has(use.provider.package):
            found.calls[use.user, (use.file, use.name)] += count
    for (user, provider), count in imports(scope.resolver, beside, inside=of, of=of).items():
        if asked.has(provider.package):
            found.imports[user] += count
    return found


def _of_definitions(asked: _Asked) -> _Found:
    """Find what uses the definitions, or names them in an import, outside of themselves."""
    scope, request = asked.scope, asked.request
    named, unknown, cut = changed_definitions(
        scope, asked.repository, request.symbols, request.files
    )
    definitions = [definition for definition in named if asked.has(definition.package)]
    callers = find_callers(scope.resolver, definitions, min_confidence=request.min_confidence)
    found = _Found(
        {definition.package for definition in definitions},
        cut=[*cut, *([CUT_CALLERS] if callers.is_cut else [])],
        definitions=len(definitions),
        unknown=unknown,
        unresolved=callers.tally.unresolved,
    )
    whole = {file.path for file in request.files if not file.lines}
    files = {definition.file for definition in definitions if definition.path in whole}
    keys = {definition.key for definition in definitions}
    for edge in _once(callers.edges, definitions):
        if edge.site.file not in files and not _is_within(edge, keys):
            found.calls[_user(edge), edge.target] += 1
    statements: dict[PackagePlace, set[int]] = defaultdict(set)
    for edge in edges_from_imports(
        scope.resolver, definitions, min_confidence=request.min_confidence
    ):
        is_named = _is_named(edge)
        if edge.site.file in files or not (is_named or edge.target[0] in files):
            continue
        statements[_user(edge)].add(edge.site.id)
        if is_named:
            found.named[_user(edge), edge.target] += 1
    found.imports.update({user: len(several) for user, several in statements.items()})
    return found


def _user(edge: Edge) -> PackagePlace:
    return PackagePlace(edge.site.repository, edge.site.package)


def _once(edges: Iterable[Edge], definitions: Sequence[Definition]) -> Iterator[Edge]:
    """Yield what leads to a class and its constructor once, if both are asked for."""
    steps = without_repeated((Step(edge, 1, 0) for edge in edges), definitions)
    return (step.edge for step in steps)


def _is_within(edge: Edge, keys: Collection[Key]) -> bool:
    """Whether a use stands in one of the definitions."""
    names = accumulate(edge.site.caller.split("."), "{}.{}".format)
    return any((edge.site.file, name) in keys for name in names)


def _is_named(edge: Edge) -> bool:
    """Whether an import names the definition: not only one around it, or its module."""
    definition = edge.definition
    return definition is None or (definition.key == edge.target and bool(definition.kind))


@dataclass(slots=True)
class _Row:
    """A consumer before it is shown; `used` counts references and imports of a definition."""

    versions: list[Versions] = field(default_factory=list)
    calls: int = 0
    used: Counter[Key] = field(default_factory=Counter)

    @property
    def lags(self) -> bool | None:
        known = {version.lags for version in self.versions} - {None}
        return True in known if known else None

    def most_used(self) -> list[Key]:
        order = sorted(self.used, key=lambda key: (-self.used[key], key[1], key[0]))
        return order[:_DEFINITIONS]


def _rows(asked: _Asked, found: _Found) -> dict[PackagePlace, _Row]:
    rows: dict[PackagePlace, _Row] = defaultdict(_Row)
    for (user, key), count in found.calls.items():
        rows[user].calls += count
        rows[user].used[key] += count
    for (user, key), count in found.named.items():
        rows[user].used[key] += count
    for user in found.imports:
        rows[user]
    for requirement in asked.every.requirements(inside=0, of=asked.repository.id):
        is_of_them = found.packages is None or requirement.provider.package in found.packages
        # Who only has it in a manifest may use other definitions.
        if is_of_them and (found.definitions is None or requirement.user in rows):
            rows[requirement.user].versions.append(requirement.versions)
    return rows


def _answer(asked: _Asked, found: _Found) -> Consumers:
    own = asked.repository.id
    rows = {place: row for place, row in _rows(asked, found).items() if place.repository != own}
    lagging = {place: row for place, row in rows.items() if row.lags}
    ids = {place: asked.every.id_of(place) for place in rows}
    listed = sorted(
        lagging if asked.request.lags_only else rows,
        key=lambda place: (-rows[place].calls - found.imports[place], ids[place]),
    )
    shown = listed[: asked.request.limit]
    used = {place: rows[place].most_used() for place in shown}
    keys = [key for several in used.values() for key in several]
    definitions = definitions_at(asked.scope.resolver, keys)
    inside = Inside(
        sum(count for (user, _), count in found.calls.items() if user.repository == own),
        sum(count for user, count in found.imports.items() if user.repository == own),
    )
    receipt = map_receipt(asked.scope, found.beside, found.cut)
    return Consumers(
        project=asked.repository.name,
        commit=asked.repository.commit,
        definitions_asked=found.definitions,
        unknown=list(found.unknown),
        consumers=[
            _consumer(asked, found, place, rows[place], definitions, used[place]) for place in shown
        ],
        consumers_more=len(listed) - len(shown),
        lagging=len(lagging),
        inside=inside,
        unresolved=found.unresolved,
        receipt=receipt,
        hint=None if shown else _hint(found, len(rows), inside, receipt),
        owners=owner_counts(asked.scope.owners, (_owned(asked, place) for place in listed)),
    )


def _owned(asked: _Asked, place: PackagePlace) -> tuple[RepositorySnapshot, str]:
    """Return whose owner is a consumer's: its manifest, or all of what no manifest is about."""
    package = asked.every.of(place)
    return asked.scope.repositories[place.repository], package.manifest if package else ""


def _consumer(
    asked: _Asked,
    found: _Found,
    place: PackagePlace,
    row: _Row,
    definitions: Mapping[Key, Definition],
    used: Sequence[Key],
) -> Consumer:
    repository = asked.scope.repositories[place.repository]
    package = asked.every.of(place)
    return Consumer(
        id=asked.every.id_of(place),
        project=repository.name,
        package=(package.name or None) if package else None,
        commit=repository.commit,
        versions=row.versions[:_VERSIONS],
        lags=row.lags,
        calls=row.calls,
        imports=found.imports[place],
        definitions=[
            UsedDefinition(
                name=definition.qualified_name,
                kind=definition.kind,
                file=definition.path,
                line=definition.start_line,
                calls=found.calls[place, key],
                imports=found.named[place, key],
                url=asked.repository.url(definition.path, definition.start_line),
            )
            for key in used
            if (definition := definitions.get(key))
        ],
        definitions_more=max(len(row.used) - _DEFINITIONS, 0),
        owners=asked.scope.owners.listed(*_owned(asked, place)),
    )


def _hint(found: _Found, consumers: int, inside: Inside, receipt: MapReceipt) -> str:
    if found.definitions == 0:
        return _NOT_INDEXED
    if consumers:
        return Sentence.of("no_consumer_lags", _NO_LAG, count=consumers)
    is_of_all = found.definitions is None
    sentences = [Sentence.of("no_consumers", _UNUSED) if is_of_all else _NOT_CALLED]
    if inside.calls or inside.imports:
        sentences.append(Sentence.of("used_inside", _INSIDE))
    if found.unresolved:
        sentences.append(_UNRESOLVED.format(count=found.unresolved))
    if not receipt.complete:
        sentences.append(Sentence.of("incomplete", _INCOMPLETE))
    return Sentence.joined(sentences)
