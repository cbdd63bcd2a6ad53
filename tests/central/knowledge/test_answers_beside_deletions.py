"""What is deleted while an answer reads it is left out of it; no question fails."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import pytest
from django.db import connection, transaction

from central.knowledge.models import CODE_KINDS, Edge, Node
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import created, graph, linked
from tests.central.knowledge.test_policies import NO_PANIC, PANICS
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db

PATH = "src/main.rs"
QUESTIONS = [
    "violations?project=shop",
    "traverse?from=POL-1",
    f"traverse?from=code:shop/{PATH}&depth=2",
    "nodes/POL-1",
    "nodes",
    f"context?project=shop&file={PATH}",
    "unmigrated?project=shop",
    "related?id=mem-1&target_type=policy",
]


def delete_edges_and_code() -> None:
    """What a run does with code that is mended."""
    Edge.objects.all().delete()
    Node.objects.filter(kind__in=CODE_KINDS).delete()


def delete_documents() -> None:
    """What a person does in the admin."""
    Edge.objects.all().delete()
    Node.objects.exclude(kind__in=CODE_KINDS).delete()


def test_a_deletion_after_any_statement_breaks_no_answer(subtests: pytest.Subtests) -> None:
    api = api_of()
    created(api, **NO_PANIC)
    created(api, kind="memory", id="mem-1", title="Panics were seen in production")
    index_files(api, {PATH: PANICS})
    linked(api, "mem-1", "derived_from", f"code:shop/{PATH}#start")
    for question, delete in product(QUESTIONS, (delete_edges_and_code, delete_documents)):
        with subtests.test(question, delete=delete):
            for statement in range(1, _statements_of(api, question) + 1):
                with rolled_back(), after_statement(statement, delete):
                    status = graph(api, "GET", question).status_code
                assert status in (200, 404), f"deleted after statement {statement}"


def _statements_of(api: Api, question: str) -> int:
    with after_statement(0, lambda: None) as seen:
        assert graph(api, "GET", question).status_code == 200
    return len(seen)


@contextmanager
def rolled_back() -> Iterator[None]:
    """Everything in the block is undone."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def after_statement(number: int, act: Callable[[], None]) -> Iterator[list[str]]:
    """Act once, when the connection has executed so many statements; yields those it executed."""
    seen: list[str] = []

    def execute(run: Callable[..., Any], sql: str, parameters: Any, many: bool, told: Any) -> Any:
        result = run(sql, parameters, many, told)
        seen.append(sql)
        if len(seen) == number:
            act()
        return result

    with connection.execute_wrapper(execute):
        yield seen
