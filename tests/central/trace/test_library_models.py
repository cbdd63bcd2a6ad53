"""What a library outside gives, as its model tells: at medium, by the rule `model`."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command

from central.tenancy.models import AuditEntry
from central.trace.resolve.library_models import Library, library_models
from indexer.records.manifests import Ecosystem
from tests.central.protocol import Api, api_of
from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import organization_of, repository

LIBRARIES = library_models().libraries


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


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_a_model_file_says_what_it_is_of_and_passes_its_examples(
    library: Library, ask: Ask
) -> None:
    assert library.versions
    assert library.source.startswith("https://")
    assert library.ecosystem in {one.value for one in Ecosystem}
    paths = {(one.ecosystem, one.path) for one in library.types}
    assert {(one.ecosystem, path) for one in library.types for path in one.like} <= paths
    assert library.examples
    for number, example in enumerate(library.examples):
        project = f"example-{number}"
        repository(project, example["files"])
        for symbol, lines in example["callers"].items():
            links = ask("callers", symbol=symbol, project=project).json()["callers"]
            modelled = [link for link in links if link["rule"] == "model"]
            assert [written(example["files"], link) for link in modelled] == lines, symbol
            assert {link["confidence"] for link in modelled} <= {"medium"}


def written(files: dict[str, str], link: dict[str, Any]) -> str:
    """The line of a link, without the white space around it."""
    return files[link["file"]].split("\n")[link["line"] - 1].strip()


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
    assert callers("Account") == []  # `get` gives one, and is no use of the class's name


def test_the_answer_names_the_model(ask: Ask) -> None:
    repository("shop", {"shop/__init__.py": "", "shop/models.py": _MODELS, "shop/work.py": _WORK})
    link = ask("callers", symbol="Order.ship").json()["callers"][0]
    assert link["rule"] == "model"
    assert "by the model of Django 3.2 to 5.2" in link["evidence"]


def test_a_visible_library_goes_before_its_model(callers: Callers) -> None:
    library = {
        "pyproject.toml": '[project]\nname = "django"\nversion = "5"\n',
        "django/__init__.py": "",
        "django/db/__init__.py": "",
        "django/db/models.py": "class Model:\n    pass\n",
    }
    repository("django", library)
    shop = {"pyproject.toml": '[project]\nname = "shop"\ndependencies = ["django"]\n'}
    repository("shop", {**shop, "shop/models.py": _MODELS, "shop/work.py": _WORK})
    assert callers("Account.close", file="shop/models.py") == []


def test_an_own_class_of_the_same_name_has_no_model(callers: Callers) -> None:
    own = """
        class Model:
            pass

        class Account(Model):
            def close(self): ...

        def work():
            Account.objects.get(pk=1).close()
    """
    repository("shop", {"shop/models.py": own})
    assert callers("Account.close") == []


def test_models_are_off_for_one_organization_by_command_and_api(
    callers: Callers, ask: Ask, api: Api
) -> None:
    repository("shop", {"shop/__init__.py": "", "shop/models.py": _MODELS, "shop/work.py": _WORK})
    call_command("library_models", "--organization", "acme", "off")
    assert callers("Order.ship") == []
    assert "Models of libraries are off" in ask("callers", symbol="Order.ship").json()["hint"]
    assert AuditEntry.objects.get().detail == {"uses_models": {"before": True, "after": False}}

    other = organization_of("globex")
    repository("shop", {"shop/models.py": _MODELS, "shop/work.py": _WORK}, organization=other)
    theirs = api_of(other)
    found = theirs.client.get(
        "/api/v1/trace/callers",
        {"org_id": "globex", "symbol": "Order.ship"},
        headers={"Authorization": f"Bearer {theirs.token}"},
    )
    assert len(found.json()["callers"]) == 1

    admin = api_of(organization_of(), scopes=["admin"])
    answer = admin.client.put(
        "/api/v1/trace/models",
        {"org_id": "acme", "enabled": True},
        content_type="application/json",
        headers={"Authorization": f"Bearer {admin.token}"},
    ).json()
    assert answer["enabled"]
    assert ("Django", "3.2 to 5.2") in {
        (one["name"], one["versions"]) for one in answer["libraries"]
    }
    assert len(callers("Order.ship")) == 1
