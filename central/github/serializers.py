"""The bodies of the keyless exchange."""

from typing import Any

from rest_framework import serializers

from central.common.fields import StrictCharField, StrictChoiceField
from central.github.granting import Purpose


class IdTokenRequest(serializers.Serializer[Any]):
    """`POST /api/v1/auth/github-oidc`."""

    token = StrictCharField()
    purpose = StrictChoiceField(choices=[purpose.value for purpose in Purpose])


class AccessToken(serializers.Serializer[Any]):
    """An API token, for so many seconds."""

    access_token = serializers.CharField()
    expires_in = serializers.IntegerField()


class DeliveryOutcome(serializers.Serializer[Any]):
    """What became of a webhook's delivery."""

    outcome = serializers.CharField()
