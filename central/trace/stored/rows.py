"""What is resolved in a file, as rows of edges."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from central.db import Row, copy_into, copy_rows
from central.trace.edges import Edge, constructor_edges, edges_to
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import Bases, Key
from central.trace.resolve.references import ReferenceSite, sites_in
from central.trace.resolve.resolve import (
    Resolution,
    disagreements,
    resolve,
    with_unresolved,
)
from central.trace.stored import models
from central.trace.stored.hierarchy import classes_in
from central.trace.stored.surroundings import Surroundings

UNRESOLVED: Final = "unresolved"
ELSEWHERE: Final = "elsewhere"
_COPY: Final = copy_into(models.Edge)
_COPY_BASES: Final = copy_into(models.Inheritance)
_VIA: Final = 9  # of the columns that references share: a list, which is no key


class Resolved(NamedTuple):
    """The references of a file, with their edges, also to constructors, and bases of classes."""

    resolutions: Sequence[tuple[ReferenceSite, Resolution]]
    edges: Sequence[Edge]
    bases: Collection[tuple[Key, Key]]
    disagreements: int = 0  # references that the rules bind to something else than an index

    def files(self) -> Iterator[int]:
        """Yield the files that the edges and bases name."""
        for class_, base in self.bases:
            yield from (class_[0], base[0])
        for edge in self.edges:
            yield edge.target[0]
            if edge.definition:
                yield edge.definition.file
                yield from edge.definition.via_files
                if edge.definition.receiver:
                    yield edge.definition.receiver[0]


def resolved(
    resolver: BatchResolver, sites: Sequence[ReferenceSite], classes: Sequence[Key] = ()
) -> Resolved:
    """Resolve references and classes; overrides and what only a name links are no edges."""
    resolutions = with_unresolved(resolver, sites, resolve(resolver, sites))
    pairs = list(zip(sites, resolutions, strict=True))
    edges = [edge for site, resolution in pairs for edge in edges_to(site, resolution)]
    edges += constructor_edges(resolver, edges)
    answers = zip(
        classes, resolver.resolve_all([Bases(*class_) for class_ in classes]), strict=True
    )
    bases = {(class_, base.key) for class_, answer in answers for base in answer}
    return Resolved(pairs, edges, bases)


def resolved_files(
    resolver: BatchResolver, files: Mapping[int, int]
) -> Iterator[tuple[int, Resolved]]:
    """Resolve files, together at first, and yield what each has; they are given by path."""
    sites, classes = sites_in(resolver, list(files.values())), classes_in(files.values())
    together = [site for file in files.values() for site in sites[file]]
    resolved(resolver, together, [class_ for file in files.values() for class_ in classes[file]])
    disagreements(resolver, together)
    resolver.taken_rows()
    for path, file in files.items():
        found = resolved(resolver, sites[file], classes[file])
        yield path, found._replace(disagreements=len(disagreements(resolver, sites[file])))


def write_edges(parts: Mapping[int, Resolved], around: Surroundings) -> None:
    """Write the edges and bases of files, given by the ids of their paths."""
    copy_rows(_COPY, edge_rows(parts, around))
    copy_rows(_COPY_BASES, base_rows(parts, around))


def base_rows(parts: Mapping[int, Resolved], around: Surroundings) -> Iterator[Row]:
    """Yield the rows of bases of files, in the order of the columns."""
    for path, part in parts.items():
        for (file, name), (base, base_name) in part.bases:
            yield (path, around.repositories[file], name, around.paths.get(base, 0), base_name)


def edge_rows(parts: Mapping[int, Resolved], around: Surroundings) -> Iterator[Row]:
    """Yield the rows of edges of files, in the order of the columns."""
    return (row for path, part in parts.items() for row in _rows(path, part, around))


def _rows(path: int, part: Resolved, around: Surroundings) -> Iterator[Row]:
    references: dict[Row, list[int]] = defaultdict(list)
    for edge in part.edges:
        references[_leading(edge, around)].append(edge.site.id)
    for site, resolution in part.resolutions:
        if not resolution.targets:
            references[_leading_nowhere(site, resolution)].append(site.id)
    for row, ids in references.items():
        via = list(row[_VIA]) or None
        repository = part.resolutions[0][0].repository
        yield (path, repository, ids, *row[:_VIA], via, *row[_VIA + 1 :])


def _leading(edge: Edge, around: Surroundings) -> Row:
    definition, paths = edge.definition, around.paths
    assert definition is not None  # noqa: S101 - only a name makes an edge without one
    written = definition.key if edge.is_to_constructor else None
    return (
        paths[edge.target[0]],
        edge.target[1],
        definition.kind,
        "",
        edge.rule,
        int(edge.confidence),
        edge.candidates,
        definition.is_certain,
        definition.is_alias,
        tuple(paths[file] for file in definition.via_files),
        paths.get(definition.receiver[0])
        if definition.receiver
        else None,  # a model's class has no file
        definition.receiver[1] if definition.receiver else "",
        paths[written[0]] if written else None,
        written[1] if written else "",
        definition.model,
        around.repositories[edge.target[0]] != edge.site.repository,
    )


def _leading_nowhere(site: ReferenceSite, resolution: Resolution) -> Row:
    rule = UNRESOLVED if resolution.is_unresolved else ELSEWHERE
    certainty = (rule, 0, 0, False, False)
    return (None, site.name, "", site.ecosystem, *certainty, (), None, "", None, "", "", False)
