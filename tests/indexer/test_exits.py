"""Which exit code a refusal ends with; `test_main` has the other errors."""

import pytest

from indexer.errors import CentralRefusedError, CentralUnreachableError
from indexer.exits import Exit, exit_of


@pytest.mark.parametrize(
    ("code", "status", "ends"),
    [
        ("symbol_not_found", 404, Exit.NOTHING_FOUND),
        ("file_not_found", 404, Exit.NOTHING_FOUND),
        ("repository_not_found", 404, Exit.NOT_INDEXED),
        ("invalid", 400, Exit.USAGE),
        ("insufficient_scope", 403, Exit.REFUSED),
        ("organization_not_found", 404, Exit.REFUSED),
    ],
)
def test_a_refusal_that_only_says_that_there_is_nothing_is_no_refusal(
    code: str, status: int, ends: Exit
) -> None:
    assert exit_of(CentralRefusedError("no", code=code, status=status)) is ends


def test_other_errors_end_as_in_the_table() -> None:
    assert exit_of(CentralUnreachableError("away")) is Exit.UNREACHABLE
