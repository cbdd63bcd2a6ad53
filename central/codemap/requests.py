"""Requests about an organisation as one: fields and limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from central.http.parameters import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
)
from central.trace.requests import ChangedFile, ConfidentSerializer, DefinitionsSerializer
from central.trace.resolve.resolve import Confidence
from indexer.limits import MAP_LINKS, MAP_ROWS

LEVELS = ("project", "package")


class MapRequestSerializer(ConfidentSerializer):
    """`GET /map`."""

    project = StrictCharField(
        max_length=200, required=False, help_text="Only what it uses and what uses it"
    )
    level = StrictChoiceField(
        choices=LEVELS, default="project", help_text="Whether a node is a project or a package"
    )
    limit = StrictIntegerField(
        min_value=1, max_value=MAP_LINKS, default=500, help_text="Links at most, the strongest"
    )


@dataclass(frozen=True, slots=True)
class ConsumersRequest:
    """A validated `POST /map/consumers`; without symbols and files, of all definitions."""

    project: str
    package: str = ""
    symbols: tuple[str, ...] = ()
    files: tuple[ChangedFile, ...] = ()
    lags_only: bool = False
    min_confidence: Confidence = Confidence.MEDIUM
    limit: int = 50


class ConsumersRequestSerializer(DefinitionsSerializer):
    """`POST /map/consumers`: of all definitions, or of `symbols` and what is in `files`."""

    package = StrictCharField(
        max_length=1_000, required=False, help_text="Name or id of a package of the project"
    )
    lags_only = StrictBooleanField(
        default=False, help_text="Only consumers that pin an older version than is indexed"
    )
    limit = StrictIntegerField(
        min_value=1, max_value=MAP_ROWS, default=50, help_text="Consumers at most"
    )

    def consumers_request(self, body: Mapping[str, Any]) -> ConsumersRequest:
        return ConsumersRequest(**self.checked(body))


class MostCalledRequestSerializer(ConfidentSerializer):
    """`GET /map/most-called`."""

    project = StrictCharField(max_length=200, required=False, help_text="Only its definitions")
    limit = StrictIntegerField(
        min_value=1, max_value=MAP_ROWS, default=50, help_text="Definitions at most"
    )
