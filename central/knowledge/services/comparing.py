"""The stored graph against one rebuilt from the code and documents that it follows from.

Each repository is rebuilt in a transaction that is rolled back, unless it differs and is to be
repaired. Explicit edges follow from nothing, so they are left alone.
"""

import json
from typing import Any, Final

from django.db import transaction
from django.db.models import F
from django.db.models.lookups import IsNull

from central.knowledge.calibration import LINKED
from central.knowledge.matching import Matcher
from central.knowledge.models import CodeLinks, Document, Edge, Mention, Origin, PolicyCheck
from central.knowledge.services.linking import read_files
from central.knowledge.services.semantic import SEMANTIC_LINKS, documents_to_link, link_chunks
from central.knowledge.services.violations import check_policies
from central.knowledge.watermarks import FileRange, reasons_due
from central.projections import Difference
from central.repositories.models import Repository

_Fact = tuple[Any, ...]

_ROUNDED: Final = 0.001  # of a weight: the order in which float32 is summed differs
_OF_FILES: Final = (Origin.TEXT, Origin.POLICY)


def compare_graph(repository: Repository, *, repair: bool) -> Difference:
    """What of the repository's graph differs; with `repair` the rebuilt graph is kept.

    Needs the lock. A repository that the worker has still to catch up with is only `due`.
    """
    with Matcher() as matcher:
        generation = _generation(repository)
        to_link = documents_to_link(repository.organization)
        if reasons_due([repository.pk], shared_policies=True) or to_link.exists():
            return Difference(due=1, differing=0)
        with transaction.atomic():
            facts, weights = _facts(repository), _weights(repository)
            _rebuild(repository, matcher)
            differing = len(facts ^ _facts(repository))
            differing += _differing_weights(weights, _weights(repository))
            is_due = _generation(repository) != generation
            if is_due or not (repair and differing):
                transaction.set_rollback(True)
    return Difference(due=int(is_due), differing=0 if is_due else differing)


def _generation(repository: Repository) -> int:
    return Repository.objects.values_list("generation", flat=True).get(pk=repository.pk)


def _rebuild(repository: Repository, matcher: Matcher) -> None:
    Mention.objects.filter(repository=repository).delete()
    Edge.objects.filter(source__repository=repository, origin__in=_OF_FILES).delete()
    Edge.objects.filter(target__repository=repository, origin=Origin.SEMANTIC).delete()
    PolicyCheck.objects.filter(repository=repository).update(rule_version=0)
    links = CodeLinks.objects.filter(pk=repository.pk).first()
    whole = FileRange(repository, 0, links.file_id if links else 0)
    read_files(whole, matcher)
    link_chunks(whole)
    check_policies(repository, matcher)


def _facts(repository: Repository) -> set[_Fact]:
    """Records, mentions and edges that follow from the repository's files, as values."""
    records = Document.objects.filter(node__repository=repository).exclude(source_path="")
    edges = Edge.objects.filter(source__repository=repository, origin__in=_OF_FILES)
    mentions = Mention.objects.filter(repository=repository)
    return {
        *records.values_list(
            "source_path", "public_id", "title", "status", "body", IsNull(F("archived_at"), True)
        ),
        *mentions.values_list("path", "qualified_name", "line", "key", "type"),
        *(
            (*edge, json.dumps(properties, sort_keys=True))
            for *edge, properties in edges.values_list(
                "source__path", "source__qualified_name", "type", "target", "properties"
            )
        ),
    }


def _weights(repository: Repository) -> dict[_Fact, float]:
    """Weight of each semantic edge to the repository's code that its document certainly keeps."""
    edges = Edge.objects.filter(target__repository=repository, origin=Origin.SEMANTIC)
    weights = {
        (document, path, name): weight
        for document, path, name, weight in edges.values_list(
            "source", "target__path", "target__qualified_name", "weight"
        )
        if weight is not None
    }
    least = _least_kept({document for document, _, _ in weights})
    return {key: weight for key, weight in weights.items() if weight > least[key[0]] + _ROUNDED}


def _least_kept(documents: set[int]) -> dict[int, float]:
    """Below which weight an edge of a document may be there or not."""
    kept: dict[int, list[float]] = {document: [] for document in documents}
    rows = Edge.objects.filter(source__in=documents, origin=Origin.SEMANTIC)
    for document, weight in rows.values_list("source", "weight"):
        kept[document].append(weight or 0.0)
    return {
        document: min(weights) if len(weights) >= SEMANTIC_LINKS else LINKED
        for document, weights in kept.items()
    }


def _differing_weights(before: dict[_Fact, float], after: dict[_Fact, float]) -> int:
    return sum(
        abs(before.get(key, 0.0) - after.get(key, 0.0)) > _ROUNDED
        for key in before.keys() | after.keys()
    )
