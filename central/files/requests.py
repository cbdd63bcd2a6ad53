"""Requests for lists and content: fields and limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from central.http.parameters import (
    OrganizationSerializer,
    StrictCharField,
    StrictIntegerField,
)
from indexer.limits import FILES_LISTED, GLOB_CHARACTERS

_LINES = 10_000_000


@dataclass(frozen=True, slots=True)
class ListRequest:
    """A validated `GET /files`, without the organisation."""

    project: str
    path: str = ""
    glob: str = ""
    limit: int = 200
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class ContentRequest:
    """A validated `GET /files/content`, without the organisation; `end_line` 0 is the last."""

    project: str
    path: str
    start_line: int = 1
    end_line: int = 0


class ProjectRequestSerializer(OrganizationSerializer):
    """A repository of an organisation."""

    project = StrictCharField(max_length=200, help_text="The repository's name")


class ListRequestSerializer(ProjectRequestSerializer):
    """`GET /files`."""

    path = StrictCharField(
        max_length=1_024,
        required=False,
        allow_blank=True,
        help_text="A directory, from the repository's root; without: the root",
    )
    glob = StrictCharField(
        max_length=GLOB_CHARACTERS,
        required=False,
        help_text="Paths that match, as in .gitignore: *.py at any depth, src/**/test_*.go "
        "from the directory; without: the entries of the directory",
    )
    limit = StrictIntegerField(min_value=1, max_value=FILES_LISTED, default=200)
    cursor = StrictCharField(max_length=10_000, required=False, help_text="next_cursor of a page")

    def list_request(self, query: Mapping[str, Any]) -> ListRequest:
        """Return the parameters as a record."""
        return ListRequest(**self.checked(query))


class ContentRequestSerializer(ProjectRequestSerializer):
    """`GET /files/content`."""

    path = StrictCharField(max_length=1_024, help_text="The file, from the repository's root")
    start_line = StrictIntegerField(min_value=1, max_value=_LINES, default=1)
    end_line = StrictIntegerField(
        min_value=1, max_value=_LINES, required=False, help_text="Inclusive; without: the last"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse lines in the wrong order."""
        if attrs.get("end_line", attrs["start_line"]) < attrs["start_line"]:
            raise serializers.ValidationError(
                {"end_line": ["The last line must not be before start_line."]}
            )
        return attrs

    def content_request(self, query: Mapping[str, Any]) -> ContentRequest:
        """Return the parameters as a record."""
        return ContentRequest(**self.checked(query))
