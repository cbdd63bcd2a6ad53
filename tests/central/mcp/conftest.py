"""Agents and what they ask about."""

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from central.http.asgi import RequestThreads
from tests.central.mcp.agent import Agent, Endpoint, shared_connection, threads_of_tests
from tests.central.protocol import Api, api_of


@pytest.fixture(scope="session")
def threads_of_session() -> Iterator[RequestThreads]:
    with threads_of_tests() as threads:
        yield threads


@pytest.fixture(scope="session")
def endpoint_of_session(threads_of_session: RequestThreads) -> Iterator[Endpoint]:
    """The application with the settings of most tests."""
    with closing(Endpoint(threads_of_session)) as endpoint:
        yield endpoint


@pytest.fixture
def threads(
    db: None, threads_of_session: RequestThreads, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RequestThreads]:
    """A request thread inside of the test's transaction."""
    # It would end the transaction; Django's test client does without as well.
    monkeypatch.setattr("central.http.asgi.close_old_connections", lambda: None)
    with shared_connection():
        yield threads_of_session


@pytest.fixture
def endpoint(threads: RequestThreads, endpoint_of_session: Endpoint) -> Endpoint:
    """The application, inside of the test's transaction."""
    return endpoint_of_session


@pytest.fixture
def agent_of(endpoint: Endpoint) -> Callable[[Api], Agent]:
    """Makes an agent with the token of an API client."""
    return lambda api: Agent(endpoint, api.token)


@pytest.fixture
def api(db: None) -> Api:
    """A token that sees all of acme."""
    return api_of()


@pytest.fixture
def agent(api: Api, agent_of: Callable[[Api], Agent]) -> Agent:
    """An agent that sees all of acme."""
    return agent_of(api)
