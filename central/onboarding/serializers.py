"""The bodies of the onboarding API."""

from rest_framework import serializers

from central.http.parameters import (
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)
from central.onboarding.services.requests import BACKFILL_URLS
from indexer.forge.selection import FORGE_PATTERNS


def _words(what: str) -> serializers.ListField:
    return serializers.ListField(
        child=StrictCharField(max_length=200),
        max_length=FORGE_PATTERNS,
        default=list,
        help_text=what,
    )


class SelectionSerializer(StrictSerializer):
    """Which of the owner's repositories are meant."""

    include = _words("Patterns of names, such as shop-*; empty: all")
    exclude = _words("Patterns of names that are left out")
    topics = _words("A repository needs one of them; empty: any")
    archived = StrictBooleanField(default=False, help_text="Archived ones too")
    forks = StrictBooleanField(default=False, help_text="Forks too")
    max_megabytes = StrictIntegerField(
        required=False, allow_null=True, min_value=1, help_text="Larger ones are left out"
    )


class OnboardingRequest(StrictSerializer):
    """`POST /api/v1/onboarding`: an owner at GitHub, or addresses."""

    org_id = StrictCharField()
    owner = StrictCharField(
        required=False,
        allow_null=True,
        max_length=100,
        help_text="The organisation or user at GitHub that this organisation belongs to",
    )
    urls = serializers.ListField(
        child=StrictCharField(max_length=500),
        required=False,
        allow_null=True,
        min_length=1,
        max_length=BACKFILL_URLS,
        help_text="Instead of an owner: repositories at hosts that the operator allows",
    )
    selection = SelectionSerializer(required=False, allow_null=True)
