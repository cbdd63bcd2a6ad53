"""Parameters of prepared statements."""

import pytest

from central.db import fetch_rows, id_array

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("ids", [[], [7], [1, 2**15, 2**40]])
def test_ids_of_any_size_are_one_array_of_one_type(ids: list[int]) -> None:
    found = fetch_rows("SELECT %s::bigint[], pg_typeof(%s::bigint[])::text", [id_array(ids)] * 2)
    assert found == [(ids, "bigint[]")]
