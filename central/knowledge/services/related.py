"""What resembles a node, by meaning and by words: from documents to code and back.

Code is found by the search, documents by comparing all that are visible: there are thousands of
them at most, not millions.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import log
from typing import Annotated, Final

import numpy as np
from django.db.models.functions import Left

from aeterna_code_search.contract.knowledge import RelatedRequest
from aeterna_code_search.contract.search import Mode, SearchRequest
from central.corpus.embeddings import unpack_vector
from central.corpus.models import File, Symbol
from central.knowledge.access import visible_nodes
from central.knowledge.answers import GraphReceipt, NodeView, node_views
from central.knowledge.calibration import weight_of
from central.knowledge.models import Node, NodeKind
from central.knowledge.resemblance import CodeWords, code_words, resemblance, words_of
from central.knowledge.resolution import CodePlace, Target, find_target
from central.knowledge.scope import GraphScope
from central.knowledge.services.questions import code_views, id_of
from central.repositories.models import Repository
from central.search.query_preparation import query_vectors
from central.search.service import search
from central.tenancy.credentials import Credential
from indexer.errors import EmbeddingError
from indexer.lexical import tokenize
from indexer.records.vectors import EmbedderSpec, Vector

DOCUMENTS_COMPARED: Final = 10_000
RELATED_CHARACTERS: Final = 4_000  # of a node, used as the query
CODE: Final = "code"
_KINDS_SOUGHT: Final[Mapping[str, Sequence[str]]] = {
    NodeKind.KNOWLEDGE: (NodeKind.KNOWLEDGE, NodeKind.POLICY),  # others: the kind itself
}
_HINTS: Final = {
    CODE: "Nothing in the index resembles this node.",
    NodeKind.KNOWLEDGE: "No visible decision or policy resembles this node.",
    NodeKind.POLICY: "No visible policy resembles this node.",
    NodeKind.MEMORY: "No visible memory resembles this node.",
}
_RECIPROCAL: Final = 60  # of reciprocal rank fusion (Cormack et al., 2009)
_MAX_TERMS: Final = 200  # of a text, the rarest
_NEAREST: Final = 200  # documents of which the words are compared


@dataclass(frozen=True, slots=True)
class RelatedNode:
    """A node that resembles another."""

    node: NodeView
    score: Annotated[float, "Comparable within the answer"]
    similarity: Annotated[float | None, "Calibrated, 0.0-1.0"]
    start_line: int | None = None
    end_line: int | None = None
    content: str = ""


@dataclass(frozen=True, slots=True)
class RelatedAnswer:
    """Most related first."""

    id: str
    target_type: str
    count: int
    related: list[RelatedNode]
    receipt: GraphReceipt
    hint: str | None


def related(*, credential: Credential, request: RelatedRequest) -> RelatedAnswer:
    """Nodes of a type that resemble the one that `id` names.

    `target_type` is code or a kind of document; knowledge includes policies. Raises what
    `find_target` raises, StoreError.
    """
    target_type, limit = request.target_type, request.limit
    scope = GraphScope(credential)
    target = find_target(request.id, credential=credential)
    asked = text_of(target)
    if target_type == CODE:
        found = _related_code(asked, target, scope, limit)
    else:
        kinds = _KINDS_SOUGHT.get(target_type, (target_type,))
        found = related_documents(target, scope, kinds=kinds, limit=limit)
    return RelatedAnswer(
        id=id_of(target),
        target_type=target_type,
        count=len(found),
        related=found,
        receipt=scope.receipt(
            [item.id for item in scope.snapshots.values() if item.generation]
            if target_type == CODE
            else []
        ),
        hint=None if found else _HINTS[target_type],
    )


def text_of(target: Target) -> str:
    """What a node says: title and body, or the code's own text, cut."""
    if isinstance(target, Node):
        return f"{target.document.title}\n{target.document.body}"[:RELATED_CHARACTERS]
    files = File.objects.filter(repository=target.repository, path=target.path)
    content = files.values_list("content", flat=True).first() or ""
    if target.qualified_name:
        symbols = Symbol.objects.filter(file__in=files, qualified_name=target.qualified_name)
        if lines := symbols.values_list("start_line", "end_line").first():
            content = "\n".join(content.split("\n")[lines[0] - 1 : lines[1]])
    return f"{target.path} {target.qualified_name}\n{content}"[:RELATED_CHARACTERS]


def related_documents(
    target: Target, scope: GraphScope, *, kinds: Sequence[str], limit: int
) -> list[RelatedNode]:
    """Visible documents by reciprocal rank of cosine and of rare words in common.

    Words are compared with the nearest by cosine, or with all where there is none.
    """
    asked = text_of(target)
    nodes = visible_nodes(credential=scope.credential).filter(
        kind__in=kinds, document__archived_at=None
    )
    if isinstance(target, Node):
        nodes = nodes.exclude(pk=target.pk)
    rows = nodes.order_by("pk").values_list("pk", "document__embedder", "document__vector")
    vectors = list(rows[:DOCUMENTS_COMPARED])
    if not vectors:
        return []
    embedder = scope.credential.organization.embedder
    cosines = _cosines(asked, vectors, embedder, scope.credential.organization.slug)
    keys = [key for key, *_ in vectors]
    if cosines:  # what is not embedded yet may be near
        keys = nlargest(_NEAREST, keys, key=lambda key: cosines.get(key, 1.0))
    compared = nodes.filter(pk__in=keys)
    read = compared.select_related("repository", "document__policy")
    documents = read.defer("document__vector", "document__body").in_bulk()
    body = Left("document__body", RELATED_CHARACTERS)
    texts = {
        key: f"{title}\n{text}"
        for key, title, text in compared.values_list("pk", "document__title", body)
        if key in documents  # it may be made, or deleted, meanwhile
    }
    cosines = {key: cosines[key] for key in texts if key in cosines}
    words = _shared_words(asked, {key: set(tokenize(text)) for key, text in texts.items()})
    scores: Counter[int] = Counter()
    for ranking in (cosines, words):
        ordered = sorted(ranking, key=lambda key: (-ranking[key], key))
        for rank, key in enumerate(ordered, start=1):
            if ranking[key] > 0:
                scores[key] += 2 / (_RECIPROCAL + rank)  # type: ignore[assignment] # a float
    best = [key for key, _ in scores.most_common(limit)]
    views = node_views([documents[key] for key in best], scope.snapshots)
    highest = 4 / (_RECIPROCAL + 1)
    said = _said_by(target, asked)
    return [
        RelatedNode(
            node=view,
            score=round(scores[key] / highest, 4),
            similarity=_similarity(cosines[key], words_of(texts[key]), said, embedder)
            if key in cosines
            else None,
        )
        for key, view in zip(best, views, strict=True)
    ]


def _related_code(asked: str, target: Target, scope: GraphScope, limit: int) -> list[RelatedNode]:
    answer = search(
        credential=scope.credential,
        request=SearchRequest(queries=(asked,), limit=limit + 5, mode=Mode.HYBRID),
    )
    own = target if isinstance(target, CodePlace) else None
    prose = words_of(asked)
    names = {item.name: item.id for item in scope.snapshots.values()}
    repositories = Repository.objects.in_bulk([names[result.project] for result in answer.results])
    found = []
    for result in answer.results:
        repository = repositories[names[result.project]]
        if own and (own.repository.pk, own.path) == (repository.pk, result.file):
            continue
        name = (
            f"{result.container}.{result.name}" if result.container and result.name else result.name
        )
        (view,) = code_views([CodePlace(repository, result.file, name)], scope)
        if view.missing:
            (view,) = code_views([CodePlace(repository, result.file)], scope)
        similarity = None
        if result.similarity is not None:
            place = {"path": result.file, "container": result.container, "name": result.name}
            said = code_words(**place, text=result.content)
            embedder = scope.snapshots[repository.pk].embedder
            similarity = _similarity(result.similarity, prose, said, embedder)
        lines = result.start_line, result.end_line
        found.append(RelatedNode(view, result.score, similarity, *lines, result.content))
    return found[:limit]


def _said_by(target: Target, asked: str) -> CodeWords:
    """A document is compared with documents as if it were code without names."""
    if isinstance(target, Node):
        return CodeWords(words_of(asked), frozenset(), is_test=False)
    return code_words(path=target.path, container="", name=target.qualified_name, text=asked)


def _similarity(cosine: float, prose: frozenset[str], said: CodeWords, embedder: str) -> float:
    return round(weight_of(resemblance(cosine, prose, said), embedder=embedder), 4)


def _cosines(
    asked: str,
    rows: Sequence[tuple[int, str, bytes | memoryview]],
    embedder: str,
    organization: str,
) -> dict[int, float]:
    """Cosine with each document that has a vector of the embedder; none if it is unavailable.

    `rows`: key, embedder and packed vector.
    """
    vectors = {key: bytes(data) for key, name, data in rows if name == embedder and data}
    if not vectors:
        return {}
    try:
        (query,) = query_vectors(EmbedderSpec.parse(embedder), [asked], organization=organization)
    except EmbeddingError:
        return {}
    matrix = np.stack([unpack_vector(data) for data in vectors.values()])
    return dict(zip(vectors, map(float, matrix @ _unit(query)), strict=True))


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


def _shared_words(asked: str, documents: Mapping[int, set[str]]) -> dict[int, float]:
    """Sum of the inverse document frequencies of the words in common."""
    frequency = Counter(word for words in documents.values() for word in words)
    wanted = sorted(set(tokenize(asked)) & frequency.keys(), key=lambda word: frequency[word])
    total = len(documents)
    weights = {word: log(1 + total / frequency[word]) for word in wanted[:_MAX_TERMS]}
    return {
        key: sum(weights[word] for word in words & weights.keys())
        for key, words in documents.items()
    }
