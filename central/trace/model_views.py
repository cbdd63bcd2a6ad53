"""`/api/v1/trace/models`: the models of libraries, and whether an organisation uses them."""

from dataclasses import dataclass
from typing import Annotated, Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.http.parameters import StrictBooleanField, StrictCharField, body_object, to_json
from central.http.serializers import serializer_of
from central.tenancy.audit import credential_actor
from central.tenancy.authentication import credential_for
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope
from central.tenancy.services.organizations import set_models
from central.trace.resolve.library_models import library_models


@dataclass(frozen=True, slots=True)
class ModelledLibrary:
    """A library of which there is a model."""

    name: str
    versions: str
    source: Annotated[str, "Address of the documentation that the model follows"]


@dataclass(frozen=True, slots=True)
class ModelsSetting:
    """The models, and whether traces use them."""

    enabled: bool
    version: Annotated[str, "Changes with any of the models"]
    libraries: list[ModelledLibrary]


ModelsSettingSerializer = serializer_of(ModelsSetting, {})


class ModelsRequest(serializers.Serializer[Any]):
    """`PUT /api/v1/trace/models`."""

    org_id = StrictCharField()
    enabled = StrictBooleanField()


def _setting(*, is_on: bool) -> Response:
    known = library_models()
    libraries = [ModelledLibrary(one.name, one.versions, one.source) for one in known.libraries]
    return Response(to_json(ModelsSetting(is_on, known.version, libraries)))


def _credential(request: Request, org_id: object) -> Credential:
    """Return a credential of the whole organisation, of whose traces the setting decides."""
    credential = credential_for(request, org_id)
    credential.require_whole_organization()
    return credential


class ModelsView(APIView):
    """The models of libraries of an organisation's traces."""

    required_scope = Scope.ADMIN

    @extend_schema(
        operation_id="trace_models",
        parameters=[OpenApiParameter("org_id", str)],
        responses=ModelsSettingSerializer,
    )
    def get(self, request: Request) -> Response:
        """Name the models, and say whether traces use them."""
        credential = _credential(request, request.query_params.get("org_id"))
        return _setting(is_on=credential.organization.uses_models)

    @extend_schema(
        operation_id="trace_models_set",
        request=ModelsRequest,
        responses=ModelsSettingSerializer,
    )
    def put(self, request: Request) -> Response:
        """Have traces use them or not, from the next request on."""
        body = body_object(request)
        credential = _credential(request, body.get("org_id"))
        bound = ModelsRequest(data=body)
        bound.is_valid(raise_exception=True)
        is_on = bound.validated_data["enabled"]
        set_models(credential.organization, is_on=is_on, actor=credential_actor(credential))
        return _setting(is_on=is_on)
