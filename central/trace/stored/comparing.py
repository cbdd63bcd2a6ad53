"""Stored edges at the reconcile: those of some files are compared with what resolution says."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from central.db import Row, columns_of, id_array, one_moment
from central.projections import Difference
from central.repositories.models import Repository
from central.tenancy.models import Organization
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.rules import rules_of
from central.trace.stored.models import Edge, Inheritance, PackageImport, Source
from central.trace.stored.package_imports import (
    import_rows,
    imported_by,
    imports_in,
)
from central.trace.stored.rows import (
    base_rows,
    edge_rows,
    resolved_files,
)
from central.trace.stored.state import live_files
from central.trace.stored.surroundings import surroundings

_SAMPLED_FILES: Final = 200


def compare_edges(repository: Repository, *, repair: bool) -> Difference:
    """Return of how many files the edges differ; with `repair`, these are resolved again.

    While the follower has work, nothing can be said: that is `due`.
    """
    organization = repository.organization
    sources = Source.objects.filter(repository_id=repository.pk)
    with one_moment():
        present = Repository.objects.filter(organization=organization, retired_at=None)
        live = live_files(organization, id_array(present.values_list("id", flat=True))).files
        if live is None:
            return Difference(due=1, differing=0)
        paths = sources.exclude(file_id__in=live).order_by("?")
        sample = paths.values_list("path_id", flat=True)[:_SAMPLED_FILES]
        wrong = different(organization, list(sample))
        due = sources.filter(due=True).count()
    if repair:
        Source.objects.filter(path_id__in=wrong).update(due=True)
    return Difference(due=due, differing=len(wrong))


def different(organization: Organization, paths: Sequence[int]) -> list[int]:
    """Return those of the paths of which what is stored is not what resolution says now."""
    present = Repository.objects.filter(organization=organization, retired_at=None)
    resolver = BatchResolver(
        rules_of(organization), repositories=present.values_list("id", flat=True)
    )
    files = dict(Source.objects.filter(path_id__in=paths).values_list("path_id", "file_id"))
    parts = dict(resolved_files(resolver, files))
    around = surroundings((), {file for part in parts.values() for file in part.files()})
    imports = imports_in(resolver, files.values())
    imported = {path: imported_by(resolver, imports[file]) for path, file in files.items()}
    live = _by_source(edge_rows(parts, around), base_rows(parts, around), import_rows(imported))
    stored = _by_source(
        *(
            model._default_manager.filter(source__in=paths).values_list(*columns_of(model))
            for model in (Edge, Inheritance, PackageImport)
        )
    )
    return [path for path in paths if live.get(path) != stored.get(path)]


def _by_source(
    edges: Iterable[Row], bases: Iterable[Row], imports: Iterable[Row]
) -> dict[int, set[Any]]:
    found: dict[int, set[Any]] = {}
    for source, repository, references, *fields in edges:
        comparable = (tuple(field) if isinstance(field, list) else field for field in fields)
        found.setdefault(source, set()).add((repository, *sorted(references), *comparable))
    for source, *names in (*bases, *imports):
        found.setdefault(source, set()).add(tuple(names))
    return found
