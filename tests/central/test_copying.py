"""What PostgreSQL refuses inside a COPY comes as Django's errors, which the service knows."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import DatabaseError, IntegrityError, OperationalError, connection, transaction

from central.db import Copy, copy_rows
from central.http.problems import problem_for

pytestmark = pytest.mark.django_db

FULL = "RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'"
LOST = "PERFORM pg_terminate_backend(pg_backend_pid())"


def error_of_copy(on_insert: str) -> Exception | None:
    """What COPY raises into a table that does this, on a connection that nobody else has."""
    try:
        with connection.cursor() as cursor, transaction.atomic():
            cursor.execute("CREATE TEMP TABLE copied (id int4 PRIMARY KEY)")
            cursor.execute(
                "CREATE FUNCTION pg_temp.on_insert() RETURNS trigger LANGUAGE plpgsql "
                f"AS $$ BEGIN {on_insert}; RETURN NEW; END $$"
            )
            cursor.execute(
                "CREATE TRIGGER on_insert BEFORE INSERT ON copied "
                "FOR EACH ROW EXECUTE FUNCTION pg_temp.on_insert()"
            )
            copy_rows(Copy('COPY copied ("id") FROM STDIN (FORMAT BINARY)', ["int4"]), [(1,), (1,)])
    except DatabaseError as exc:
        return exc
    finally:
        connection.close()
    return None


@pytest.mark.parametrize(
    ("on_insert", "error", "code"),
    [
        (FULL, OperationalError, "disk_full"),
        (LOST, OperationalError, "database_unavailable"),
        ("NULL", IntegrityError, None),
    ],
)
def test_an_error_inside_copy_is_described_as_any_other(
    on_insert: str, error: type[Exception], code: str | None
) -> None:
    with ThreadPoolExecutor(1) as thread:  # connections are a thread's own
        found = thread.submit(error_of_copy, on_insert).result()
    assert type(found) is error
    description = problem_for(found)
    assert (description.code if description else None) == code
