"""`with x as y` of Python: y is what `__enter__` of x gives."""

from collections.abc import Callable

import pytest

from tests.central.trace.corpus import pyproject, repository

pytestmark = pytest.mark.django_db

Callers = Callable[..., list[str]]


def test_what_a_with_statement_binds_is_what_the_class_says(callers: Callers) -> None:
    repository(
        "lib",
        {
            "pyproject.toml": pyproject("acme-lib"),
            "acme_lib/__init__.py": """
                from typing import Self

                class Socket:
                    def close(self): ...
                    def __enter__(self) -> Self: ...

                class Tls(Socket): ...

                class Plain:
                    def close(self): ...

                class Request:
                    def close(self): ...
                    async def __aenter__(self) -> Socket: ...

                class Pool:
                    def close(self): ...
                    def __enter__(self):
                        return unknown()
                """,
        },
    )
    repository(
        "app",
        {
            "pyproject.toml": pyproject("app", "acme-lib"),
            "app/main.py": """
                from acme_lib import Plain, Pool, Request, Tls

                async def run(request: Request):
                    with Tls() as tls:
                        tls.close()
                    async with request as socket:
                        socket.close()
                    with Plain() as plain, Pool() as pool:
                        plain.close()
                        pool.close()
                """,
        },
    )
    assert callers("Socket.close") == ["app/app/main.py:6 run high", "app/app/main.py:8 run high"]
    assert callers("Plain.close") == ["app/app/main.py:10 run high"]
    assert callers("Request.close") == []
    assert callers("Pool.close") == []
