"""Titles of errors."""

import pytest

from indexer import advice, errors
from indexer.exits import EXIT_OF


def test_every_error_has_a_title_of_its_own() -> None:
    assert set(advice.TITLES) == set(EXIT_OF)
    assert len(set(advice.TITLES.values())) == len(advice.TITLES)


@pytest.mark.parametrize(
    ("status", "says"), [(401, "credential"), (403, "allow"), (404, "no such"), (400, "refused")]
)
def test_a_refusal_is_told_by_its_status(status: int, says: str) -> None:
    assert says in advice.title(errors.CentralRefusedError("no", status=status))


def test_only_for_a_shallow_clone_the_lines_are_known() -> None:
    assert "fetch-depth: 0" in advice.lines_to_write(errors.ShallowCloneError("no"))
    assert advice.lines_to_write(errors.GitError("no")) == ""
    assert advice.message(errors.GitError("no")) == "no"
    assert advice.message(errors.ShallowCloneError("no")).startswith("no\n- uses:")
