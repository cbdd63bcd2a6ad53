"""Requests about an organisation as one: fields and limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from central.codemap.answers import CODES
from central.codemap.unused import KINDS, LEFT_OUT, MORE_KINDS, UnusedRequest
from central.http.parameters import (
    OrganizationSerializer,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
)
from central.trace.requests import ChangedFile, ConfidentSerializer, DefinitionsSerializer
from central.trace.resolve.resolve import Confidence
from indexer.limits import MAP_LINKS, MAP_ROWS, UNUSED_LISTED

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


class UnusedRequestSerializer(OrganizationSerializer):
    """`GET /map/unused`."""

    project = StrictCharField(max_length=200, required=False, help_text="Defined in this project")
    kind = serializers.ListField(
        child=StrictChoiceField(choices=[*KINDS, *MORE_KINDS]),
        max_length=len(KINDS) + len(MORE_KINDS),
        required=False,
        help_text=f"Definitions of these kinds only; else {', '.join(KINDS)}",
    )
    include = serializers.ListField(
        child=StrictChoiceField(choices=LEFT_OUT),
        max_length=len(LEFT_OUT),
        required=False,
        help_text="Definitions in such files too",
    )
    doubts = serializers.ListField(
        child=StrictChoiceField(choices=["none", *sorted(CODES)]),
        max_length=len(CODES) + 1,
        required=False,
        help_text="Only those without other doubts than these; none: without any",
    )
    limit = StrictIntegerField(min_value=1, max_value=UNUSED_LISTED, default=50)
    cursor = StrictCharField(max_length=10_000, required=False, help_text="next_cursor of a page")

    def unused_request(self, query: Mapping[str, Any]) -> UnusedRequest:
        found = self.checked(query)
        found = {
            name: tuple(sorted(set(given))) if isinstance(given, list) else given
            for name, given in found.items()
        }
        if "doubts" in found:
            found["doubts"] = tuple(doubt for doubt in found["doubts"] if doubt != "none")
        return UnusedRequest(**found)
