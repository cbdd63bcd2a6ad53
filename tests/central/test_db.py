"""Parameters of prepared statements and of LIKE, and moments."""

import pytest
from django.db import DataError, OperationalError, connection, transaction

from central.db import fetch_rows, fetch_rows_of_each, id_array, like_pattern, one_moment
from central.errors import NotFoundError

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


def test_statements_that_are_sent_together_have_their_own_rows() -> None:
    assert fetch_rows_of_each([]) == []
    rows = fetch_rows_of_each(
        [
            ("SELECT n FROM generate_series(1, %s::int) AS n", [2]),
            ("SELECT 1 WHERE false", []),
            ("SELECT %s::text", ["last"]),
        ]
    )
    assert rows == [[(1,), (2,)], [], [("last",)]]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_statement_that_fails_among_others_raises_and_the_connection_serves_on(
    place: int,
) -> None:
    statements: list[tuple[str, list[object]]] = [("SELECT %s::int", [1])] * 2
    statements.insert(place, ("SELECT 1 / %s::int", [0]))
    with pytest.raises(DataError, match="division by zero"):
        fetch_rows_of_each(statements)
    assert fetch_rows("SELECT %s::int", [2]) == [(2,)]
    assert fetch_rows_of_each([("SELECT %s::int", [3])]) == [[(3,)]]


def test_a_statement_that_fails_in_a_transaction_rolls_it_back_to_its_savepoint() -> None:
    with pytest.raises(DataError), transaction.atomic():
        fetch_rows_of_each([("SELECT 1 / %s::int", [0]), ("SELECT %s::int", [1])])
    assert fetch_rows("SELECT %s::int", [2]) == [(2,)]


TRANSACTION = """SELECT current_setting('transaction_isolation'),
    current_setting('transaction_read_only')"""


@pytest.mark.django_db(transaction=True)
def test_a_moment_is_a_read_only_snapshot_and_later_statements_are_not() -> None:
    with one_moment():
        assert fetch_rows(TRANSACTION, []) == [("repeatable read", "on")]
    assert fetch_rows(TRANSACTION, []) == [("read committed", "off")]


@pytest.mark.django_db(transaction=True)
def test_a_refusal_in_a_moment_keeps_the_prepared_statements_of_its_connection() -> None:
    def refuse() -> None:
        fetch_rows("SELECT %s::int AS before", [1])
        raise NotFoundError("There is no such symbol.")

    with pytest.raises(NotFoundError), one_moment():
        refuse()
    assert fetch_rows(TRANSACTION, []) == [("read committed", "off")]
    prepared = fetch_rows("SELECT statement FROM pg_prepared_statements", [])
    assert ("SELECT $1::int AS before",) in prepared


@pytest.mark.django_db(transaction=True)
def test_a_failed_statement_in_a_moment_raises_and_the_connection_serves_on() -> None:
    with pytest.raises(DataError, match="division by zero"), one_moment():
        fetch_rows("SELECT 1 / %s::int", [0])
    assert fetch_rows(TRANSACTION, []) == [("read committed", "off")]


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_is_lost_in_a_moment_is_replaced() -> None:
    with pytest.raises(OperationalError), one_moment():
        fetch_rows("SELECT pg_terminate_backend(pg_backend_pid())", [])
    connection.close()
    assert fetch_rows(TRANSACTION, []) == [("read committed", "off")]
