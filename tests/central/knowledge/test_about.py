"""What was written about code: which links and violations concern a file or a definition."""

import pytest

from central.corpus.models import File
from central.knowledge.services.about import CodeSubject, documents_about, has_documents
from central.tenancy.credentials import Credential, credential_of_member
from tests.central.factories import MembershipFactory
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import created, linked
from tests.central.knowledge.test_policies import NO_PANIC
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db

PATH = "src/auth/pool.py"
POOL = """\
class Pool:
    def take(self):
        return self.idle.pop()

    def give(self, one):
        self.idle.append(one)


def poolside():
    return None
"""
PLACES = {
    "mem-1": "code:shop/src",
    "mem-2": f"code:shop/{PATH}",
    "mem-3": f"code:shop/{PATH}#Pool",
    "mem-4": f"code:shop/{PATH}#Pool.take",
    "mem-5": f"code:shop/{PATH}#poolside",
    "mem-6": "code:shop/other",
}


@pytest.fixture
def api() -> Api:
    return api_of()


@pytest.fixture
def credential(api: Api) -> Credential:
    user = MembershipFactory.create(organization=api.organization).user
    return credential_of_member(user=user, slug=api.organization.slug)


def test_links_above_and_inside_concern_a_place(
    api: Api, credential: Credential, subtests: pytest.Subtests
) -> None:
    index_files(api, {PATH: POOL, "other/pool.py": "x = 1\n"})
    for memory, place in PLACES.items():
        created(api, kind="memory", id=memory, title=memory)
        linked(api, memory, "derived_from", place)
    for name, expected in (
        ("", {"mem-1", "mem-2", "mem-3", "mem-4", "mem-5"}),
        ("Pool", {"mem-1", "mem-2", "mem-3", "mem-4"}),
        ("Pool.take", {"mem-1", "mem-2", "mem-3", "mem-4"}),
        ("Pool.give", {"mem-1", "mem-2", "mem-3"}),
        ("poolside", {"mem-1", "mem-2", "mem-5"}),
    ):
        with subtests.test(name):
            answer = documents_about(credential=credential, places=[("shop", PATH, name)])
            assert {document.node.id for document in answer.knowledge.documents} == expected


def test_a_violation_counts_where_it_stands(api: Api, credential: Credential) -> None:
    code = 'fn calm() {}\nfn start() {\n    panic!("now");\n}\n'
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": code, "tests/main.rs": code})

    def violated(path: str, name: str) -> list[bool]:
        answer = documents_about(credential=credential, places=[("shop", path, name)])
        return [one.is_violated for one in answer.knowledge.policies]

    assert violated("src/main.rs", "") == [True]
    assert violated("src/main.rs", "start") == [True]
    assert violated("src/main.rs", "calm") == [False]
    assert violated("tests/main.rs", "") == []  # the policy leaves tests out


def test_closer_links_stand_first_and_archived_documents_last(
    api: Api, credential: Credential
) -> None:
    index_files(api, {PATH: POOL})
    for number, kind in enumerate(("related_to", "mentions", "implements")):
        created(api, kind="knowledge", id=f"ADR-{number}", title="Pools", body="long " * 200)
        linked(api, f"code:shop/{PATH}", kind, f"ADR-{number}")
    answer = documents_about(credential=credential, places=[("shop", PATH, "")])
    assert [one.node.id for one in answer.knowledge.documents] == ["ADR-2", "ADR-1", "ADR-0"]
    assert {len(one.node.body) for one in answer.knowledge.documents} == {400}


def test_places_that_are_not_indexed_are_left_out(api: Api, credential: Credential) -> None:
    assert not has_documents(credential=credential)
    created(api, **NO_PANIC)
    assert has_documents(credential=credential)
    answer = documents_about(
        credential=credential, places=[("nope", "a.py", ""), ("shop", "b", "")]
    )
    assert (answer.knowledge.documents, answer.knowledge.policies) == ([], [])
    assert answer.receipt.complete


def test_a_directory_s_name_is_no_beginning_of_another() -> None:
    subject = CodeSubject(File(path="src/auth/pool.py"))
    assert subject.concerns("src/auth", "")
    assert not subject.concerns("src/au", "")
    assert not subject.concerns("src/auth", "Pool")
