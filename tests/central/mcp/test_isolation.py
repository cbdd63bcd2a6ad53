"""Nothing crosses organisations, over every tool: what test_tenant_isolation is to the routes.

A tool that has no probe here fails the first test, so a new tool is covered by itself.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from mcp import Client, MCPError
from mcp.types import CallToolResult

from agents.results import error_in
from central.http.asgi import RequestThreads
from central.repositories.models import Repository
from central.tenancy.models import ApiToken, Organization, Scope
from tests.central.mcp.agent import Agent
from tests.central.protocol import Api, api_of, commit_of
from tests.central.test_tenant_isolation import FILES, IDS, RECIPE, add_secrets, tables

pytestmark = pytest.mark.django_db

ANYWHERE: list[dict[str, Any]] = [{}, {"workspace": "acme"}, {"workspace": "org-acme"}]
SYMBOLS: list[dict[str, Any]] = [
    {"symbol": "f1"},
    {"symbol": "f"},  # near names too
    {"symbol": "f1", "project": "shop"},
    {"symbol": "f1", "workspace": "acme"},
]
PLACED = [*SYMBOLS, {"symbol": "f1", "project": "shop", "file": "secret_recipe.py"}]
SHOP: list[dict[str, Any]] = [{"project": "shop"} | where for where in ANYWHERE]
SHOP_FILE = [{"file": "secret_recipe.py"} | where for where in SHOP]
PROBES: dict[str, list[dict[str, Any]]] = {
    "code_search": [
        *({"query": "secret_recipe"} | where for where in ANYWHERE),
        {"query": "secret_recipe", "include_projects": ["shop"]},
        {"query": "f", "mode": "symbol"},
    ],
    "code_grep": [
        {"query": "secret_recipe"},
        {"query": '"secret_recipe"'},
        {"query": "repo:shop salt"},
        {"query": "type:file recipe"},
    ],
    "code_read_file": [
        {"project": "shop", "path": "secret_recipe.py"},
        {"project": "shop", "path": "secret"},  # near names too
    ],
    "code_list_files": [
        {"project": "shop"},
        {"project": "shop", "glob": "*.py"},
        {"project": "shop", "path": "secret"},
    ],
    "search_code": [{"query": "secret_recipe"}, {"query": "secret_recipe", "top_k": 50}],
    "code_trace_callers": [*PLACED, {"symbol": "run", "min_confidence": "low"}],
    "code_trace_callees": PLACED,
    "code_graph": SYMBOLS,
    "code_index_status": [*ANYWHERE, {"project": "shop"}, {"project": "shop", "workspace": "acme"}],
    "graph_context": SHOP_FILE,
    "graph_traverse": [
        *({"from": one, "depth": 3} for one in IDS),
        *({"from": "ADR-7"} | where for where in ANYWHERE),
    ],
    "graph_related": [
        {"id": one, "target_type": kind} for one in IDS for kind in ("code", "knowledge")
    ],
    "graph_violations": SHOP,
    "graph_unmigrated": SHOP,
    "graph_link": [
        {"from": "shop/mem-7", "to": RECIPE, "type": "explains"} | where for where in ANYWHERE
    ]
    + [{"from": "ADR-7", "to": "code:secret_recipe.py", "type": "explains"}],
}


@pytest.fixture
def victim() -> Api:
    """acme, whose index holds a secret."""
    api = api_of()
    add_secrets(api)
    return api


def stranger() -> Api:
    return api_of(Organization.objects.create(slug="globex"), scopes=list(Scope))


def limited_to_other_repositories() -> Api:
    return api_of(repositories=["billing"], scopes=list(Scope))


def limited_to_what_is_public() -> Api:
    api = api_of(scopes=list(Scope))
    ApiToken.objects.filter(pk=ApiToken.objects.latest("pk").pk).update(visibilities=["public"])
    assert not Repository.objects.filter(visibility="public").exists()
    return api


def test_every_tool_has_a_probe(victim: Api, threads: RequestThreads) -> None:
    listed = Agent(threads, victim.token).converse(lambda client: client.list_tools())
    assert {tool.name for tool in listed.tools} == PROBES.keys(), "write a probe for each tool"


def test_probes_find_what_may_be_seen(victim: Api, threads: RequestThreads) -> None:
    """Else the test below would prove nothing."""
    answers = probed(Agent(threads, victim.token))
    found = {tool for tool, arguments, result in answers if is_telling(arguments, result)}
    assert found == PROBES.keys()


@pytest.mark.parametrize(
    "intruder", [stranger, limited_to_other_repositories, limited_to_what_is_public]
)
def test_nobody_learns_of_what_he_may_not_see(
    victim: Api, threads: RequestThreads, intruder: Callable[[], Api]
) -> None:
    agent = Agent(threads, intruder().token)
    before = tables()
    for tool, arguments, result in probed(agent):
        answer = result.structured_content or {}
        assert not is_telling(arguments, result), (tool, arguments, result)
        assert not answer.get("results"), (tool, arguments)
        assert not answer.get("projects"), (tool, arguments)
    assert tables() == before


def probed(agent: Agent) -> list[tuple[str, dict[str, Any], CallToolResult]]:
    """What the agent is told of everything that is probed."""

    async def probe(client: Client) -> list[tuple[str, dict[str, Any], CallToolResult]]:
        return [
            (tool, arguments, await client.call_tool(tool, arguments))
            for tool, probes in PROBES.items()
            for arguments in probes
        ]

    return agent.converse(probe)


def test_a_job_s_token_is_refused_by_every_tool_of_the_graph(
    victim: Api, threads: RequestThreads
) -> None:
    job = api_of(scopes=list(Scope))
    ApiToken.objects.filter(pk=ApiToken.objects.latest("pk").pk).update(is_short_lived=True)
    before = tables()
    refused = {
        tool: error_in(result)
        for tool, _, result in probed(Agent(threads, job.token))
        if tool.startswith("graph_")
    }
    assert len(refused) == 6
    for refusal in refused.values():
        assert refusal is not None
        assert (refusal.status, refusal.code) == (403, "job_token_refused")
    assert tables() == before


def test_a_token_that_may_only_search_links_nothing(victim: Api, threads: RequestThreads) -> None:
    reader = api_of(scopes=[Scope.SEARCH])
    before = tables()
    refusal = Agent(threads, reader.token).refusal("graph_link", **PROBES["graph_link"][0])
    assert (refusal.status, refusal.code) == (403, "insufficient_scope")
    assert tables() == before


def is_telling(arguments: dict[str, Any], result: CallToolResult) -> bool:
    """Whether it holds anything of the victim's, but for what was asked."""
    text = result.model_dump_json()
    for asked in arguments.values():
        text = text.replace(str(asked), "")
    words = (commit_of(FILES), "salt", "secret_recipe.py:", '"f1"', "shop/", '"total_chunks":1')
    return any(word in text for word in words)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_revoked_token_is_refused_on_the_next_call(
    victim: Api, threads: RequestThreads, mode: str
) -> None:
    """Within a conversation: nothing of the credential is kept from request to request."""
    agent = Agent(threads, victim.token, mode)

    async def use_and_lose(client: Client) -> None:
        assert not (await client.call_tool("code_index_status", {})).is_error
        await threads.run(lambda: ApiToken.objects.update(revoked_at=timezone.now()))
        with pytest.raises(MCPError):
            await client.call_tool("code_index_status", {})

    agent.converse(use_and_lose)
    assert agent.statuses[-1] == 401
    assert set(agent.statuses[:-1]) <= {200, 202}
