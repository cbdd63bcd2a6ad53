"""Questions about code and documents: violations, migration, relatives, context."""

from typing import Any
from urllib.parse import urlencode

import pytest

from central.knowledge.services.catch_up import KnowledgeGraph
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import created, graph, linked
from tests.central.knowledge.test_policies import NO_PANIC, PANICS
from tests.central.protocol import Api, api_of
from tests.central.refusals import assert_problem

pytestmark = pytest.mark.django_db

POOL = (
    "class ConnectionPool:\n"
    '    """Keeps database connections open, so that a request need not wait for one."""\n\n'
    "    def acquire(self):\n"
    '        """Take a connection out of the pool, or open another."""\n'
    "        return self.idle.pop() if self.idle else connect(self.url)\n"
)
RETRY = (
    "def with_retries(call, attempts=3):\n"
    '    """Call again after a failure, with exponential backoff between attempts."""\n'
    "    for attempt in range(attempts):\n"
    "        try:\n"
    "            return call()\n"
    "        except ConnectionError:\n"
    "            sleep(2 ** attempt)\n"
)
FILES = {
    "db/pool.py": POOL,
    "net/retry.py": RETRY,
    "billing/tax.py": "def vat(amount):\n    return round(amount * 0.19, 2)\n",
}


@pytest.fixture
def api() -> Api:
    return api_of()


def asked(api: Api, what: str, **query: Any) -> dict[str, Any]:
    answer = graph(api, "GET", f"{what}?{urlencode(query)}")
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def test_find_policy_violations(api: Api) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/handler.rs": PANICS, "src/other.rs": PANICS}, project="payments-service")
    index_files(api, {"src/main.rs": PANICS})
    answer = asked(api, "violations", project="payments-service")
    assert [one["code"]["id"] for one in answer["violations"]] == [
        "code:payments-service/src/handler.rs#start",
        "code:payments-service/src/other.rs#start",
    ]
    first = answer["violations"][0]
    assert (first["policy"], first["severity"]) == ("POL-1", "error")
    assert first["edge"]["properties"]["matches"][0]["text"] == 'panic!("now")'
    assert answer["receipt"]["complete"] is True
    page = asked(api, "violations", project="payments-service", limit=1)
    rest = asked(api, "violations", project="payments-service", limit=1, cursor=page["next_cursor"])
    assert rest["violations"][0]["code"]["path"] == "src/other.rs"
    assert rest["next_cursor"] is None


def test_an_answer_says_what_is_not_linked_yet(api: Api) -> None:
    created(api, **NO_PANIC)
    api.index({"a.py": "x\n"})
    receipt = asked(api, "violations", project="shop")["receipt"]
    assert receipt["missing"] == [{"project": "shop", "reason": "not_linked_yet", "since": None}]
    KnowledgeGraph().follow()
    assert asked(api, "violations", project="shop")["receipt"]["complete"] is True


def test_an_answer_says_that_a_new_policy_is_not_checked_yet(api: Api) -> None:
    index_files(api, {"src/main.rs": PANICS})
    created(api, **NO_PANIC)
    receipt = asked(api, "violations", project="shop")["receipt"]
    assert receipt["missing"] == [
        {"project": "shop", "reason": "policies_not_checked_yet", "since": None}
    ]
    limited = api_of(organization=api.organization, repositories=["shop"])
    assert asked(limited, "violations", project="shop")["receipt"]["complete"] is True
    KnowledgeGraph().follow()
    assert asked(api, "violations", project="shop")["receipt"]["complete"] is True


def test_migration_tracking(api: Api) -> None:
    files = {
        "legacy/orders.py": "def a():\n    pass\n\n\ndef b():\n    pass\n",
        "legacy/old/c.py": RETRY,
    }
    index_files(api, files, project="monolith")
    index_files(api, FILES, project="orders")
    answer = asked(api, "unmigrated", project="monolith")
    assert [one["qualified_name"] for one in answer["code"]] == ["with_retries", "a", "b"]
    linked(api, "code:monolith/legacy/orders.py#a", "migrated_to", "code:orders/net/retry.py")
    linked(api, "code:monolith/legacy/old", "migrated_to", "code:orders/net")
    answer = asked(api, "unmigrated", project="monolith")
    assert [one["id"] for one in answer["code"]] == ["code:monolith/legacy/orders.py#b"]
    assert answer["total"] == 1
    linked(api, "code:monolith/legacy/orders.py", "migrated_to", "code:orders/net/retry.py")
    answer = asked(api, "unmigrated", project="monolith", path="legacy/")
    assert (answer["count"], "Every definition" in answer["hint"]) == (0, True)


def test_find_code_related_to_memory(api: Api) -> None:
    index_files(api, FILES)
    created(api, kind="memory", id="mem-1", title="Database connection pooling saves a second")
    answer = asked(api, "related", id="mem-1", target_type="code", limit=1)
    assert answer["related"][0]["node"]["path"] == "db/pool.py"


def test_find_knowledge_related_to_code(api: Api) -> None:
    index_files(api, FILES)
    created(api, kind="knowledge", id="ADR-1", title="Retry failed calls with exponential backoff")
    created(api, kind="knowledge", id="ADR-2", title="Write invoices in euros")
    KnowledgeGraph().follow()
    place = "code:shop/net/retry.py#with_retries"
    answer = asked(api, "related", id=place, target_type="knowledge")
    assert answer["related"][0]["node"]["id"] == "ADR-1"
    by_lines = asked(api, "related", id="code:shop/net/retry.py#L3-L4", target_type="knowledge")
    assert by_lines["related"][0]["node"]["id"] == "ADR-1"


def test_knowledge_is_decisions_and_policies(api: Api) -> None:
    index_files(api, FILES)
    created(api, kind="knowledge", id="ADR-1", title="Retry failed calls with exponential backoff")
    created(api, **NO_PANIC | {"id": "POL-2", "title": "Failed calls keep exponential backoff"})
    created(api, kind="memory", id="mem-1", title="Retry failed calls with exponential backoff")
    KnowledgeGraph().follow()

    def found(target_type: str) -> dict[str, str]:
        place = "code:shop/net/retry.py#with_retries"
        answer = asked(api, "related", id=place, target_type=target_type)
        return {one["node"]["id"]: one["node"]["kind"] for one in answer["related"]}

    assert found("knowledge") == {"ADR-1": "knowledge", "POL-2": "policy"}
    assert found("policy") == {"POL-2": "policy"}
    assert found("memory") == {"mem-1": "memory"}


def test_an_empty_answer_names_the_documents_that_were_compared(api: Api) -> None:
    index_files(api, FILES)
    created(api, kind="memory", id="mem-1", title="Retry failed calls with exponential backoff")
    answer = asked(api, "related", id="code:shop/net/retry.py", target_type="knowledge")
    assert answer["related"] == []
    assert answer["hint"] == "No visible decision or policy resembles this node."


def test_context_gathering_for_file(api: Api) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/payment/handler.rs": PANICS, "src/calm.rs": "fn calm() { start(); }\n"})
    created(api, kind="knowledge", id="ADR-7", title="Payments never crash")
    created(api, kind="memory", id="mem-9", title="Seen in production")
    linked(api, "code:shop/src/payment/handler.rs", "implements", "ADR-7")
    linked(api, "mem-9", "derived_from", "code:shop/src/payment/handler.rs#start")
    answer = asked(api, "context", project="shop", file="src/payment/handler.rs")
    assert [(one["node"]["id"], one["why"]) for one in answer["decisions"]] == [
        ("ADR-7", ["implements"])
    ]
    assert [(one["node"]["id"], one["is_violated"]) for one in answer["policies"]] == [
        ("POL-1", True)
    ]
    assert [one["node"]["id"] for one in answer["memories"]] == ["mem-9"]
    assert answer["truncated"] == {}
    short = asked(api, "context", project="shop", file="src/payment/handler.rs", max_tokens=200)
    assert sum(short["truncated"].values()) > 0


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("violations?project=nowhere", "repository_not_found"),
        ("unmigrated?project=nowhere", "repository_not_found"),
        ("context?project=shop&file=no.py", "node_not_found"),
        ("related?id=mem-1&target_type=code", "node_not_found"),
    ],
)
def test_what_does_not_exist_is_404(api: Api, path: str, code: str) -> None:
    index_files(api, FILES)
    assert_problem(graph(api, "GET", path), 404, code)


@pytest.mark.parametrize(
    "path",
    [
        "traverse?from=ADR-1&depth=6",
        "traverse?from=ADR-1&depth=0",
        "traverse?from=ADR-1&limit=0",
        "traverse?from=ADR-1&limit=1001",
        "related?id=ADR-1",
        "nodes?x=1",
    ],
)
def test_what_is_out_of_range_is_400(api: Api, path: str) -> None:
    assert_problem(graph(api, "GET", path), 400, "invalid")
