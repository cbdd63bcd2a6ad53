"""`related_to` edges by the real model: from new documents to code, and from new code to them."""

import pytest

from central.knowledge.models import Document, Edge
from central.knowledge.services.catch_up import KnowledgeGraph
from central.knowledge.services.semantic import SEMANTIC_LINKS
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import created, graph
from tests.central.knowledge.test_policies import NO_PANIC
from tests.central.plans import MODES, rows_handled, statements_sent
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db

AUTH = (
    "def authenticate(username, password):\n"
    '    """The authentication flow: check the user\'s password, then start a session."""\n'
    "    user = find_user(username)\n"
    "    if not verify_password(user, password):\n"
    "        raise AuthenticationError(username)\n"
    "    return start_session(user)\n"
)
FILES = {
    "auth/flow.py": AUTH,
    "billing/tax.py": "def vat(amount):\n    return round(amount * 0.19, 2)\n",
}
MEMORY = {
    "kind": "memory",
    "id": "mem-1",
    "title": "Authentication flow",
    "body": "The authentication flow checks the password of the user and then starts a session.",
}


@pytest.fixture
def api() -> Api:
    return api_of()


def related() -> list[tuple[str, str]]:
    edges = Edge.objects.filter(type="related_to").select_related("source__document", "target")
    return [(edge.source.document.public_id, edge.target.path) for edge in edges]


def test_automatic_semantic_link(api: Api) -> None:
    index_files(api, FILES)
    created(api, **MEMORY)
    KnowledgeGraph().follow()
    assert related() == [("mem-1", "auth/flow.py")]
    edge = Edge.objects.get(type="related_to")
    assert edge.weight is not None
    assert edge.cosine is not None
    assert edge.weight > 0.85 > edge.cosine


def test_memory_node_creation(api: Api) -> None:
    created(api, **MEMORY)
    KnowledgeGraph().follow()
    document = Document.objects.get()
    assert document.embedder == api.organization.embedder
    assert len(bytes(document.vector)) == 4 * 256


def test_new_code_is_linked_to_what_was_written_before(api: Api) -> None:
    created(api, **MEMORY)
    KnowledgeGraph().follow()
    index_files(api, FILES)
    assert related() == [("mem-1", "auth/flow.py")]
    index_files(api, FILES | {"auth/flow.py": "def nothing():\n    return None\n"})
    assert related() == []


def test_a_changed_document_is_linked_anew(api: Api) -> None:
    index_files(api, FILES)
    created(api, **MEMORY)
    KnowledgeGraph().follow()
    body = "Bananas are yellow."
    assert graph(api, "PATCH", "nodes/mem-1", {"title": "Fruit", "body": body}).status_code == 200
    KnowledgeGraph().follow()
    assert related() == []


def edges() -> set[tuple[str, str, str, float | None, float | None]]:
    found = Edge.objects.filter(type="related_to").select_related("source", "target")
    return {
        (one.source.key, one.target.path, one.target.qualified_name, one.weight, one.cosine)
        for one in found
    }


MORE = {
    "kind": "knowledge",
    "id": "ADR-7",
    "title": "Sessions start after the password is verified",
    "body": "Whoever has no session must authenticate: we find the user, verify the password and "
    "start a session. A wrong password is an AuthenticationError, for an unknown user too.",
}


def test_it_does_not_matter_what_was_there_first(api: Api) -> None:
    created(api, **MEMORY)
    created(api, **MORE)
    KnowledgeGraph().follow()
    index_files(api, FILES)
    code_last = edges()
    assert {one[0] for one in code_last} == {"adr-7", "mem-1"}
    Document.objects.update(linked_version=0)
    Edge.objects.all().delete()
    KnowledgeGraph().follow()
    assert edges() == code_last


def test_a_file_that_is_gone_is_not_related_to_anything(api: Api) -> None:
    index_files(api, FILES)
    created(api, **MEMORY)
    KnowledgeGraph().follow()
    assert related() == [("mem-1", "auth/flow.py")]
    index_files(api, {"billing/tax.py": FILES["billing/tax.py"]})
    assert related() == []


def test_what_the_limit_left_out_takes_the_place_of_what_is_gone(api: Api) -> None:
    many = {f"shop{n}/flow.py": AUTH for n in range(SEMANTIC_LINKS + 5)}
    index_files(api, many)
    created(api, **MEMORY)
    KnowledgeGraph().follow()
    linked = {path for _, path in related()}
    assert len(linked) == SEMANTIC_LINKS
    kept = {path: text for path, text in many.items() if path not in sorted(linked)[:5]}
    index_files(api, kept)
    assert {path for _, path in related()} == set(kept)


def test_a_policy_has_rules_and_no_resemblance(api: Api) -> None:
    index_files(api, FILES)
    created(api, **(NO_PANIC | {"title": MEMORY["title"], "body": MEMORY["body"]}))
    KnowledgeGraph().follow()
    assert related() == []


@pytest.mark.parametrize("mode", MODES)
def test_the_vector_of_each_chunk_is_looked_up_by_key_by_any_plan(api: Api, mode: str) -> None:
    """A first index is linked before autovacuum has looked: 21,000 chunks took 40 s."""
    created(api, **MEMORY)
    KnowledgeGraph().follow()
    files = {f"part_{n}.py": f"def part_{n}():\n    return {n}\n" for n in range(300)}
    with statements_sent() as sent:
        index_files(api, files)
    [first, *_] = [one for one in sent if "e.vector" in str(one.sql)]
    assert rows_handled(first, mode) < 10 * len(files)
