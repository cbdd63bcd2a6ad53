"""What the tests of runs share: a client, and a run that it opened."""

from typing import Any

import pytest

from tests.central.protocol import Api, api_of


@pytest.fixture
def api() -> Api:
    return api_of()


@pytest.fixture
def run(api: Api) -> dict[str, Any]:
    answer: dict[str, Any] = api.open().json()
    return answer
