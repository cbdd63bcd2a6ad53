"""`with x as y` of Python: y is what `__enter__` of x gives."""

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import pyproject, repository


def test_what_a_with_statement_binds_is_what_the_class_says(callers: Callers) -> None:
    repository(
        "lib",
        {
            "pyproject.toml": pyproject("acme-lib"),
            "acme_lib/__init__.py": """
                from contextlib import contextmanager
                from typing import ContextManager, Iterator, Self, TypeVar

                import database

                T = TypeVar("T", bound="Socket")

                class Socket:
                    def close(self): ...
                    def __enter__(self) -> Self: ...
                    async def __aenter__(self: T) -> T: ...

                class Tls(Socket):
                    def wrap(self): ...

                class Plain:
                    def close(self): ...

                class Request:
                    def close(self): ...
                    async def __aenter__(self) -> Socket: ...

                class Pool:
                    def close(self): ...
                    def __enter__(self):
                        return unknown()

                class Connection(database.Connection):
                    def send(self): ...

                @contextmanager
                def opened() -> Iterator[Pool]: ...

                def lent() -> ContextManager[Pool]: ...

                @contextmanager
                def guessed():
                    yield Pool()
                """,
        },
    )
    repository(
        "app",
        {
            "pyproject.toml": pyproject("app", "acme-lib"),
            "app/main.py": """
                from acme_lib import Connection, Plain, Pool, Request, Tls, guessed, lent, opened

                async def run(request: Request):
                    with Tls() as tls:
                        tls.close()
                    async with request as socket:
                        socket.close()
                    with Plain() as plain, Pool() as pool:
                        plain.close()
                        pool.close()
                    async with Tls() as tls:
                        tls.wrap()
                    with opened() as one, lent() as other, guessed() as third:
                        one.close()
                        other.close()
                        third.close()
                    with Connection() as connection:
                        connection.send()
                """,
        },
    )
    assert callers("Socket.close") == ["app/app/main.py:6 run high", "app/app/main.py:8 run high"]
    assert callers("Plain.close") == ["app/app/main.py:10 run medium"]
    assert callers("Request.close") == []
    assert callers("Pool.close") == ["app/app/main.py:15 run high", "app/app/main.py:16 run high"]
    assert callers("Tls.wrap") == ["app/app/main.py:13 run high"]
    assert callers("Connection.send") == ["app/app/main.py:19 run medium"]
