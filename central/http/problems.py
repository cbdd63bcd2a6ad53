"""RFC 9457 problem documents: the one place where an error becomes an HTTP status."""

import json
import sys
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

import structlog
from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework import exceptions as drf
from rest_framework.request import Request

from central import errors
from central.observability.metrics import UNAVAILABLE
from central.runtime.data_directory import disk_space_error
from indexer import errors as indexer_errors
from indexer.output.terminal import first_sentences

CONTENT_TYPE = "application/problem+json"

# A subclass may stand in the table to differ from its parent: the nearest ancestor counts.
STATUSES: dict[type[Exception], int] = {
    errors.ServiceError: 500,
    errors.InvalidError: 400,
    errors.UnauthenticatedError: 401,
    errors.ForbiddenError: 403,
    errors.NotFoundError: 404,
    errors.ConflictError: 409,
    errors.PreconditionError: 412,
    errors.TooLargeError: 413,
    errors.ThrottledError: 429,
    errors.UnavailableError: 503,
    indexer_errors.IndexerError: 500,
    indexer_errors.ConfigurationError: 500,
    indexer_errors.UnconfirmedServerError: 500,
    indexer_errors.GitError: 500,
    indexer_errors.GitTimeoutError: 500,
    indexer_errors.TreeTooLargeError: 500,
    indexer_errors.BlobTooLargeError: 500,
    indexer_errors.UntrustedRepositoryError: 500,
    indexer_errors.NotARepositoryError: 500,
    indexer_errors.CommitNotFoundError: 500,
    indexer_errors.ShallowCloneError: 500,
    indexer_errors.BundleError: 400,
    indexer_errors.ScipInvalidError: 400,
    indexer_errors.ScipDocumentError: 400,
    indexer_errors.EmbeddingError: 500,
    indexer_errors.EmbedderMismatchError: 400,
    indexer_errors.EmbedderUnavailableError: 503,
    indexer_errors.EmbedderRateLimitedError: 503,
    indexer_errors.IdentityError: 500,
    indexer_errors.IdentityUnavailableError: 500,
    indexer_errors.StoreError: 503,
    indexer_errors.CollectionMissingError: 503,
    indexer_errors.StoreUnavailableError: 503,
    indexer_errors.StoreFullError: 503,
    indexer_errors.StoreLockedError: 503,
    indexer_errors.DirectNotAvailableError: 503,
    indexer_errors.CentralError: 500,
    indexer_errors.CentralUnreachableError: 500,
    indexer_errors.CentralRateLimitedError: 500,
    indexer_errors.CentralRefusedError: 500,
    indexer_errors.RunConflictError: 409,
    indexer_errors.RunStaleError: 409,
    indexer_errors.RunFailedError: 500,
    indexer_errors.ForgeError: 500,
    indexer_errors.ForgeUnavailableError: 503,
    indexer_errors.CommentForbiddenError: 500,
}

# Exceptions of this service's dependencies: (code, detail).
_DEPENDENCIES: dict[type[Exception], tuple[str, str]] = {
    OperationalError: (
        "database_unavailable",
        "The database does not answer. Try again shortly; /readyz says when it is back.",
    ),
    InterfaceError: (
        "database_unavailable",
        "The connection to the database was lost. Try again shortly; /readyz says when it is back.",
    ),
    indexer_errors.StoreFullError: (
        "disk_full",
        "The disk of this service is full. Free some space there, and start the service again if "
        "it does not answer then.",
    ),
    indexer_errors.StoreUnavailableError: (
        "vector_store_unavailable",
        "The vector store does not answer. Try again shortly; /readyz says when it is back.",
    ),
    indexer_errors.StoreLockedError: (
        "vector_store_unavailable",
        "The vector store is held by another process of this service. Stop that process.",
    ),
    indexer_errors.StoreError: (
        "vector_store_refused",
        "The vector store refuses what this service asks of it. Its administrator finds the reason "
        "in the service's log.",
    ),
    indexer_errors.EmbedderRateLimitedError: (
        "embedder_unavailable",
        "The embedding service limits the rate of requests. Try again later, or search with "
        "mode=lexical.",
    ),
    indexer_errors.EmbedderUnavailableError: (
        "embedder_unavailable",
        "The embedding service does not answer. Try again shortly, or search with mode=lexical.",
    ),
}

_DISK_FULL = "53100"  # PostgreSQL's

_DRF_CODES = {
    400: "invalid",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "too_large",
    415: "unsupported_media_type",
    429: "throttled",
}

_log = structlog.get_logger(__name__)


def status_of(exc: Exception) -> int | None:
    """Return the HTTP status of a service's or the indexer's error; None for any other."""
    return next((STATUSES[cls] for cls in type(exc).__mro__ if cls in STATUSES), None)


def problem(
    request: HttpRequest | Request,
    *,
    status: int,
    code: str,
    detail: str,
    extra: Mapping[str, object] | None = None,
) -> HttpResponse:
    """Return a problem document about `request`; `extra` are further members."""
    document = {
        **(extra or {}),
        "type": f"urn:aeterna:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        "instance": request.path,
    }
    response = HttpResponse(json.dumps(document), status=status, content_type=CONTENT_TYPE)
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = f'Bearer realm="aeterna", error="{code}"'
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response["Retry-After"] = "5"
    if status == HTTPStatus.TOO_MANY_REQUESTS and extra:
        response["Retry-After"] = str(extra["retry_after"])
    return response


class ProblemDetails(NamedTuple):
    """An expected error as reported to the caller; `extra` are further members."""

    status: int
    code: str
    detail: str
    extra: Mapping[str, object] = {}


_NOT_FOUND = ProblemDetails(
    404, "not_found", "There is nothing at this address; GET /api/v1/schema lists what there is."
)
_FORBIDDEN = ProblemDetails(403, "forbidden", "This is not allowed.")
_TOO_LARGE = ProblemDetails(
    413, "too_large", "The body is too large."
)  # DATA_UPLOAD_MAX_MEMORY_SIZE
_FRAMEWORK: dict[type[Exception], ProblemDetails] = {
    RequestDataTooBig: _TOO_LARGE,
    Http404: _NOT_FOUND,
    PermissionDenied: _FORBIDDEN,
}


def problem_for(exc: Exception) -> ProblemDetails | None:
    """Return the report of an expected error, for every protocol; None for any other."""
    if unavailable := _unavailable(exc):
        _log.warning("dependency_unavailable", code=unavailable[0], error=str(exc))
        UNAVAILABLE.labels(unavailable[0]).inc()
        return ProblemDetails(503, *unavailable)
    if isinstance(exc, errors.ServiceError):
        return ProblemDetails(status_of(exc) or 500, exc.code, exc.message, exc.extra)
    if isinstance(exc, indexer_errors.BundleError):
        return ProblemDetails(400, exc.code, str(exc))
    if isinstance(exc, drf.APIException):
        code = _DRF_CODES.get(exc.status_code, "error")
        return ProblemDetails(exc.status_code, code, first_sentences(_sentences(exc.detail)))
    return next((_FRAMEWORK[cls] for cls in type(exc).__mro__ if cls in _FRAMEWORK), None)


def response_to(request: HttpRequest | Request, exc: Exception) -> HttpResponse | None:
    """Return the problem document for `exc`; None if it is unexpected."""
    found = problem_for(exc)
    return None if found is None else problem(request, **found._asdict())


def _unavailable(exc: Exception) -> tuple[str, str] | None:
    """Return code and detail for an unavailable dependency; None for anything else."""
    sqlstate = getattr(exc.__cause__, "sqlstate", None) or ""
    if sqlstate.startswith("54"):  # "operational" too: a statement beyond PostgreSQL's limits
        return None
    # PostgreSQL ends where it has no space for its log, and then does not say why.
    if sqlstate == _DISK_FULL or (isinstance(exc, OperationalError) and _is_disk_full()):
        return _DEPENDENCIES[indexer_errors.StoreFullError]
    return next(
        (_DEPENDENCIES[cls] for cls in type(exc).__mro__ if cls in _DEPENDENCIES),
        None,
    )


def _is_disk_full() -> bool:
    if not settings.DATABASE_IS_EMBEDDED:  # the database may be on another disk
        return False
    try:
        return bool(disk_space_error(settings.DATA_DIR))
    except OSError:  # the disk itself may be gone
        return False


def _sentences(detail: Any, where: str = "") -> Iterator[str]:
    """Flatten REST framework's nested error detail: "field: sentence"."""
    if isinstance(detail, dict):
        for key, value in detail.items():
            inner = where if key == "non_field_errors" else f"{where}.{key}" if where else str(key)
            yield from _sentences(value, inner)
    elif isinstance(detail, list):
        for index, value in enumerate(detail):
            nested = isinstance(value, dict | list)
            yield from _sentences(value, f"{where}[{index}]" if nested else where)
    else:
        yield f"{where}: {detail}" if where else str(detail)


def exception_handler(exc: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """REST framework's hook: None lets an unexpected error propagate to `server_error`."""
    return response_to(context["request"], exc)


# --- Django's own handlers (see central.urls) ---------------------------------------------------


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """`handler400`: what Django itself refuses, such as an unknown Host header."""
    del exception
    return problem(request, status=400, code="invalid", detail="The request is malformed.")


def forbidden(
    request: HttpRequest | Request, exception: Exception | None = None, reason: str = ""
) -> HttpResponse:
    """`handler403`, and the view of a failed CSRF check."""
    del exception
    return problem(request, status=403, code="forbidden", detail=reason or _FORBIDDEN.detail)


def not_found(request: HttpRequest | Request, exception: Exception | None = None) -> HttpResponse:
    """`handler404`."""
    del exception
    return problem(request, **_NOT_FOUND._asdict())


def server_error(request: HttpRequest) -> HttpResponse:
    """`handler500`: 503 if the database is unavailable; the log has the traceback."""
    exc = sys.exc_info()[1]
    expected = response_to(request, exc) if isinstance(exc, Exception) else None
    return expected or problem(
        request,
        status=500,
        code="internal_error",
        detail="This service failed. The log has the details under this request's X-Request-Id.",
    )
