"""What a library outside gives, as its model tells: at medium, by the rule `model`."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.central.trace.corpus import repository

pytestmark = pytest.mark.django_db

Callers = Callable[..., list[str]]
Ask = Callable[..., Any]

_MODELS = """
    from django.db import models

    class Account(models.Model):
        def close(self): ...

    class Busy(models.Manager):
        def close(self): ...

    class Order(models.Model):
        objects = Busy()
        def ship(self): ...
"""
_WORK = """
    from shop.models import Account, Order

    def work():
        Account.objects.get(pk=1).close()
        for each in Account.objects.filter(x=1).exclude(y=2):
            each.close()
        account, made = Account.objects.get_or_create(pk=1)
        account.close()
        Order.objects.close()
        Order.objects.get(pk=1).ship()
        Account.objects.values().close()
        Account.close.objects.get(1).close()

    class View:
        queryset = Account.objects.all()

        def run(self):
            self.queryset.first().close()
"""


def test_a_model_of_django_tells_what_managers_give(callers: Callers) -> None:
    repository("shop", {"shop/__init__.py": "", "shop/models.py": _MODELS, "shop/work.py": _WORK})
    assert callers("Account.close", file="shop/models.py") == [
        "shop/shop/work.py:5 work medium",
        "shop/shop/work.py:7 work medium",
        "shop/shop/work.py:9 work medium",
        "shop/shop/work.py:19 View.run medium",
    ]
    assert callers("Order.ship") == ["shop/shop/work.py:11 work medium"]
    assert callers("Busy.close") == ["shop/shop/work.py:10 work high"]
