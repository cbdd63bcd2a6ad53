"""`codesearch graph …`: documents, links and questions, of a real service."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from aeterna_code_search.client.target.local_token import LocalToken
from scripts.local_service import Organization, Service
from tests.cli.command import codesearch
from tests.cli.conftest import MakeRepository
from tests.e2e.indexing import index_here
from tests.waiting import wait_until

FILES = {
    "ledger/store.py": "def store(payment):\n    return payment\n",
    "ledger/pay.py": "from ledger.store import store\n\n\ndef pay(payment):\n    print(payment)\n"
    "    return store(payment)\n",
}
RULE = "rule: {pattern: print($$$)}"
Graph = Callable[..., CompletedProcess[str]]


@pytest.fixture
def graph(service: Service, make_repository: MakeRepository, tmp_path: Path) -> Graph:
    """`codesearch graph …` in the checkout of an indexed repository of its own organisation."""
    slug = "graph-" + hashlib.sha256(str(tmp_path).encode()).hexdigest()[:8]
    acme = Organization(service, slug, LocalToken(service.data_dir, slug).bearer())
    root = make_repository("payments", FILES)
    index_here(acme, root, "payments")
    (root / "no-print.yaml").write_text(RULE)
    named = {"AETERNA_URL": service.url, "AETERNA_TOKEN": acme.token, "AETERNA_ORGANIZATION": slug}

    def graph(*arguments: str) -> CompletedProcess[str]:
        return codesearch("graph", *arguments, directory=root, environ=named)

    return graph


def told(done: CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_documents_are_stored_changed_and_deleted(graph: Graph) -> None:
    added = told(graph("add", "knowledge", "Use PostgreSQL", "--id", "ADR-7", "--property", "a=b"))
    assert added == "ADR-7\tknowledge\t-\t-\tUse PostgreSQL\n"
    told(graph("add", "memory", "It locks", "-p", "payments", "--id", "mem-7", "--json"))
    assert "payments/mem-7" in told(graph("list", "--kind", "memory"))
    edited = graph("edit", "ADR-7", "--status", "Accepted", "--property", "a=", "--json")
    (node,) = json.loads(told(edited))["nodes"]
    assert (node["status"], node["properties"]) == ("Accepted", {})
    assert graph("edit", "ADR-7").returncode == 2
    assert "ADR-7\tknowledge\tAccepted" in told(graph("show", "ADR-7"))
    told(graph("delete", "ADR-7"))
    assert graph("show", "ADR-7").returncode == 1


def test_links_are_made_followed_and_taken_back(graph: Graph) -> None:
    told(graph("add", "knowledge", "Use PostgreSQL", "--id", "ADR-7"))
    ends = ("code:payments/ledger/store.py#store", "implements", "ADR-7")
    assert told(graph("link", *ends, "--weight", "0.5")).split("\t")[:4] == [*ends, "0.5"]
    found = told(graph("traverse", "ADR-7", "--types", "implements", "--direction", "in"))
    assert "1\tcode:payments/ledger/store.py#store" in found
    told(graph("unlink", *ends))
    assert graph("traverse", "ADR-7").returncode == 1


def test_questions_about_this_checkout(graph: Graph) -> None:
    rule = ("--language", "python", "--rule", "no-print.yaml", "--severity", "error")
    told(graph("add", "policy", "No print", "--id", "POL-7", *rule))
    wait_until(lambda: graph("violations").returncode == 0)
    assert "payments/ledger/pay.py:5\terror\tPOL-7" in told(graph("violations"))
    unmigrated = told(graph("unmigrated", "--path", "ledger/store"))
    assert unmigrated == "payments/ledger/store.py:1\tstore\n"
    context = told(graph("context", "ledger/pay.py"))
    assert "policy\tviolated\tPOL-7\tNo print" in context
    assert "callee" in context
    related = graph("related", "POL-7", "--target-type", "code", "--json")
    assert "related" in json.loads(related.stdout)
