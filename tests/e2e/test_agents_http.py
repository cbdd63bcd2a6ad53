"""Agents at a service's /mcp: who may see what, and which revisions of the protocol are spoken."""

from collections.abc import Iterator

import pytest
from mcp.client.client import ConnectMode
from mcp.shared.exceptions import MCPError

from scripts.local_git import commit_all, new_repository
from scripts.local_service import Organization
from tests.e2e.agents import Agent, agent_over_http, new_organization
from tests.e2e.conftest import write_files
from tests.e2e.indexing import index_here
from tests.e2e.test_tracing import RETRY_CALL

VOUCHERS = """\
def mint_voucher(order):
    return seal(order)


def seal(order):
    return order
"""
REVOKE = """\
from django.utils import timezone
from central.tenancy.models import ApiToken
assert ApiToken.objects.filter(prefix={!r}).update(revoked_at=timezone.now()) == 1
"""


@pytest.fixture(scope="module")
def globex(examples: Organization, tmp_path_factory: pytest.TempPathFactory) -> Organization:
    """A second organisation on the service of the examples, with a repository of its own."""
    organization = new_organization(examples.service, "globex")
    directory = new_repository(tmp_path_factory.mktemp("globex") / "vouchers")
    write_files(directory, {"vouchers.py": VOUCHERS})
    commit_all(directory, "Vouchers")
    index_here(organization, directory, "vouchers")
    return organization


@pytest.fixture(scope="module")
def stranger(globex: Organization) -> Iterator[Agent]:
    with agent_over_http(globex.service.url, globex.token) as agent:
        yield agent


@pytest.fixture(scope="module")
def agent(examples: Organization) -> Iterator[Agent]:
    with agent_over_http(examples.service.url, examples.token) as connected:
        yield connected


def test_search_respects_tenant_isolation(agent: Agent, stranger: Agent) -> None:
    """Spec: results only include code of the caller's own organisation."""
    ours = agent.ask("code_search", query="mint_voucher seal order", limit=50)
    theirs = stranger.ask("code_search", query="AuthMiddleware", limit=50)

    assert "vouchers" not in {row["project"] for row in ours["results"]}
    assert {row["project"] for row in theirs["results"]} == {"vouchers"}
    assert [row["project"] for row in theirs["receipt"]["projects"]] == ["vouchers"]


def test_dependency_impact_analysis(agent: Agent) -> None:
    """Spec: all callers of a function of a library that ten services use, with their places."""
    answer = agent.ask("code_trace_callers", symbol="retry_call", project="common-utils", limit=200)

    sites = {
        f"{row['caller']['project']} {row['caller']['file']}:{row['line']}"
        for row in answer["callers"]
    }
    assert sites == {" ".join(text.split()[:2]) for text in RETRY_CALL["callers"]}
    assert len({site.split()[0] for site in sites} - {"common-utils"}) >= 10
    assert answer["receipt"]["complete"]


def test_traces_and_status_know_nothing_of_another_organisation(
    agent: Agent, stranger: Agent
) -> None:
    unknown = agent.refusal("code_trace_callers", symbol="mint_voucher")
    status = stranger.ask("code_index_status")

    assert unknown["code"] == "symbol_not_found"
    assert "mint_voucher" not in unknown["message"]
    assert [row["project"] for row in status["projects"]] == ["vouchers"]


def test_what_is_not_there_and_what_is_anothers_are_refused_alike(stranger: Agent) -> None:
    anothers = stranger.refusal("code_index_status", workspace="org-acme")
    nobodys = stranger.refusal("code_index_status", workspace="org-nobody")

    assert anothers["status"] == nobodys["status"] == 404
    assert anothers["message"].replace("acme", "nobody") == nobodys["message"]


@pytest.mark.parametrize(("mode", "revision"), [("2026-07-28", "2026-07-28"), ("legacy", "2025")])
def test_new_and_old_revisions_of_the_protocol_are_spoken(
    examples: Organization, mode: ConnectMode, revision: str
) -> None:
    """Without sessions and `initialize` in the newest; with the handshake in those before."""
    with agent_over_http(examples.service.url, examples.token, mode=mode) as agent:
        spoken = agent.client.session.protocol_version
        answer = agent.ask("code_search", query="retry", limit=1)

    assert spoken
    assert spoken.startswith(revision)
    assert answer["count"] == 1


def test_a_revoked_token_is_refused_in_the_middle_of_a_conversation(globex: Organization) -> None:
    token = new_organization(globex.service, globex.slug).token
    with agent_over_http(globex.service.url, token) as agent:
        assert agent.ask("code_search", query="voucher")["results"]
        globex.service.manage("shell", "--verbosity", "0", "-c", REVOKE.format(token[:12]))

        with pytest.raises(MCPError):
            agent.call("code_search", query="voucher")
