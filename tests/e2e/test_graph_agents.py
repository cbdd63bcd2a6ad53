"""The knowledge graph as agents use it at /mcp: the scenarios of spec 3, each by its name.

Everything is asked twice: of the embedded default, and of PostgreSQL with a Celery worker.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest

from scripts.local_deployment import running_deployment
from scripts.local_git import commit_all, new_repository
from scripts.local_service import Organization, running_service
from tests.e2e.agents import Agent, Row, agent_over_http
from tests.e2e.conftest import prepared_data_directory, write_files
from tests.e2e.indexing import index_here

AUTH_SERVICE = {
    "src/auth/login.rs": """\
/// Implements ADR-042.
pub fn login(user: &str, password: &str) -> Session {
    let found = find_user(user);
    Session::of(found)
}
""",
    "auth/flow.py": '''\
def authenticate(username, password):
    """The authentication flow: check the user's password, then start a session."""
    user = find_user(username)
    if not verify_password(user, password):
        raise AuthenticationError(username)
    return start_session(user)
''',
}
PAYMENTS_SERVICE = {
    "src/payment/handler.rs": """\
use crate::payment::store::store_payment;

/// Decided in ADR-042.
pub fn handle_payment(amount: i64) -> i64 {
    if amount < 0 {
        panic!("negative amount");
    }
    store_payment(amount)
}
""",
    "src/payment/store.rs": """\
use crate::payment::handler::handle_payment;

pub fn store_payment(amount: i64) -> i64 {
    amount
}

pub fn replay(amount: i64) -> i64 {
    handle_payment(amount)
}
""",
    "db/pool.py": '''\
def open_pool(url, size):
    """A pool of database connections: at most `size`, each used again when it is given back."""
    pool = ConnectionPool(url, max_connections=size)
    pool.warm_up()
    return pool
''',
    "net/retry.py": '''\
def retry_with_backoff(call, attempts):
    """Retry a failing call with exponential backoff between the attempts."""
    for attempt in range(attempts):
        try:
            return call()
        except ConnectionError:
            sleep(2**attempt)
    raise RetriesExhausted(attempts)
''',
}
LEGACY_MONOLITH = {
    "handlers/pay.py": "def pay(order):\n    return order\n",
    "handlers/ship.py": "def ship(order):\n    return order\n",
}
NODES: list[Row] = [
    {
        "kind": "knowledge",
        "id": "ADR-042",
        "title": "Use PostgreSQL",
        "body": "All state is kept in PostgreSQL.",
    },
    {
        "kind": "knowledge",
        "id": "ADR-050",
        "title": "Retries back off exponentially",
        "body": "A failing call is tried again with exponential backoff between the attempts.",
    },
    {
        "kind": "memory",
        "id": "mem-123",
        "title": "Sign-in must not tell users apart",
        "body": "An unknown user and a wrong password are answered alike.",
    },
    {
        "kind": "memory",
        "id": "mem-auth",
        "title": "Authentication flow",
        "body": "The authentication flow checks the password of the user and then starts a "
        "session.",
    },
    {
        "kind": "memory",
        "id": "mem-pool",
        "title": "Database connection pooling",
        "body": "The pool of database connections must be warmed up before the first request.",
    },
    {
        "kind": "policy",
        "id": "no-panic",
        "title": "No panic!() in production code",
        "policy": {
            "rule": "rule:\n  pattern: panic!($$$)\n",
            "language": "rust",
            "severity": "error",
            "message": "Return an error.",
        },
    },
]


@dataclass(frozen=True)
class Workspace:
    """An organisation with code and knowledge, and an agent that may read and write it."""

    acme: Organization
    agent: Agent
    directory: Path

    def index(self, project: str, files: dict[str, str]) -> None:
        """Index a repository with these files, or its next commit."""
        path = self.directory / project
        if not path.exists():
            new_repository(path)
        write_files(path, files)
        commit_all(path, "Change")
        index_here(self.acme, path, project)

    def ask_until(self, holds: Callable[[Row], bool], tool: str, **arguments: Any) -> Row:
        """The first answer of which it holds: what follows from a write is made right after it."""
        deadline = time.monotonic() + 60
        while not holds(answer := self.agent.ask(tool, **arguments)):
            assert time.monotonic() < deadline, answer
            time.sleep(0.1)
        return answer

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Rows of the organisation's DuckDB file, as it is now."""
        service = self.acme.service
        answer = httpx.get(
            f"{service.url}/api/v1/graph/snapshot",
            params={"org_id": self.acme.slug},
            headers={"Authorization": f"Bearer {self.acme.token}"},
            timeout=60,
        )
        answer.raise_for_status()
        file = self.directory / "graph.duckdb"
        file.write_bytes(answer.content)
        with duckdb.connect(str(file), read_only=True) as database:
            return database.execute(statement).fetchall()

    def rows_until_there(self, statement: str) -> list[tuple[Any, ...]]:
        """The same, once there are any."""
        deadline = time.monotonic() + 60
        while not (rows := self.rows(statement)):
            assert time.monotonic() < deadline, statement
            time.sleep(0.2)
        return rows


@contextmanager
def embedded() -> Iterator[Organization]:
    with prepared_data_directory() as directory, running_service(directory) as service:
        yield service.organization("acme-corp")


@contextmanager
def with_celery() -> Iterator[Organization]:
    with prepared_data_directory() as directory, running_deployment(directory) as deployment:
        yield deployment.acme


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(embedded, id="embedded"),
        pytest.param(with_celery, id="celery", marks=pytest.mark.system("redis-server")),
    ],
)
def workspace(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workspace]:
    with request.param() as acme, agent_over_http(acme.service.url, acme.token) as agent:
        made = Workspace(acme, agent, tmp_path_factory.mktemp("repositories"))
        made.index("auth-service", AUTH_SERVICE)
        made.index("legacy-monolith", LEGACY_MONOLITH)
        for node in NODES:
            acme.post("graph/nodes", **node)
        made.index("payments-service", PAYMENTS_SERVICE)
        yield made


def ids(answer: Row) -> set[str]:
    """What a walk reached beside where it began."""
    return {found["node"]["id"] for found in answer["nodes"] if found["distance"]}


# Unified Knowledge Graph


def test_knowledge_node_creation(workspace: Workspace) -> None:
    [row] = workspace.rows("SELECT kind, title, content FROM nodes WHERE id = 'ADR-042'")
    assert row == ("knowledge", "Use PostgreSQL", "All state is kept in PostgreSQL.")


def test_memory_node_creation(workspace: Workspace) -> None:
    [row] = workspace.rows_until_there(
        "SELECT kind, len(embedding) FROM nodes WHERE id = 'mem-auth' AND embedding IS NOT NULL"
    )
    assert row == ("memory", 256)


def test_code_node_creation(workspace: Workspace) -> None:
    rows = workspace.rows(
        "SELECT kind, id FROM nodes WHERE path = 'src/auth/login.rs' ORDER BY kind"
    )
    assert rows == [
        ("code_file", "code:auth-service/src/auth/login.rs"),
        ("code_symbol", "code:auth-service/src/auth/login.rs#login"),
    ]


# Graph Edge Creation


def test_explicit_link_by_agent(workspace: Workspace) -> None:
    link = {"from": "mem-123", "to": "code:src/auth/login.rs", "type": "derived_from"}
    first = workspace.agent.ask("graph_link", **link)
    assert first["target"] == "code:auth-service/src/auth/login.rs"
    assert (first["type"], first["origin"]) == ("derived_from", "explicit")
    assert workspace.agent.ask("graph_link", **link)["created_at"] == first["created_at"]


def test_automatic_semantic_link(workspace: Workspace) -> None:
    answer = workspace.ask_until(
        lambda found: bool(found.get("edges")),
        "graph_traverse",
        **{"from": "mem-auth", "types": ["related_to"]},
    )
    [edge] = answer["edges"]
    assert edge["target"].startswith("code:auth-service/auth/flow.py")
    assert edge["weight"] > 0.85 > edge["cosine"]


def test_policy_violation_link(workspace: Workspace) -> None:
    answer = workspace.ask_until(
        lambda found: bool(found.get("edges")),
        "graph_traverse",
        **{"from": "no-panic", "types": ["violates"], "direction": "in"},
    )
    [edge] = answer["edges"]
    assert edge["source"] == "code:payments-service/src/payment/handler.rs#handle_payment"
    assert edge["target"] == "no-panic"


# Graph Traversal Queries


def test_find_code_implementing_adr(workspace: Workspace) -> None:
    answer = workspace.ask_until(
        lambda found: found["receipt"]["complete"],
        "graph_traverse",
        **{"from": "ADR-042", "types": ["implements"]},
    )
    assert ids(answer) == {"code:auth-service/src/auth/login.rs#login"}


def test_find_memories_related_to_code(workspace: Workspace) -> None:
    link = {"from": "mem-123", "to": "code:src/auth/login.rs", "type": "derived_from"}
    workspace.agent.ask("graph_link", **link)
    answer = workspace.agent.ask(
        "graph_traverse", **{"from": "code:src/auth/login.rs", "direction": "in"}
    )
    assert "mem-123" in ids(answer)


def test_multi_hop_traversal(workspace: Workspace) -> None:
    code = "code:auth-service/src/auth/login.rs#login"
    workspace.agent.ask("graph_link", **{"from": "mem-123", "to": code, "type": "derived_from"})
    answer = workspace.ask_until(
        lambda found: len(ids(found)) > 1, "graph_traverse", **{"from": "ADR-042", "depth": 2}
    )
    assert {code, "mem-123"} <= ids(answer)


def test_find_policy_violations(workspace: Workspace) -> None:
    answer = workspace.ask_until(
        lambda found: found["count"] > 0, "graph_violations", project="payments-service"
    )
    [violation] = answer["violations"]
    assert violation["code"]["path"] == "src/payment/handler.rs"
    assert (violation["policy"], violation["severity"]) == ("no-panic", "error")
    [match] = violation["edge"]["properties"]["matches"]
    assert (match["start_line"], match["text"]) == (6, 'panic!("negative amount")')


def test_code_that_is_mended_violates_nothing_any_more(workspace: Workspace) -> None:
    project, path = "mended-service", "src/lib.rs"
    workspace.index(project, {path: 'pub fn stop() {\n    panic!("stop");\n}\n'})
    workspace.ask_until(lambda found: found["count"] == 1, "graph_violations", project=project)
    workspace.index(project, {path: "pub fn stop() {\n}\n"})
    answer = workspace.ask_until(
        lambda found: found["receipt"]["complete"], "graph_violations", project=project
    )
    assert "violations" not in answer
    assert answer["hint"]


# Cross-Search


def test_find_code_related_to_memory(workspace: Workspace) -> None:
    answer = workspace.agent.ask("graph_related", id="mem-pool", target_type="code")
    assert answer["related"][0]["node"]["path"] == "db/pool.py"


def test_find_knowledge_related_to_code(workspace: Workspace) -> None:
    answer = workspace.ask_until(
        lambda found: found["count"] > 0,
        "graph_related",
        id="code:payments-service/net/retry.py#L1-L9",
        target_type="knowledge",
    )
    assert answer["related"][0]["node"]["id"] == "ADR-050"


def test_context_gathering_for_file(workspace: Workspace) -> None:
    path = "src/payment/handler.rs"
    workspace.agent.ask(
        "graph_link",
        **{"from": "mem-pool", "to": f"code:payments-service/{path}", "type": "derived_from"},
    )
    answer = workspace.ask_until(
        lambda found: found["receipt"]["complete"],
        "graph_context",
        project="payments-service",
        file=path,
    )
    assert "ADR-042" in {one["node"]["id"] for one in answer["decisions"]}
    assert [(one["node"]["id"], one["is_violated"]) for one in answer["policies"]] == [
        ("no-panic", True)
    ]
    assert "mem-pool" in {one["node"]["id"] for one in answer["memories"]}
    assert [(one["file"], one["name"]) for one in answer["callers"]] == [
        ("src/payment/store.rs", "replay")
    ]
    assert [one["name"] for one in answer["callees"]] == ["store_payment"]


# Cross-Repository Call Graph


def test_migration_tracking(workspace: Workspace) -> None:
    workspace.agent.ask(
        "graph_link",
        **{
            "from": "code:legacy-monolith/handlers/pay.py",
            "to": "code:payments-service/src/payment/handler.rs",
            "type": "migrated_to",
        },
    )
    answer = workspace.agent.ask("graph_unmigrated", project="legacy-monolith", path="handlers/")
    assert [one["qualified_name"] for one in answer["code"]] == ["ship"]
