"""Keyless trust: parse, exchange, answer."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.common.bodies import json_object, read_body
from central.github.granting import Purpose
from central.github.serializers import AccessToken, IdTokenRequest
from central.github.services.exchanging import exchange_id_token
from indexer.limits import ID_TOKEN_BYTES


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
