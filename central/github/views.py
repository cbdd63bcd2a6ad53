"""Token exchange and GitHub's webhooks over HTTP."""

import re
from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.errors import InvalidError
from central.github.grants import Purpose
from central.github.services.deliveries import deliver
from central.github.services.token_exchange import exchange_id_token
from central.github.signatures import SIGNATURE_HEADER, verify_signature
from central.http.bodies import GITHUB_WEBHOOK_BYTES, json_object, read_body
from central.http.parameters import StrictCharField, StrictChoiceField

ID_TOKEN_BYTES: Final = 32 * 1024


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


class GitHubOidcView(APIView):
    """Id tokens of GitHub Actions. The token itself is the credential, and says who asks."""

    authentication_classes = ()
    permission_classes = ()

    @extend_schema(
        operation_id="auth_github_oidc", request=IdTokenRequest, responses=AccessToken, auth=[]
    )
    def post(self, request: Request) -> Response:
        """Exchange a job's id token for a short-lived API token."""
        bound = IdTokenRequest(data=json_object(read_body(request, limit_bytes=ID_TOKEN_BYTES)))
        bound.is_valid(raise_exception=True)
        access_token, expires_in = exchange_id_token(
            token=bound.validated_data["token"], purpose=Purpose(bound.validated_data["purpose"])
        )
        return Response(
            {"access_token": access_token, "expires_in": expires_in},
            headers={"Cache-Control": "no-store"},
        )


_EVENT_HEADER, _DELIVERY_HEADER = "X-GitHub-Event", "X-GitHub-Delivery"
_EVENT = re.compile(r"[a-z_]{1,60}\Z")
_DELIVERY = re.compile(r"[A-Za-z0-9-]{1,100}\Z")


class GitHubWebhookView(APIView):
    """Webhooks of the GitHub App and of organisations. The signature is the credential."""

    authentication_classes = ()
    permission_classes = ()

    @extend_schema(
        operation_id="github_webhook",
        request=OpenApiTypes.OBJECT,
        parameters=[
            *(
                OpenApiParameter(name, str, OpenApiParameter.HEADER, required=True)
                for name in (SIGNATURE_HEADER, _EVENT_HEADER, _DELIVERY_HEADER)
            ),
            OpenApiParameter(
                "org_id", str, description="Whose own secret signs; without: the App's"
            ),
        ],
        responses={202: DeliveryOutcome},
        auth=[],
    )
    def post(self, request: Request) -> Response:
        """Take what GitHub tells: pushes, renamed and removed repositories, installations."""
        body = read_body(request, limit_bytes=GITHUB_WEBHOOK_BYTES)
        organization = verify_signature(
            org_id=request.query_params.get("org_id"),
            signature=request.headers.get(SIGNATURE_HEADER),
            body=body,
        )
        if request.content_type.partition(";")[0].strip().lower() != "application/json":
            raise UnsupportedMediaType(
                request.content_type,
                "Choose the content type application/json in the webhook's settings on GitHub.",
            )
        outcome = deliver(
            organization=organization,
            delivery_id=_header(request, _DELIVERY_HEADER, _DELIVERY),
            event=_header(request, _EVENT_HEADER, _EVENT),
            payload=json_object(body),
        )
        return Response({"outcome": outcome}, status=status.HTTP_202_ACCEPTED)


def _header(request: Request, name: str, pattern: re.Pattern[str]) -> str:
    value = request.headers.get(name, "")
    if not pattern.match(value):
        raise InvalidError(f"{name} must be as GitHub sends it.", code="github_header_invalid")
    return value
