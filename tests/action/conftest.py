"""What the tests of the action and of the workflows share."""

from collections.abc import Iterator

import pytest

from tests.action.github import Evaluator


@pytest.fixture(scope="session")
def evaluator() -> Iterator[Evaluator]:
    """GitHub's evaluator."""
    with Evaluator() as running:
        yield running
