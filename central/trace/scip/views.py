"""`/api/v1/trace/scip`: parse, call, stream."""

from typing import Any, Final

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers

from central.http.parameters import OrganizationSerializer, StrictCharField
from central.tenancy.credentials import Credential
from central.tenancy.views import CredentialView, answers
from central.trace.scip.export import export_scip

_SCIP: Final = "application/x-protobuf"


class ScipRequestSerializer(OrganizationSerializer):
    """`GET /trace/scip`."""

    project = StrictCharField(max_length=200)
    project_root = StrictCharField(
        max_length=4_096,
        required=False,
        help_text="The URL of the checkout that paths are relative to; file:///<project>",
    )

    def validate_project_root(self, value: str) -> str:
        """Refuse what no reader would take for the place of a checkout."""
        if not value.startswith("file:///"):
            raise serializers.ValidationError("It begins with file:///, as file:///src/payments.")
        return value


_ASKED = ScipRequestSerializer()


class ScipView(CredentialView):
    @answers("trace_scip", ScipRequestSerializer, {(200, _SCIP): OpenApiTypes.BINARY})
    def get(self, credential: Credential, query: dict[str, Any]) -> StreamingHttpResponse:
        """A repository's index as SCIP. An answer that ends early is of no use: ask again."""
        asked = _ASKED.checked(query)
        repository, parts = export_scip(credential=credential, **asked)
        response = StreamingHttpResponse(parts, content_type=_SCIP)
        response["X-Indexed-Commit"] = repository.commit
        return response
