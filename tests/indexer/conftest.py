from collections.abc import Iterator

import pytest

from tests.indexer.central import StandIn, stand_in


@pytest.fixture
def central() -> Iterator[StandIn]:
    with stand_in() as central:
        yield central
