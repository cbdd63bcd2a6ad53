"""A search of a branch that no repository has says so, not that nothing is indexed."""

import pytest

from aeterna_code_search.client.receipt import exit_status
from indexer.exits import Exit


@pytest.mark.parametrize("reason", ["no_such_branch", "branch_not_indexed"])
def test_the_hint_of_a_branch_that_is_not_indexed_is_shown(reason: str) -> None:
    hint = "Of no repository in the search's scope is a branch relase/1 indexed."
    missing = [{"project": "pricing", "reason": reason, "since": None}]
    answer = {"hint": hint, "receipt": {"projects": [], "missing": missing}}

    code, text = exit_status(answer, count=0)

    assert code is Exit.NOT_INDEXED
    assert text.startswith(hint)
    assert "codesearch init" not in text
