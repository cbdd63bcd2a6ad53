"""The indexing API: parse, call a service, answer."""

from base64 import b64encode
from dataclasses import fields
from typing import Any, Final, TypeVar
from uuid import UUID

from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from central.background import BATCHES, RUNS
from central.corpus.authors import authors_of
from central.corpus.commits import stored_commits
from central.corpus.scip import stored_documents
from central.errors import InvalidError
from central.http.bodies import body_parts, json_object, max_gzip_bytes, read_body
from central.http.parameters import INTEGER, query_object
from central.http.streams import DeferredResponse
from central.http.urls import absolute_url
from central.ingest import serializers, signing
from central.ingest.models import IndexRun
from central.ingest.run_waits import RUN_WAITS, enter_wait, watch_ends
from central.ingest.selectors import visible_run
from central.ingest.services.access import open_run_of
from central.ingest.services.batches import put_batch, put_tree
from central.ingest.services.known_embeddings import known_embeddings, max_digests
from central.ingest.services.open_run import Opened, RunRequest, open_run
from central.ingest.services.queue_run import RunSummary, queue_run
from central.ingest.services.run_lifecycle import ABANDON_REASONS, abandon_run
from central.repositories.states import BUSY_RUN_STATES
from central.tenancy.authentication import credential_in
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope
from indexer.records.authors import AuthorPolicy
from indexer.records.files import COMMIT_LINES, COMMITS, RECORD_FIELDS
from indexer.records.runs import RUN_END_WAIT_SECONDS
from indexer.records.vectors import DirectUploadGrant, EmbedderSpec

WEBHOOK_BYTES: Final = 256 * 1024
_Request = TypeVar("_Request", RunRequest, RunSummary)


def _read(
    kind: type[_Request], credential: Credential, serializer: type[Serializer[Any]], data: Any
) -> _Request:
    """Validate a body and make its record; null stands for the record's default.

    The organisation is checked first.
    """
    if not isinstance(data, dict):
        raise InvalidError("The body must be a JSON object.")
    org_id = data.get("org_id")
    if not isinstance(org_id, str):
        raise InvalidError("org_id: give the organisation's slug as a string.")
    credential.require_organization(org_id)
    bound = serializer(data=data)
    bound.is_valid(raise_exception=True)
    named = {field.name for field in fields(kind)} & bound.validated_data.keys()
    given = {name: bound.validated_data[name] for name in named}
    return kind(**{name: value for name, value in given.items() if value is not None})


class RunsView(APIView):
    """Runs of the organisation's repositories."""

    required_scope = Scope.INDEX

    @extend_schema(
        operation_id="index_run_open",
        request=serializers.OpenRunRequest,
        responses={201: serializers.OpenedRun},
    )
    def post(self, request: Request) -> Response:
        """Open a run: answers what the index has, so that the client can decide what to send."""
        credential = credential_in(request)
        asked = _read(RunRequest, credential, serializers.OpenRunRequest, request.data)
        opened = open_run(credential=credential, request=asked)
        return Response(_opened(opened), status=status.HTTP_201_CREATED)


def _opened(opened: Opened) -> dict[str, object]:
    run = opened.run
    embedder = EmbedderSpec.parse(run.embedder)
    return {
        "run_id": str(run.pk),
        "webhook_secret": signing.webhook_secret(run.pk),
        "base_commit": run.base_commit or None,
        "base_extractor": run.index.extractor or None,
        "base_embedder": run.index.embedder or None,
        "reindex": run.repository.reindex_requested_at is not None,
        "generation": run.generation,
        "embedder": {
            "provider": embedder.provider,
            "model": embedder.model,
            "dimensions": embedder.dimensions,
        },
        "limits": {
            "batch_bytes": settings.BATCH_MAX_BYTES,
            "batch_files": settings.BATCH_MAX_FILES,
            "digests": max_digests(run),
        },
        "record_fields": sorted(RECORD_FIELDS - _fields_that_are_off(run)),
        "authors": _authors(run),
        "vector_store": opened.access and _vector_store(run, opened.access),
    }


def _fields_that_are_off(run: IndexRun) -> set[str]:
    if run.branch_id or not settings.HISTORY_COMMITS:  # commits are the default branch's
        return {COMMITS, COMMIT_LINES}
    return set() if settings.HISTORY_LINES else {COMMIT_LINES}


def _authors(run: IndexRun) -> dict[str, object]:
    authors = authors_of(run.repository.organization)
    has_key = authors.policy is AuthorPolicy.HASHED
    return {"policy": authors.policy.value, "key": authors.key.hex() if has_key else ""}


def _vector_store(run: IndexRun, access: DirectUploadGrant) -> dict[str, object]:
    return {
        "url": access.url,
        "collection": access.collection,
        "token": access.token,
        "expires_at": access.expires_at,
        "repository": run.repository_id,
    }


class RunView(APIView):
    """One run."""

    required_scope = Scope.INDEX

    @extend_schema(
        operation_id="index_run_read",
        parameters=[serializers.RunQuery],
        responses=serializers.Run,
    )
    def get(self, request: Request, run_id: UUID) -> Response:
        """State, progress and error of a run; with `wait`, of its end if that comes in time."""
        credential = credential_in(request)
        seconds = _wait_seconds(request)
        organization_id = credential.organization.pk
        wait = enter_wait(run_id, organization_id=organization_id) if seconds else None
        run = visible_run(credential=credential, run_id=run_id)
        data = serializers.Run(run).data
        if wait is None or run.state not in BUSY_RUN_STATES:
            return Response(data)
        watch_ends()
        return DeferredResponse(data, wait=wait, waits=RUN_WAITS, seconds=seconds)

    @extend_schema(
        operation_id="index_run_abandon",
        parameters=[
            OpenApiParameter("reason", str, enum=ABANDON_REASONS, description="Why it is abandoned")
        ],
        responses={204: None},
    )
    def delete(self, request: Request, run_id: UUID) -> Response:
        """Give an open run up: there is nothing to do, or it was cancelled."""
        reason = request.query_params.get("reason", "")
        if reason and reason not in ABANDON_REASONS:
            raise InvalidError(f"reason: one of {', '.join(ABANDON_REASONS)}.")
        abandon_run(credential=credential_in(request), run_id=run_id, reason=reason)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _wait_seconds(request: Request) -> int:
    query = query_object(request.query_params, lists=frozenset(), numbers={"wait": INTEGER})
    bound = serializers.RunQuery(data=query)
    bound.is_valid(raise_exception=True)
    return min(int(bound.validated_data["wait"]), RUN_END_WAIT_SECONDS)


class TreeView(APIView):
    """The tree of a full run."""

    required_scope = Scope.INDEX

    @extend_schema(
        operation_id="index_run_put_tree",
        request={"application/x-ndjson": OpenApiTypes.BINARY},
        responses=serializers.TreeAnswerSerializer,
    )
    def put(self, request: Request, run_id: UUID) -> HttpResponse:
        """Send the commit's whole tree (NDJSON, plain or gzip); answers which paths are missing."""
        limit = max_gzip_bytes(settings.TREE_MAX_BYTES)
        answer = put_tree(
            credential=credential_in(request),
            run_id=run_id,
            parts=body_parts(request, limit_bytes=limit, code="tree_too_large"),
        )
        # Unparsed: a list of a million paths takes several times the memory of its text.
        content = b'{"changed":%s,"removed":%d}' % (answer.changed, answer.removed)
        return HttpResponse(content, content_type="application/json")


class BatchView(APIView):
    """One numbered batch of a run."""

    required_scope = Scope.INDEX

    @extend_schema(
        operation_id="index_run_put_batch",
        request={"application/gzip": OpenApiTypes.BINARY},
        responses={204: None},
    )
    def put(self, request: Request, run_id: UUID, number: int) -> Response:
        """Send file records and removals (gzip NDJSON)."""
        limit = max_gzip_bytes(settings.BATCH_MAX_BYTES)
        put_batch(
            credential=credential_in(request),
            run_id=run_id,
            number=number,
            data=read_body(request, limit_bytes=limit, code="batch_too_large"),
        )
        BATCHES.wake()
        return Response(status=status.HTTP_204_NO_CONTENT)


class CommitsView(APIView):
    """What is stored of the branch's history."""

    required_scope = Scope.INDEX

    @extend_schema(operation_id="index_run_commits", responses=serializers.CommitsAnswer)
    def get(self, request: Request, run_id: UUID) -> Response:
        """List the commits that need not be sent again."""
        run = open_run_of(credential=credential_in(request), run_id=run_id)
        return Response({"commits": stored_commits(run.repository_id)})


class ScipView(APIView):
    """What is stored of SCIP indexes."""

    required_scope = Scope.INDEX

    @extend_schema(operation_id="index_run_scip", responses=serializers.ScipAnswer)
    def get(self, request: Request, run_id: UUID) -> Response:
        """List the documents that need not be sent again: those of equal blob and digest."""
        run = open_run_of(credential=credential_in(request), run_id=run_id)
        return Response({"documents": stored_documents(run.repository_id)})


class EmbeddingsView(APIView):
    """Embeddings that are stored already."""

    required_scope = Scope.INDEX

    @extend_schema(
        operation_id="index_run_known_embeddings",
        request=serializers.DigestsRequest,
        responses=serializers.DigestsAnswer,
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        """Ask which digests need not be embedded; in a direct run the answer has their vectors."""
        bound = serializers.DigestsRequest(data=request.data)
        bound.is_valid(raise_exception=True)
        known = known_embeddings(
            credential=credential_in(request),
            run_id=run_id,
            digests=bound.validated_data["digests"],
        )
        if known.vectors is None:
            return Response({"known": known.digests})
        vectors = {digest: b64encode(vector).decode() for digest, vector in known.vectors.items()}
        return Response({"known": known.digests, "vectors": vectors})


class WebhookView(APIView):
    """The end of a run's uploads."""

    required_scope = Scope.INDEX

    @extend_schema(
        operation_id="index_updated",
        request=serializers.WebhookRequest,
        parameters=[
            OpenApiParameter(name, str, OpenApiParameter.HEADER, required=True)
            for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
        ],
        responses={202: serializers.WebhookAnswer},
    )
    def post(self, request: Request) -> Response:
        """Say that all is uploaded, signed as Standard Webhooks with the run's secret."""
        body = read_body(request, limit_bytes=WEBHOOK_BYTES)
        webhook_id = signing.verified_run_id(request.headers, body)
        credential = credential_in(request)
        said = _read(RunSummary, credential, serializers.WebhookRequest, json_object(body))
        run = queue_run(credential=credential, summary=said, webhook_id=webhook_id, body=body)
        RUNS.wake(str(run.pk))
        status_url = absolute_url(request, reverse("index-run", args=[run.pk]))
        slug = credential.organization.slug
        page_url = absolute_url(request, reverse("web:run", args=[slug, run.pk]))
        return Response(
            {"job_id": str(run.pk), "status_url": status_url, "page_url": page_url},
            status=status.HTTP_202_ACCEPTED,
        )
