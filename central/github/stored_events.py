"""Events as JSON, to be carried out later. Pure; what `stored` writes, `restored` reads."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, get_args

from central.github.events import Event, InstalledRepository

_KINDS = {kind.__name__: kind for kind in get_args(Event)}
_TIMES = {"pushed_at", "changed_at"}


def stored(event: Event) -> dict[str, Any]:
    """The event's kind and fields; times are left to the encoder, which writes them as ISO 8601."""
    return {"kind": type(event).__name__} | asdict(event)


def restored(stored: Mapping[str, Any]) -> Event:
    """The event that was stored. Raises an error for one that no version here has written."""
    fields = dict(stored)
    kind = _KINDS[fields.pop("kind")]
    if "repositories" in fields:
        listed = fields["repositories"]
        fields["repositories"] = tuple(InstalledRepository(**item) for item in listed)
    for name in _TIMES & fields.keys():
        fields[name] = datetime.fromisoformat(fields[name])
    event: Event = kind(**fields)
    return event
