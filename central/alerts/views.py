"""Alerts over HTTP, for administrators of an organisation."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.alerts.delivery import ALERT_ADDRESS_CHARACTERS
from central.alerts.services.destinations import remove_destination, send_test, set_destination
from central.alerts.signing import signing_secret
from central.alerts.status import AlertStatus, alert_status
from central.background import ALERTS
from central.http.parameters import (
    StrictBooleanField,
    StrictCharField,
    StrictSerializer,
    body_object,
    to_json,
)
from central.http.serializers import serializer_of
from central.tenancy.audit import credential_actor
from central.tenancy.authentication import whole_credential_for
from central.tenancy.models import Scope

AlertStatusSerializer = serializer_of(AlertStatus, {})


class AlertDestinationRequest(StrictSerializer):
    """`PUT /api/v1/alerts`."""

    org_id = StrictCharField()
    address = StrictCharField(
        max_length=ALERT_ADDRESS_CHARACTERS,
        help_text="https:// address that takes Slack's messages, or your own receiver's",
    )
    new_secret = StrictBooleanField(
        default=False, help_text="Replace the secret that signs messages"
    )


class AlertDestinationSetSerializer(AlertStatusSerializer):  # type: ignore[misc, valid-type]
    """The state, with the secret by which the receiver verifies messages."""

    secret = serializers.CharField(help_text="whsec_…, as in Standard Webhooks")


class AlertTestRequest(StrictSerializer):
    """`POST /api/v1/alerts/test`."""

    org_id = StrictCharField()


class AlertTestSerializer(serializers.Serializer[Any]):
    """What came of a test."""

    delivered = serializers.BooleanField()
    error = serializers.CharField(allow_null=True)


class AlertsView(APIView):
    """The receiver of an organisation's alerts."""

    required_scope = Scope.ADMIN

    @extend_schema(
        operation_id="alerts_status",
        parameters=[OpenApiParameter("org_id", str)],
        responses=AlertStatusSerializer,
    )
    def get(self, request: Request) -> Response:
        """Say where alerts go and what is wrong."""
        credential = whole_credential_for(request, request.query_params.get("org_id"))
        return Response(to_json(alert_status(credential.organization)))

    @extend_schema(
        operation_id="alerts_set",
        request=AlertDestinationRequest,
        responses=AlertDestinationSetSerializer,
    )
    def put(self, request: Request) -> Response:
        """Send alerts to an address. The same again shows the secret again."""
        body = body_object(request)
        credential = whole_credential_for(request, body.get("org_id"))
        bound = AlertDestinationRequest(data=body)
        bound.is_valid(raise_exception=True)
        destination = set_destination(
            organization=credential.organization,
            address=bound.validated_data["address"],
            new_secret=bound.validated_data["new_secret"],
            actor=credential_actor(credential),
        )
        ALERTS.wake()
        status = to_json(alert_status(credential.organization))
        return Response({**status, "secret": signing_secret(destination)})

    @extend_schema(
        operation_id="alerts_remove",
        parameters=[OpenApiParameter("org_id", str)],
        request=None,
        responses={204: None},
    )
    def delete(self, request: Request) -> Response:
        """Send no more alerts."""
        credential = whole_credential_for(request, request.query_params.get("org_id"))
        remove_destination(organization=credential.organization, actor=credential_actor(credential))
        return Response(status=204)


class AlertTestView(APIView):
    """A test of the receiver."""

    required_scope = Scope.ADMIN

    @extend_schema(
        operation_id="alerts_test", request=AlertTestRequest, responses=AlertTestSerializer
    )
    def post(self, request: Request) -> Response:
        """Send a test now and say whether it was delivered. It resumes a suspended receiver."""
        credential = whole_credential_for(request, body_object(request).get("org_id"))
        failure = send_test(organization=credential.organization)
        ALERTS.wake()
        return Response(
            {"delivered": failure is None, "error": failure.message if failure else None}
        )
