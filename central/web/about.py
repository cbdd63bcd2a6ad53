"""The section "Decisions, policies and memories" of the pages of files and symbols."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from central.knowledge.answers import GraphReceipt
from central.knowledge.services.about import (
    ApplicablePolicy,
    LinkedDocument,
    documents_about,
    has_documents,
)
from central.tenancy.credentials import Credential
from central.web.knowledge_drawing import KIND_WORDS, match_lines
from central.web.urls_for import file_url, node_url

_PLACES: Final = 20  # definitions of one name
_SHOWN: Final = 10  # of documents, and of policies
_MATCHES: Final = 5


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A decision or a memory; `why` says how it is linked."""

    document: LinkedDocument
    kind: str
    url: str
    why: str


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """A policy that holds here; `matches` are (words, address) of the lines that violate it."""

    policy: ApplicablePolicy
    url: str
    matches: list[tuple[str, str]]
    more: int


@dataclass(frozen=True, slots=True)
class About:
    """What was written about code. `links_url` leads to all that is linked to it."""

    documents: list[DocumentRow]
    policies: list[PolicyRow]
    more: int
    links_url: str
    receipt: GraphReceipt


def about(credential: Credential, places: Sequence[tuple[str, str, str]]) -> About | None:
    """Return what is linked to the first places: (project, path, qualified name or "").

    None if the credential sees no document: one query, else nine.
    """
    if not places or not has_documents(credential=credential):
        return None
    organization = credential.organization.slug
    answer = documents_about(credential=credential, places=places[:_PLACES])
    documents, policies = answer.knowledge.documents, answer.knowledge.policies
    project, path, name = places[0]
    page = (
        file_url(organization, project, path) if len({place[:2] for place in places}) == 1 else ""
    )
    fragment = f"#{name}" if name else ""
    return About(
        documents=[_document(document, organization) for document in documents[:_SHOWN]],
        policies=[_policy(policy, organization, page) for policy in policies[:_SHOWN]],
        more=len(documents[_SHOWN:]) + len(policies[_SHOWN:]),
        links_url=node_url(organization, f"code:{project}/{path}{fragment}"),
        receipt=answer.receipt,
    )


def _document(document: LinkedDocument, organization: str) -> DocumentRow:
    return DocumentRow(
        document,
        KIND_WORDS[document.node.kind],
        node_url(organization, document.node.id),
        ", ".join(document.why).replace("_", " "),
    )


def _policy(policy: ApplicablePolicy, organization: str, page: str) -> PolicyRow:
    """`page` is the file's; "" where lines may be of several."""
    matches = match_lines({"matches": policy.matches})
    return PolicyRow(
        policy,
        node_url(organization, policy.node.id),
        [(words, f"{page}#L{line}" if page else "") for words, line, _ in matches[:_MATCHES]],
        len(matches[_MATCHES:]),
    )
