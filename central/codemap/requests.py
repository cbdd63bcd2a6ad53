"""Requests about an organisation as one: fields and limits."""

from central.http.parameters import StrictCharField, StrictChoiceField, StrictIntegerField
from central.trace.requests import ConfidentSerializer
from indexer.limits import MAP_LINKS

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
