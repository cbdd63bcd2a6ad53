"""An event that must wait is, when its turn comes, what it was."""

import json
from typing import Any

import pytest
from django.core.serializers.json import DjangoJSONEncoder

from central.github.events import read_event
from central.github.stored_events import restored, stored
from tests.central.github.payloads import EXAMPLES


@pytest.mark.parametrize(("name", "payload"), EXAMPLES)
def test_an_event_comes_back_from_json_as_it_was(name: str, payload: dict[str, Any]) -> None:
    event = read_event(name, payload)
    assert restored(json.loads(json.dumps(stored(event), cls=DjangoJSONEncoder))) == event
