"""Records of the graph's answers, and how the schema describes them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Final

from aeterna_code_search.contract.projects import MISSING_MORE, AnsweringProject, MissingProject
from central.corpus.models import File, Symbol
from central.db import fetch_rows, id_array, sql_with
from central.knowledge.models import CODE_KINDS, Node, NodeKind
from central.knowledge.resolution import CodePlace, node_id
from central.repositories.visibility import RepositorySnapshot


@dataclass(frozen=True, slots=True)
class NotRun:
    """Why a policy is not run in projects."""

    reason: str
    projects: list[str]


@dataclass(frozen=True, slots=True)
class PolicyView:
    """The rule of a policy."""

    rule: str
    language: str
    include: list[str]
    exclude: list[str]
    severity: str
    message: str
    not_run: Annotated[
        list[NotRun], "Why it is not run somewhere; empty in lists and traversals"
    ] = field(default_factory=list)


_OF_POLICY: Final = ("rule", "language", "include", "exclude", "severity", "message")


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node."""

    id: str
    kind: Annotated[str, NodeKind]
    project: str | None
    title: str
    body: Annotated[str, "Markdown; empty in lists and traversals"] = ""
    status: str = ""
    properties: Mapping[str, Any] = field(default_factory=dict)
    author: str = ""
    version: Annotated[int | None, "A document's entity tag"] = None
    archived: Annotated[bool, "The file that it came from is gone"] = False
    created_at: datetime | None = None
    updated_at: datetime | None = None
    policy: PolicyView | None = None
    path: str | None = None
    qualified_name: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    commit: str | None = None
    missing: Annotated[bool, "The index does not hold this code any more"] = False
    url: str | None = None


@dataclass(frozen=True, slots=True)
class EdgeView:
    """An edge between two nodes."""

    source: Annotated[str, "A node's id"]
    target: Annotated[str, "A node's id"]
    type: str
    origin: Annotated[str, "explicit, text, policy or semantic"]
    weight: Annotated[float | None, "0.0-1.0"]
    cosine: Annotated[float | None, "Of the embeddings, as measured"]
    properties: Mapping[str, Any]
    author: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class GraphReceipt:
    """Which commits answered, and what the answer may lack."""

    complete: bool
    took_ms: float
    projects: list[AnsweringProject]
    missing: list[MissingProject]
    missing_more: Annotated[int, MISSING_MORE]


Lines = Mapping[tuple[int, str, str], tuple[int, int]]


def document_view(node: Node, *, with_body: bool) -> NodeView:
    """A document; reads `repository`, `document` and `document.policy`."""
    document = node.document
    policy = getattr(document, "policy", None)
    return NodeView(
        id=node_id(node),
        kind=node.kind,
        project=node.repository.name if node.repository else None,
        title=document.title,
        body=document.body if with_body else "",
        status=document.status,
        properties=document.properties,
        author=document.author,
        version=document.version,
        archived=document.archived_at is not None,
        created_at=document.created_at,
        updated_at=document.updated_at,
        policy=policy and PolicyView(**{name: getattr(policy, name) for name in _OF_POLICY}),
        path=document.source_path or None,
    )


def code_view(place: CodePlace, snapshot: RepositorySnapshot, lines: Lines) -> NodeView:
    """A file or a definition as it is indexed now."""
    found = lines.get((snapshot.id, place.path, place.qualified_name))
    first, last = found or (None, None)
    return NodeView(
        id=place.id,
        kind=NodeKind.CODE_SYMBOL if place.qualified_name else NodeKind.CODE_FILE,
        project=snapshot.name,
        title=place.qualified_name or place.path,
        path=place.path,
        qualified_name=place.qualified_name or None,
        start_line=first or None,
        end_line=last or None,
        commit=snapshot.commit,
        missing=found is None,
        url=snapshot.url(place.path, first or 1, last or None),
    )


def node_views(
    nodes: Iterable[Node], snapshots: Mapping[int, RepositorySnapshot], *, with_body: bool = False
) -> list[NodeView]:
    """Views in the same order; reads `repository` and `document`. Three queries at most."""
    nodes = list(nodes)
    places = {node.pk: place_of(node) for node in nodes if node.kind in CODE_KINDS}
    lines = code_lines(places.values())
    return [
        code_view(places[node.pk], snapshots[node.repository_id], lines)
        if node.pk in places and node.repository_id
        else document_view(node, with_body=with_body)
        for node in nodes
    ]


def place_of(node: Node) -> CodePlace:
    """What a code node names; reads `repository`."""
    if node.repository is None:
        raise ValueError(f"node {node.pk} is of no repository")
    return CodePlace(node.repository, node.path, node.qualified_name, node.blob)


def code_lines(places: Iterable[CodePlace]) -> dict[tuple[int, str, str], tuple[int, int]]:
    """(repository, path, qualified name) → first and last line, (0, 0) of a whole file.

    What the index does not hold is not in it.
    """
    wanted = {
        (code_place.repository.pk, code_place.path, code_place.qualified_name)
        for code_place in places
    }
    repositories = {repository for repository, _, _ in wanted}
    paths = {path for _, path, _ in wanted}
    files = {
        key: (repository, path)
        for key, repository, path in File.objects.filter(
            repository__in=repositories, path__in=paths
        ).values_list("pk", "repository_id", "path")
    }
    found = {(*place, ""): (0, 0) for place in files.values()}
    names = {name for _, _, name in wanted if name}
    if names:
        symbols = Symbol.objects.filter(file__in=files, qualified_name__in=names)
        columns = ("file_id", "qualified_name", "start_line", "end_line")
        for file, name, first, last in symbols.order_by("-start_line").values_list(*columns):
            found[(*files[file], name)] = (first, last)
    known = set(files.values())
    others = [place for place in wanted if not place[2] and place[:2] not in known]
    found |= {(*place, ""): (0, 0) for place in _directories(others)}
    return {key: value for key, value in found.items() if key in wanted}


_sql = sql_with(file=File)
# In the order of bytes "/" is followed by "0": the range of file_path_begins.
_DIRECTORIES: Final = _sql("""SELECT p.repository, p.path
        FROM unnest(%s::bigint[], %s::text[]) AS p (repository, path)
        WHERE EXISTS (SELECT 1 FROM {file} f WHERE f.repository_id = p.repository
            AND f.path ~>=~ (p.path || '/') AND f.path ~<~ (p.path || '0'))""")


def _directories(places: Sequence[tuple[int, str, str]]) -> list[tuple[int, str]]:
    """Those of (repository, path, …) that have files below them. One query."""
    if not places:
        return []
    asked = [id_array(place[0] for place in places), [place[1] for place in places]]
    return [(repository, path) for repository, path in fetch_rows(_DIRECTORIES, asked)]
