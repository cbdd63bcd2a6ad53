"""Access to the shop's database."""

import sqlite3
from contextlib import contextmanager

from monolith.utils import retry


@contextmanager
def transaction(path="shop.db"):
    """A connection that commits at the end and rolls back on any error."""
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    try:
        yield connection
        connection.commit()
    except BaseException:
        connection.rollback()
        raise
    finally:
        connection.close()


@retry(times=5, wait=0.2)
def fetch_all(connection, sql, *parameters):
    """All rows of a query. Waits when another process holds the database's lock."""
    return connection.execute(sql, parameters).fetchall()


@retry(times=5, wait=0.2)
def execute(connection, sql, *parameters):
    """Change something; returns how many rows it was."""
    return connection.execute(sql, parameters).rowcount
