"""Parameters of prepared statements and of LIKE."""

import pytest

from central.db import fetch_rows, id_array, like_pattern

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("ids", [[], [7], [1, 2**15, 2**40]])
def test_ids_of_any_size_are_one_array_of_one_type(ids: list[int]) -> None:
    found = fetch_rows("SELECT %s::bigint[], pg_typeof(%s::bigint[])::text", [id_array(ids)] * 2)
    assert found == [(ids, "bigint[]")]


@pytest.mark.parametrize("text", ["a_b", "a%b", "a\\b", "a\\", "%_\\"])
def test_an_escaped_text_matches_itself_alone(text: str) -> None:
    asked = [text, like_pattern(text), "axb", like_pattern(text)]
    [(own, other)] = fetch_rows("SELECT %s::text LIKE %s::text, %s::text LIKE %s::text", asked)
    assert own
    assert not other
