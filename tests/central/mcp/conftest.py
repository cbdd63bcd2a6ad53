"""Agents and what they ask about."""

from collections.abc import Callable, Iterator

import pytest

from central.http.asgi import RequestThreads
from tests.central.mcp.agent import Agent, threads_in_transaction
from tests.central.protocol import Api, api_of


@pytest.fixture
def threads(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[RequestThreads]:
    """A request thread inside of the test's transaction."""
    # It would end the transaction; Django's test client does without as well.
    monkeypatch.setattr("central.http.asgi.close_old_connections", lambda: None)
    with threads_in_transaction() as threads:
        yield threads


@pytest.fixture
def agent_of(threads: RequestThreads) -> Callable[[Api], Agent]:
    """Makes an agent with the token of an API client."""
    return lambda api: Agent(threads, api.token)


@pytest.fixture
def api(db: None) -> Api:
    """A token that sees all of acme."""
    return api_of()


@pytest.fixture
def agent(api: Api, agent_of: Callable[[Api], Agent]) -> Agent:
    """An agent that sees all of acme."""
    return agent_of(api)
