"""The map of an organisation: what its projects, or their packages, use of one another."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from aeterna_code_search.contract.codemap import MapRequest
from central.codemap.answers import CodeMap, MapLink, MapNode, MapReceipt, Versions
from central.codemap.currency import beside_stored, map_receipt
from central.codemap.packages import Packages
from central.codemap.uses import calls, imports
from central.sentences import Sentence
from central.tenancy.credentials import Credential
from central.trace.request_scope import TraceScope, traced
from central.trace.stored.package_imports import PackagePlace

_VERSIONS: Final = 20  # of a link
_NOTHING_OF: Final = (
    "{project} uses nothing of other projects that this credential sees, and none of them uses it: "
    "nothing in them leads there, and no manifest asks for it."
)
_NOTHING: Final = (
    "No project that this credential sees uses another one: nothing in them leads there, and no "
    "manifest asks for a package of another one."
)
_Node = TypeVar("_Node", bound=Hashable)


@dataclass(slots=True)
class _Link:
    calls: int = 0
    imports: int = 0
    versions: list[Versions] = field(default_factory=list)


_Links = dict[tuple[PackagePlace, PackagePlace], _Link]


def code_map(*, credential: Credential, request: MapRequest) -> CodeMap:
    """Return the strongest links, and the nodes at their ends.

    Raises NotFoundError for an unknown project, and UnavailableError while edges are behind.
    """
    with traced(credential, "map", request.project) as scope:
        repository = scope.named(request.project).id if request.project else 0
        beside = beside_stored(credential.organization, scope)
        drawn = _Map(scope, request.level)
        for (user, provider), count in calls(
            scope.resolver, beside, inside=repository, min_confidence=request.min_confidence
        ).items():
            drawn.link(user, provider).calls += count
        for (user, provider), count in imports(scope.resolver, beside, inside=repository).items():
            drawn.link(user, provider).imports += count
        drawn.take_requirements(repository)
        answer = drawn.answer(map_receipt(scope, beside), repository, request.limit)
        scope.span.set_attributes(resultCount=len(answer.links))
    return answer


class _Map:
    """The links between projects or packages, as they are found."""

    def __init__(self, scope: TraceScope, level: str) -> None:
        self._scope = scope
        self._packages = Packages(scope)
        self._is_of_projects = level == "project"
        self._links: _Links = defaultdict(_Link)

    def link(self, user: PackagePlace, provider: PackagePlace) -> _Link:
        """Return the link between two packages, or else their projects."""
        if self._is_of_projects:
            user, provider = user._replace(package=0), provider._replace(package=0)
        return self._links[user, provider]

    def take_requirements(self, inside: int) -> None:
        """Add what manifests say of the links, and the links that only they have."""
        for requirement in self._packages.requirements(inside=inside):
            self.link(requirement.user, requirement.provider).versions.append(requirement.versions)

    def answer(self, receipt: MapReceipt, repository: int, limit: int) -> CodeMap:
        """Return the strongest links, of a repository or of all."""
        links = {ends: link for ends, link in self._links.items() if ends[0] != ends[1]}
        ids = {place: self._packages.id_of(place) for ends in links for place in ends}
        cycles = [sorted(ids[project] for project in each) for each in cycles_of(links)]
        cycles.sort(key=lambda each: (-len(each), each))
        of_node = {project: number for number, each in enumerate(cycles) for project in each}
        asked = [
            (ends, link)
            for ends, link in links.items()
            if not repository or repository in {place.repository for place in ends}
        ]
        asked.sort(
            key=lambda pair: (-pair[1].calls - pair[1].imports, *(ids[end] for end in pair[0]))
        )
        uses, users = (
            Counter(package for package, _ in links),
            Counter(package for _, package in links),
        )
        shown = asked[:limit]
        indexed = {
            snapshot.id for snapshot in self._scope.repositories.values() if snapshot.generation
        }
        return CodeMap(
            nodes=[
                self._node(ids[place], place, users[place], uses[place])
                for place in sorted(
                    {package for ends, _ in shown for package in ends}, key=ids.__getitem__
                )
            ],
            links=[
                MapLink(
                    source=ids[source],
                    target=ids[target],
                    calls=link.calls,
                    imports=link.imports,
                    versions=link.versions[:_VERSIONS],
                    cycle=cycle
                    if (cycle := of_node.get(ids[source])) == of_node.get(ids[target])
                    else None,
                )
                for (source, target), link in shown
            ],
            links_more=len(asked) - len(shown),
            cycles=cycles,
            alone=len(indexed - {place.repository for place in ids}),
            receipt=receipt,
            hint=None if shown else self._hint(repository),
        )

    def _hint(self, repository: int) -> str:
        if not repository:
            return Sentence.of("nothing", _NOTHING)
        project = self._scope.repositories[repository].name
        return Sentence.of("nothing_of", _NOTHING_OF, project=project)

    def _node(self, id_: str, place: PackagePlace, users: int, uses: int) -> MapNode:
        repository = self._scope.repositories[place.repository]
        package = self._packages.of(place)
        return MapNode(
            id=id_,
            project=repository.name,
            package=(package.name or None) if package else None,
            ecosystem=package.ecosystem if package else None,
            version=(package.version or None) if package else None,
            commit=repository.commit,
            users=users,
            uses=uses,
        )


def cycles_of(links: Iterable[tuple[_Node, _Node]]) -> list[list[_Node]]:
    """Return the strongly connected components of more than one node (Kosaraju's algorithm)."""
    ahead: dict[_Node, list[_Node]] = {}
    back: dict[_Node, list[_Node]] = {}
    for source, target in links:
        ahead.setdefault(source, []).append(target)
        back.setdefault(target, []).append(source)
    seen: set[_Node] = set()
    order = [node for start in ahead for node in _finished(start, ahead, seen)]
    seen = set()
    found = [list(_finished(start, back, seen)) for start in reversed(order)]
    return [component for component in found if len(component) > 1]


def _finished(
    start: _Node, links: Mapping[_Node, Sequence[_Node]], seen: set[_Node]
) -> Iterable[_Node]:
    """Yield the nodes that can be reached and were not seen, each after those behind it."""
    if start in seen:
        return
    seen.add(start)
    path = [(start, iter(links.get(start, ())))]
    while path:
        following = next((node for node in path[-1][1] if node not in seen), None)
        if following is None:
            yield path.pop()[0]
        else:
            seen.add(following)
            path.append((following, iter(links.get(following, ()))))
