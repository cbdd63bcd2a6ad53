"""From ids to nodes, and to code that has no node yet.

What a credential does not see does not exist: an id finds visible nodes and visible code alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, F, OuterRef, QuerySet

from central.corpus.files import near_paths
from central.corpus.models import File, Symbol
from central.errors import ConflictError, InvalidError, NotFoundError
from central.knowledge.access import require_reader, visible_nodes
from central.knowledge.identifiers import (
    CodeId,
    DocumentId,
    MalformedIdError,
    code_key,
    format_code_id,
    format_document_id,
    parse_node_id,
)
from central.knowledge.models import CODE_KINDS, DOCUMENT_KINDS, Node, NodeKind
from central.repositories.models import Repository
from central.repositories.visibility import visible_repositories
from central.sentences import Sentence
from central.tenancy.credentials import Credential

MAX_CANDIDATES: Final = 20  # that an error lists
_NEAR: Final = 8
_ATTEMPTS: Final = 5
_NEAR_CHARACTERS: Final = 4  # of a name that is not there, which others may share


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A file or a definition in the corpus, or one that a node remembers. `blob` "": it is gone."""

    repository: Repository
    path: str
    qualified_name: str = ""
    blob: str = ""

    @property
    def id(self) -> str:
        return format_code_id(self.repository.name, self.path, self.qualified_name)

    @property
    def key(self) -> str:
        return code_key(self.path, self.qualified_name)


Target = Node | CodePlace


def node_id(node: Node) -> str:
    """The unambiguous id of a node; reads `repository` and `document`: select them along."""
    project = node.repository.name if node.repository else ""
    if node.kind in CODE_KINDS:
        return format_code_id(project, node.path, node.qualified_name)
    return format_document_id(node.document.public_id, project)


def find_targets(text: str, *, credential: Credential) -> list[Target]:
    """Everything that `text` may mean, at least one.

    Raises InvalidError (`invalid_node_id`), NotFoundError (`node_not_found` with `near`).
    """
    require_reader(credential)
    try:
        parsed = parse_node_id(text)
    except MalformedIdError as exc:
        raise InvalidError(str(exc), code="invalid_node_id") from exc
    if isinstance(parsed, DocumentId):
        return list(find_documents(parsed, credential=credential))
    return list(_find_code(parsed, credential))


def find_target(text: str, *, credential: Credential) -> Target:
    """The one thing that `text` means. Also raises ConflictError (`node_ambiguous`)."""
    return only(text, find_targets(text, credential=credential))


def only(text: str, targets: Sequence[Target]) -> Target:
    """The one of `targets`. Raises ConflictError (`node_ambiguous` with `candidates`)."""
    if len(targets) == 1:
        return targets[0]
    candidates = [
        node_id(target) if isinstance(target, Node) else target.id
        for target in targets[:MAX_CANDIDATES]
    ]
    raise ConflictError(
        f"{text} may mean {len(targets)} nodes: {', '.join(candidates)}. Name one of them.",
        code="node_ambiguous",
        candidates=candidates,
    )


def find_documents(parsed: DocumentId, *, credential: Credential) -> list[Node]:
    """Visible documents of that id: the organisation's own, else those of projects.

    Raises NotFoundError (`node_not_found` with `near`).
    """
    documents = (
        visible_nodes(credential=credential)
        .filter(kind__in=DOCUMENT_KINDS)
        .select_related("repository", "document", "document__policy")
    )
    found = documents.filter(key=parsed.key)
    if parsed.project:
        found = found.filter(repository__name=parsed.project)
    nodes = list(
        found.order_by(F("repository__name").asc(nulls_first=True), "pk")[: MAX_CANDIDATES + 1]
    )
    if nodes:
        return [node for node in nodes if node.repository is None] or nodes
    near = documents.filter(key__startswith=parsed.key[:3]).order_by("key", "pk")[:_NEAR]
    raise node_not_found(
        format_document_id(parsed.public_id, parsed.project), list(map(node_id, near))
    )


def node_not_found(text: str, near: Sequence[str] = ()) -> NotFoundError:
    advice = (
        Sentence.of("near_names", "Check its spelling; near lists names that are alike.")
        if near
        else Sentence.of("nodes_are_listed", "GET /api/v1/graph/nodes lists nodes.")
    )
    code = "node_not_found"
    fact = Sentence.of(code, "There is no node {text}.", text=text)
    return NotFoundError(Sentence.joined([fact, advice]), code=code, near=list(near))


def node_of(place: CodePlace) -> Node:
    """The node of a place, made if there is none. Needs a transaction, in which it is kept."""
    for _ in range(_ATTEMPTS):
        key = nodes_of([place]).get(place.key)
        if key is not None and (node := lock_node(key)):
            return node
    raise RuntimeError(f"the node of {place.id} is deleted again and again")


def lock_node(key: int) -> Node | None:
    """The node, locked against deletion until the transaction ends; None if it is gone."""
    nodes = Node.objects.select_for_update(no_key=True, of=("self",))
    return nodes.select_related("repository", "document").filter(pk=key).first()


def nodes_of(places: Sequence[CodePlace]) -> dict[str, int]:
    """Keys of the nodes of one repository's places by `CodePlace.key`, made if there is none.

    Needs a transaction.
    """
    if not places:
        return {}
    repository = places[0].repository
    missing = {place.key: place for place in places}
    known = Node.objects.filter(repository=repository, key__in=list(missing))
    found = dict(known.values_list("key", "pk"))
    Node.objects.bulk_create(
        (new_node(place) for key, place in missing.items() if key not in found),
        ignore_conflicts=True,
    )
    return dict(known.values_list("key", "pk")) if len(found) < len(missing) else found


def new_node(place: CodePlace) -> Node:
    """The node of a place, not stored."""
    return Node(
        organization_id=place.repository.organization_id,
        repository=place.repository,
        kind=NodeKind.CODE_SYMBOL if place.qualified_name else NodeKind.CODE_FILE,
        key=place.key,
        path=place.path,
        qualified_name=place.qualified_name,
        blob=place.blob,
    )


def _find_code(parsed: CodeId, credential: Credential) -> list[CodePlace]:
    visible = visible_repositories(credential=credential)
    splits = [(parsed.path, parsed)]
    if parsed.whole != parsed.path:  # a path with a "#" of its own
        splits.insert(0, (parsed.whole, CodeId(parsed.whole, parsed.whole)))
    for path, asked in splits:
        project, _, inner = path.partition("/")
        if inner and (places := _places(visible.filter(name=project), inner, asked, credential)):
            return places
    for path, asked in splits:
        if places := _places(visible, path, asked, credential):
            return places
    raise node_not_found(f"code:{parsed.whole}", _near_code(visible, parsed))


def _places(
    repositories: QuerySet[Repository], path: str, asked: CodeId, credential: Credential
) -> list[CodePlace]:
    files = (
        File.objects.filter(repository__in=repositories, path=path)
        .select_related("repository")
        .defer("content")
        .order_by("repository__name")[: MAX_CANDIDATES + 1]
    )
    places = [place for file in files if (place := _place_in(file, asked))]
    if not places and not asked.qualified_name and not asked.lines:
        places = _directories(repositories, path.rstrip("/"))
    if places or asked.lines:
        return places
    remembered = visible_nodes(credential=credential).filter(
        repository__in=repositories, key=code_key(path, asked.qualified_name)
    )
    return [
        CodePlace(node.repository, node.path, node.qualified_name)
        for node in remembered.select_related("repository")
        if node.repository
    ]


def _directories(repositories: QuerySet[Repository], path: str) -> list[CodePlace]:
    """Repositories in which `path` is a directory, which edges such as `migrated_to` may be of."""
    below = File.objects.filter(repository=OuterRef("pk"), path__startswith=f"{path}/")
    found = repositories.filter(Exists(below)).order_by("name")[: MAX_CANDIDATES + 1]
    return [CodePlace(repository, path) for repository in found]


def _place_in(file: File, asked: CodeId) -> CodePlace | None:
    symbols = Symbol.objects.filter(file=file)
    if asked.lines:
        first, last = asked.lines
        name = (
            symbols.filter(start_line__lte=first, end_line__gte=last)
            .order_by("-start_line", "end_line")
            .values_list("qualified_name", flat=True)
            .first()
        )
        return CodePlace(file.repository, file.path, name or "", file.blob)
    if asked.qualified_name and not symbols.filter(qualified_name=asked.qualified_name).exists():
        return None
    return CodePlace(file.repository, file.path, asked.qualified_name, file.blob)


def _near_code(visible: QuerySet[Repository], parsed: CodeId) -> list[str]:
    """Definitions of a like name in the file if it exists, else files near it."""
    project, _, path = parsed.path.partition("/")
    repository = visible.filter(name=project).first()
    if repository is None or not path:
        return []
    if not File.objects.filter(repository=repository, path=path).exists():
        return [format_code_id(project, near) for near in near_paths(repository.pk, path)]
    last = parsed.qualified_name.rpartition(".")[2]
    names = Symbol.objects.filter(
        file__repository=repository, file__path=path, name__icontains=last[:_NEAR_CHARACTERS]
    ).values_list("qualified_name", flat=True)
    return [
        format_code_id(project, path, name) for name in names.order_by("qualified_name")[:_NEAR]
    ]
