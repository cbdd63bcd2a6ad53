"""Lean structured content: less than the answer, and all that it says."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.agents.lean import lean
from tests.agents.expanding import expanded, reduced
from tests.agents.recorded import DATA, recorded
from tests.property_settings import examples

RECORDINGS = sorted(path.stem for path in DATA.glob("*.json"))
NAMES = st.sampled_from(["project", "file", "line", "caller", "name", "commit", "spans", "a b"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(0, 3), st.floats(0, 2), st.text(max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=5)),
    max_leaves=30,
)


@pytest.mark.parametrize("name", RECORDINGS)
def test_nothing_but_empty_members_and_known_commits_is_lost(name: str) -> None:
    answer = recorded(name)
    assert as_json(expanded(lean(answer))) == as_json(reduced(answer))


@given(answer=st.dictionaries(NAMES, VALUES, max_size=6))
@examples(200)
def test_any_answer_is_read_again(answer: dict[str, Any]) -> None:
    assert as_json(expanded(lean(answer))) == as_json(reduced(answer))


def test_rows_are_cells_below_one_line_of_columns() -> None:
    callers = lean(recorded("callers"))["callers"]
    assert callers["all"]["callee.name"] == "AuthMiddleware"
    assert callers["columns"][:3] == ["project", "file", "line"]
    assert callers["rows"][0][:3] == ["auth-service", "acme_auth/app.py", 45]
    assert "commit" not in callers["columns"]


def test_a_commit_that_the_receipt_does_not_have_stays() -> None:
    answer = recorded("callers")
    answer["callers"][0]["commit"] = "1" * 40
    table = lean(answer)["callers"]
    at = table["columns"].index("commit")
    assert [row[at] for row in table["rows"]] == ["1" * 40, *[None] * 4]


@pytest.mark.parametrize("name", ["callers", "callees", "unused", "violations", "unmigrated"])
def test_lists_are_at_most_two_thirds_as_long(name: str) -> None:
    assert 3 * len(as_json(lean(recorded(name)))) < 2 * len(as_json(recorded(name)))


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
