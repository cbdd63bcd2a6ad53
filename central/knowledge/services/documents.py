"""Writing documents: ADRs and guides, policies, memories. Each write is in the audit log.

Semantic links and policy checks follow in the background: `catch_up` finds what has changed.
"""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import IntegrityError, transaction

from central.background import GRAPH
from central.errors import ConflictError, InvalidError, PreconditionError
from central.knowledge.access import require_writer
from central.knowledge.identifiers import (
    DocumentId,
    MalformedIdError,
    document_key,
    format_document_id,
    parse_node_id,
)
from central.knowledge.models import Document, Node, NodeKind, Policy
from central.knowledge.resolution import find_target, node_id, node_not_found
from central.knowledge.rules import validate_rule
from central.repositories.listing import visible_repository
from central.repositories.models import Repository
from central.tenancy.audit import credential_actor, record
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from indexer.limits import NODE_BODY_BYTES

NODE_PROPERTIES_BYTES: Final = 16_384
NODE_PROPERTIES_DEPTH: Final = 20
POLICIES: Final = 200  # of an organisation
_PREFIXES: Final = {NodeKind.KNOWLEDGE: "doc", NodeKind.POLICY: "POL", NodeKind.MEMORY: "mem"}
_OF_POLICY: Final = frozenset({"rule", "language", "include", "exclude", "severity", "message"})
_OF_DOCUMENT: Final = frozenset({"title", "body", "status", "properties", "author"})


@dataclass(frozen=True, slots=True)
class NewDocument:
    """What a client asks to be stored. `public_id` "": one is made. `policy` of policies alone."""

    kind: NodeKind
    title: str
    body: str = ""
    public_id: str = ""
    project: str | None = None
    status: str = ""
    properties: Mapping[str, Any] = field(default_factory=dict)
    author: str = ""
    policy: Mapping[str, Any] | None = None


@transaction.atomic
def create_document(*, credential: Credential, new: NewDocument) -> Node:
    """Store a document.

    Raises ForbiddenError, NotFoundError (`repository_not_found`), InvalidError
    (`invalid_node_id`, `invalid_rule`, `body_too_large`), ConflictError (`node_exists`,
    `too_many_policies`), UnavailableError (`too_busy`).
    """
    require_writer(credential, project=new.project)
    repository = new.project and visible_repository(credential=credential, project=new.project)
    _require_size(new.body, new.properties)
    public_id = new.public_id or f"{_PREFIXES[new.kind]}-{secrets.randbelow(10**12)}"
    require_document_id(public_id)
    policy = _new_policy(new)  # takes its time before anything is locked
    if policy:
        require_room_for_policy(credential.organization)
    node = _insert_node(credential, new.kind, public_id, repository or None)
    document = Document.objects.create(
        node=node,
        public_id=public_id,
        title=new.title,
        body=new.body,
        status=new.status,
        properties=dict(new.properties),
        author=new.author,
    )
    if policy:
        policy.document = document
        policy.save()
    _note(credential, node, "created", {"kind": new.kind, "title": new.title})
    return node


@transaction.atomic
def update_document(
    *, credential: Credential, text: str, changes: Mapping[str, Any], version: int | None
) -> Node:
    """Change members of a document and count its version up.

    `changes` has members of Document and of Policy; what is not in it stays. `version` None:
    whatever it is. Raises as `create_document` and `find_target`, PreconditionError
    (`version_conflict` with `version`), ConflictError (`node_from_file`).
    """
    node = _locked(credential, text, version)
    document = node.document
    values = {name: value for name, value in changes.items() if name in _OF_DOCUMENT}
    rule = {name: value for name, value in changes.items() if name in _OF_POLICY}
    if rule and node.kind != NodeKind.POLICY:
        raise InvalidError(f"{text} is no policy; leave out {', '.join(sorted(rule))}.")
    for name, value in values.items():
        setattr(document, name, value)
    _require_size(document.body, document.properties)
    document.version += 1
    document.save()
    if rule:
        _change_policy(Policy.objects.get(pk=document.pk), rule)
    _note(credential, node, "changed", {"members": sorted([*values, *rule])})
    return node


@transaction.atomic
def delete_document(*, credential: Credential, text: str, version: int | None) -> None:
    """Delete a document with its edges. Raises as `update_document`."""
    node = _locked(credential, text, version)
    _note(credential, node, "deleted", {"kind": node.kind, "title": node.document.title})
    remove_node(node)


def remove_node(node: Node) -> None:
    """Delete a document's node with its edges. Needs a transaction.

    What was linked to it may now mean another document of the same id, which is linked again.
    """
    Node.objects.select_for_update().filter(pk=node.pk).first()  # waits for who links it
    node.delete()
    same = Document.objects.filter(node__organization=node.organization_id, node__key=node.key)
    same.update(linked_version=0)


def _locked(credential: Credential, text: str, version: int | None) -> Node:
    """The document that `text` names, its row locked until the transaction ends."""
    target = find_target(text, credential=credential)
    if not isinstance(target, Node):
        raise InvalidError(
            f"{text} is code, which the index describes; only documents are written.",
            code="node_is_code",
        )
    project = target.repository.name if target.repository else None
    require_writer(credential, project=project)
    document = Document.objects.select_for_update(no_key=True).filter(pk=target.pk).first()
    if document is None:
        raise node_not_found(text)
    if document.source_path:
        raise ConflictError(
            f"{node_id(target)} comes from {document.source_path} of its repository. Change it "
            "there; the next index brings it here.",
            code="node_from_file",
        )
    if version is not None and version != document.version:
        raise PreconditionError(
            f"{node_id(target)} was changed since it was read. Read it again, and send its new "
            "entity tag in If-Match.",
            code="version_conflict",
            version=document.version,
        )
    target.document = document
    return target


def require_room_for_policy(organization: Organization) -> None:
    """Raise ConflictError if there are POLICIES already. Creations are in line until it commits."""
    Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
    if Node.objects.filter(organization=organization, kind=NodeKind.POLICY).count() >= POLICIES:
        raise ConflictError(
            f"An organisation has at most {POLICIES} policies. Delete one, or put its rule into "
            "another one with `any`.",
            code="too_many_policies",
        )


def _insert_node(
    credential: Credential, kind: NodeKind, public_id: str, repository: Repository | None
) -> Node:
    try:
        with transaction.atomic():
            return Node.objects.create(
                organization=credential.organization,
                repository=repository,
                kind=kind,
                key=document_key(public_id),
            )
    except IntegrityError as exc:
        name = format_document_id(public_id, repository.name if repository else "")
        raise ConflictError(
            f"There is a node {name} already. Change it with PATCH, or choose another id.",
            code="node_exists",
        ) from exc


def _new_policy(new: NewDocument) -> Policy | None:
    """Return the rule of a new policy, validated and not stored."""
    if new.kind != NodeKind.POLICY:
        if new.policy:
            raise InvalidError("Only a node of kind 'policy' has a rule.", code="invalid_rule")
        return None
    if not new.policy:
        raise InvalidError("A policy needs a rule and a language.", code="invalid_rule")
    policy = Policy(**new.policy)
    validate_rule(policy.rule, language=policy.language)
    return policy


def _change_policy(policy: Policy, members: Mapping[str, Any]) -> None:
    """Store the rule, validated if it is changed; what is not in `members` stays as it is."""
    before = (policy.rule, policy.language), (list(policy.include), list(policy.exclude))
    for name, value in members.items():
        setattr(policy, name, value)
    rule = policy.rule, policy.language
    if rule != before[0]:
        validate_rule(policy.rule, language=policy.language)
    if (rule, (policy.include, policy.exclude)) != before:
        policy.rule_version += 1
    policy.save()


def require_document_id(public_id: str) -> None:
    """Raise InvalidError (`invalid_node_id`) unless a document may be called so."""
    try:
        parsed = parse_node_id(public_id)
    except MalformedIdError as exc:
        raise InvalidError(str(exc), code="invalid_node_id") from exc
    if not isinstance(parsed, DocumentId) or parsed.project:
        raise InvalidError(
            "Give the id without its project, such as ADR-042, and the project as 'project'.",
            code="invalid_node_id",
        )


def _require_size(body: str, properties: Mapping[str, Any]) -> None:
    if len(body.encode()) > NODE_BODY_BYTES:
        raise InvalidError(
            f"A body has at most {NODE_BODY_BYTES:,} bytes. Split the document, or link to it.",
            code="body_too_large",
        )
    require_properties(properties)


def require_properties(properties: Mapping[str, Any]) -> None:
    """Raise InvalidError (`properties_too_large`, `invalid`) unless they can be stored.

    They are any JSON within bounds.
    """
    if _depth(properties) > NODE_PROPERTIES_DEPTH:
        raise InvalidError(f"Properties are at most {NODE_PROPERTIES_DEPTH} levels deep.")
    text = json.dumps(properties)
    if len(text.encode()) > NODE_PROPERTIES_BYTES:
        raise InvalidError(
            f"Properties have at most {NODE_PROPERTIES_BYTES:,} bytes as JSON.",
            code="properties_too_large",
        )
    if "\\u0000" in text:  # PostgreSQL stores none
        raise InvalidError("Properties hold a NUL character, which cannot be stored. Remove it.")


def _depth(value: object) -> int:
    """Levels of objects and lists; read without recursion, since the depth is what is in doubt."""
    depth, level = 0, [value]
    while level := [container for container in level if isinstance(container, dict | list)]:
        depth += 1
        if depth > NODE_PROPERTIES_DEPTH:
            break
        level = [
            inner for part in level for inner in (part.values() if isinstance(part, dict) else part)
        ]
    return depth


def _note(credential: Credential, node: Node, verb: str, detail: Mapping[str, Any]) -> None:
    record(
        actor=credential_actor(credential),
        action=f"node.{verb}",
        target=node_id(node),
        organization=credential.organization,
        detail=detail,
    )
    transaction.on_commit(GRAPH.wake)
