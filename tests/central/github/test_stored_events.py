"""Deferred events: stored as they always were, and read back as they were."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.serializers.json import DjangoJSONEncoder

from central.github.events import Removed, Renamed, dump_event, load_event, read_event
from tests.central.github.payloads import EXAMPLES

# What deliveries hold that were deferred before an upgrade: it never changes.
RECORDED = json.loads(Path(__file__).with_name("stored_events.json").read_text())


def as_row(name: str, payload: dict[str, Any]) -> str:
    return json.dumps(dump_event(read_event(name, payload)), cls=DjangoJSONEncoder)


@pytest.mark.parametrize(("name", "payload"), EXAMPLES)
def test_an_event_comes_back_from_json_as_it_was(name: str, payload: dict[str, Any]) -> None:
    assert load_event(json.loads(as_row(name, payload))) == read_event(name, payload)


def test_events_are_stored_byte_for_byte_as_recorded() -> None:
    assert [as_row(name, payload) for name, payload in EXAMPLES] == RECORDED


def test_events_of_earlier_versions_are_read() -> None:
    ids = {"owner_id": 1, "repository_id": 2}
    assert load_event({"kind": "Removed"} | ids) == Removed(1, 2)
    renamed = {"kind": "Renamed", "name": "shop", "web_url": "https://github.com/acme/shop"}
    assert load_event(renamed | ids) == Renamed(1, 2, "shop", "https://github.com/acme/shop")


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"kind": "Starred", "owner_id": 1},
        {"kind": "InstalledRepository", "repository_id": 2, "name": "shop", "is_private": True},
        {"kind": "Removed", "owner_id": 1},
        {"kind": "Removed", "owner_id": 1, "repository_id": 2, "reason": ""},
        {"kind": "Installed", "owner_id": 1, "installation_id": 2, "repositories": [{"id": 3}]},
    ],
)
def test_what_no_version_wrote_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        load_event(row)
