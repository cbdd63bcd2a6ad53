"""Backfills over HTTP, for administrators of an organisation."""

import re
from typing import Any
from uuid import UUID

from django.db import transaction
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.background import BACKFILLS
from central.errors import InvalidError
from central.http.parameters import (
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
    body_object,
    to_json,
)
from central.http.serializers import serializer_of
from central.onboarding.models import Backfill
from central.onboarding.progress import BackfillProgress, progress_of
from central.onboarding.services.requests import (
    BACKFILL_URLS,
    cancel_backfill,
    find_backfill,
    request_addresses,
    request_owner,
)
from central.tenancy.audit import credential_actor
from central.tenancy.authentication import whole_credential_for
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope
from indexer.forge.selection import FORGE_PATTERNS, Selection

_LISTED = 50  # the newest backfills
_NUMBER = re.compile(r"[0-9]{1,18}")


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


BackfillProgressSerializer = serializer_of(BackfillProgress, {})


class OnboardingListSerializer(serializers.Serializer[Any]):
    """The organisation's newest backfills, without their repositories."""

    backfills = BackfillProgressSerializer(many=True)


class OnboardingsView(APIView):
    """Backfills of an organisation."""

    required_scope = Scope.ADMIN

    @extend_schema(
        operation_id="onboarding_start",
        request=OnboardingRequest,
        responses={202: BackfillProgressSerializer},
    )
    def post(self, request: Request) -> Response:
        """Index an owner's repositories, or those at some addresses, without a workflow in each.

        The same request again tries failed ones again and adds new ones; nothing is indexed twice.
        """
        body = body_object(request)
        credential = whole_credential_for(request, body.get("org_id"))
        bound = OnboardingRequest(data=body)
        bound.is_valid(raise_exception=True)
        backfill = _start(credential, bound.validated_data)
        transaction.on_commit(BACKFILLS.wake)
        return Response(to_json(progress_of(backfill)), status=status.HTTP_202_ACCEPTED)

    @extend_schema(
        operation_id="onboarding_list",
        parameters=[OpenApiParameter("org_id", str)],
        responses=OnboardingListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List the newest backfills with their counts."""
        credential = whole_credential_for(request, request.query_params.get("org_id"))
        found = Backfill.objects.filter(organization=credential.organization)
        newest = found.select_related("organization")[:_LISTED]
        return Response(
            {"backfills": [to_json(progress_of(backfill, rows=0)) for backfill in newest]}
        )


class OnboardingView(APIView):
    """One backfill."""

    required_scope = Scope.ADMIN

    @extend_schema(
        operation_id="onboarding_progress",
        parameters=[
            OpenApiParameter("org_id", str),
            OpenApiParameter("after", int, description="`next_after` of the page before"),
        ],
        responses=BackfillProgressSerializer,
    )
    def get(self, request: Request, backfill_id: UUID) -> Response:
        """Say how far it is, and a page of its repositories."""
        query = request.query_params
        credential = whole_credential_for(request, query.get("org_id"))
        after = query.get("after", "0")
        if not _NUMBER.fullmatch(after):
            raise InvalidError("after: give the next_after of the page before.")
        backfill = find_backfill(organization=credential.organization, backfill_id=backfill_id)
        return Response(to_json(progress_of(backfill, after=int(after))))

    @extend_schema(
        operation_id="onboarding_cancel",
        parameters=[OpenApiParameter("org_id", str)],
        request=None,
        responses={204: None},
    )
    def delete(self, request: Request, backfill_id: UUID) -> Response:
        """End it: nothing more is cloned for it, and pushes are not followed. The index stays."""
        credential = whole_credential_for(request, request.query_params.get("org_id"))
        backfill = find_backfill(organization=credential.organization, backfill_id=backfill_id)
        cancel_backfill(backfill, actor=credential_actor(credential))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _start(credential: Credential, data: dict[str, Any]) -> Backfill:
    owner, urls = data.get("owner"), data.get("urls")
    if bool(owner) == bool(urls):
        raise InvalidError("Give either owner or urls.")
    organization, actor = credential.organization, credential_actor(credential)
    if owner:
        selection = Selection.of(data.get("selection") or {})
        return request_owner(
            organization=organization, owner=owner, selection=selection, actor=actor
        )
    return request_addresses(
        organization=organization, urls=urls or [], actor=actor, may_use_credentials=False
    )
