"""`/api/v1/trace/models`: the models of libraries, and whether an organisation uses them."""

from dataclasses import dataclass
from typing import Annotated, Any

from central.http.parameters import OrganizationSerializer, StrictBooleanField
from central.http.serializers import serializer_of
from central.tenancy.audit import credential_actor
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope
from central.tenancy.services.organizations import set_models
from central.tenancy.views import CredentialView, answers
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


class ModelsRequestSerializer(OrganizationSerializer):
    """`PUT /api/v1/trace/models`."""

    enabled = StrictBooleanField()


_REQUEST = ModelsRequestSerializer()


def _setting(*, is_on: bool) -> ModelsSetting:
    known = library_models()
    libraries = [
        ModelledLibrary(library.name, library.versions, library.source)
        for library in known.libraries
    ]
    return ModelsSetting(is_on, known.version, libraries)


class ModelsView(CredentialView):
    """The models of libraries of an organisation's traces; credentials that see all of it ask."""

    required_scope = Scope.ADMIN

    @answers("trace_models", OrganizationSerializer, ModelsSettingSerializer)
    def get(self, credential: Credential, _: dict[str, Any]) -> ModelsSetting:
        """Name the models, and say whether traces use them."""
        credential.require_whole_organization()
        return _setting(is_on=credential.organization.uses_models)

    @answers("trace_models_set", ModelsRequestSerializer, ModelsSettingSerializer, in_body=True)
    def put(self, credential: Credential, body: dict[str, Any]) -> ModelsSetting:
        """Have traces use them or not, from the next request on."""
        credential.require_whole_organization()
        is_on = _REQUEST.checked(body)["enabled"]
        set_models(credential.organization, is_on=is_on, actor=credential_actor(credential))
        return _setting(is_on=is_on)
