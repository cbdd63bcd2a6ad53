"""Every error of the client, over gRPC and REST, is one of this project's."""

import grpc
import httpx
import pytest
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import (
    ApiException,
    ResponseHandlingException,
    UnexpectedResponse,
)

from indexer.errors import (
    CollectionMissingError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
)
from indexer.store.qdrant.connection import FOREIGN, translate_error

AWAY = StoreUnavailableError


class Failed(grpc.RpcError, grpc.Call):  # type: ignore[misc]
    """What a stub raises."""

    def __init__(self, code: grpc.StatusCode) -> None:
        self._code = code

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return "as told"


Failed.__abstractmethods__ = frozenset()


@pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code.name != "OK"])
def test_every_code_of_grpc_is_known(code: grpc.StatusCode) -> None:
    expected = {
        "NOT_FOUND": CollectionMissingError,
        **dict.fromkeys(("UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED"), AWAY),
        **dict.fromkeys(("ABORTED", "INTERNAL", "UNKNOWN", "CANCELLED"), AWAY),
    }
    away = translate_error(Failed(code), "q:6334")
    assert type(away.problem) is expected.get(code.name, StoreError)
    assert "as told" in str(away.problem)
    key = code.name in {"UNAUTHENTICATED", "PERMISSION_DENIED"}
    assert ("QDRANT_API_KEY" in str(away.problem)) == key


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (400, StoreError),
        (401, StoreError),
        (403, StoreError),
        (404, CollectionMissingError),
        (409, StoreError),
        (429, AWAY),
        (500, AWAY),
        (503, AWAY),
    ],
)
def test_every_status_of_rest_is_known(status: int, expected: type[StoreError]) -> None:
    answer = UnexpectedResponse(status, "no", b'{"status":{"error":"as told"}}', httpx.Headers())
    problem = translate_error(answer, "q:6333").problem
    assert type(problem) is expected
    assert "as told" in str(problem)
    assert ("QDRANT_API_KEY" in str(problem)) == (status in {401, 403})


def test_full_disk_is_recognised_over_rest() -> None:
    answer = UnexpectedResponse(500, "", b"Service error: No space left on device", httpx.Headers())
    assert type(translate_error(answer, "q:6333").problem) is StoreFullError


def test_connection_that_fails_over_rest_is_unavailable() -> None:
    away = translate_error(ResponseHandlingException(httpx.ConnectError("refused")), "q:6333")
    assert type(away.problem) is AWAY


def test_answer_that_cannot_be_read_is_not_tried_again() -> None:
    away = translate_error(ResponseHandlingException(ValueError("odd")), "q:6333")
    assert type(away.problem) is StoreError


def test_pause_that_the_server_asks_for_is_kept() -> None:
    away = translate_error(ResourceExhaustedResponse("busy", 7), "q:6334")
    assert type(away.problem) is AWAY
    assert away.pause_seconds == 7


def test_no_error_of_the_client_is_unknown() -> None:
    assert all(issubclass(error, FOREIGN) for error in ApiException.__subclasses__())
