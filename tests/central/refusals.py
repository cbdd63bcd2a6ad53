"""What every refusal must be: a problem document, with nothing changed."""

from typing import Any

from central.corpus.models import File
from central.ingest.models import Batch, Delivery, IndexRun
from central.repositories.models import Repository

MODELS = (Repository, IndexRun, Batch, Delivery, File)


def snapshot() -> list[object]:
    """Every row that ingest writes, to compare."""
    rows: list[object] = []
    for model in MODELS:
        rows.extend((model.__name__, *row) for row in model.objects.order_by("pk").values_list())
    return rows


def assert_problem(response: Any, status: int, code: str) -> None:
    """`response` is a whole problem document with this status and code."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    document = response.json()
    assert document["code"] == code, document
    assert document["status"] == status
    assert document["detail"]
    assert document["type"] == f"urn:aeterna:problem:{code}"
    assert document["title"]
    assert document["instance"].startswith("/")
