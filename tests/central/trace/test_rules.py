"""Each rule of docs/reference/trace.md, and which goes before which, over real Python."""

import pytest

from central.repositories.models import Repository
from tests.central.trace.conftest import Ask, Callers
from tests.central.trace.corpus import change_files, pyproject, repository


def library(name: str = "kit", **modules: str) -> Repository:
    """A repository with the package acme-<name>; module names lead to their text."""
    files = {f"acme_{name}/{module}.py": text for module, text in modules.items()}
    return repository(
        name, {"pyproject.toml": pyproject(f"acme-{name}"), f"acme_{name}/__init__.py": "", **files}
    )


def service(text: str, *dependencies: str, name: str = "app") -> Repository:
    """A repository with one module that depends on some packages."""
    return repository(
        name, {"pyproject.toml": pyproject(f"acme-{name}", *dependencies), f"{name}/main.py": text}
    )


def test_a_chain_of_re_exports_is_followed_to_its_end(callers: Callers) -> None:
    library(
        deep="def verify(): ...\n",
        middle="from .deep import verify as check\n",
        facade="from .middle import *\n",
    )
    service("from acme_kit.facade import check\n\ndef run():\n    check()\n", "acme-kit")
    assert callers("verify") == ["app/app/main.py:4 run high"]


def test_re_exports_in_a_circle_come_to_an_end(callers: Callers) -> None:
    library(
        one="from .two import *\n\ndef verify(): ...\n",
        two="from .one import *\n",
    )
    service("from acme_kit.two import verify, missing\n\nverify()\nmissing()\n", "acme-kit")
    assert callers("verify") == ["app/app/main.py:3 <module> high"]


def test_the_own_package_goes_before_a_dependency(callers: Callers) -> None:
    library(helpers="def format(): ...\n")
    repository(
        "app",
        {
            "pyproject.toml": pyproject("acme-kit", "acme-kit"),
            "acme_kit/__init__.py": "",
            "acme_kit/helpers.py": "def format(): ...\n",
            "acme_kit/main.py": "from acme_kit.helpers import format\n\nformat()\n",
        },
    )
    assert callers("format", project="kit") == []
    assert callers("format", project="app") == ["app/acme_kit/main.py:3 <module> high"]


def test_a_sole_provider_that_is_not_declared_is_a_guess(callers: Callers) -> None:
    library(api="def verify(): ...\n")
    service("from acme_kit.api import verify\n\nverify()\n")
    assert callers("verify") == ["app/app/main.py:3 <module> medium"]
    assert callers("verify", min_confidence="high") == []


def test_of_two_providers_that_nobody_declares_neither_is_taken(callers: Callers) -> None:
    for name in ("kit", "fork"):
        repository(
            name,
            {
                "pyproject.toml": pyproject("acme-kit"),
                "acme_kit/__init__.py": "",
                "acme_kit/api.py": "def verify(): ...\n",
            },
        )
    service("from acme_kit.api import verify\n\nverify()\n")
    assert callers("verify") == []


def test_two_providers_of_a_declared_package_are_a_tie(ask: Ask) -> None:
    for name in ("kit", "fork"):
        repository(
            name,
            {
                "pyproject.toml": pyproject("acme-kit"),
                "acme_kit/__init__.py": "",
                "acme_kit/api.py": "def verify(): ...\n",
            },
        )
    service("from acme_kit.api import verify\n\nverify()\n", "acme-kit")
    links = ask("callers", symbol="verify").json()["callers"]
    assert [(link["target"], link["confidence"], link["candidates"]) for link in links] == [
        (0, "medium", 2),
        (1, "medium", 2),
    ]


@pytest.mark.parametrize("module", ["utils", "app_models", "logging", "json"])
def test_a_module_of_a_common_name_never_binds_elsewhere_undeclared(
    module: str, callers: Callers
) -> None:
    repository("kit", {"pyproject.toml": pyproject(module), f"{module}.py": "def setup(): ...\n"})
    service(f"from {module} import setup\n\nsetup()\n")
    expected = ["app/app/main.py:3 <module> medium"] if "_" in module else []
    assert callers("setup") == expected


def test_a_standard_module_is_the_standard_library_s_even_if_declared(callers: Callers) -> None:
    repository("kit", {"pyproject.toml": pyproject("logging"), "logging.py": "def setup(): ...\n"})
    service("from logging import setup\n\nsetup()\n", "logging")
    assert callers("setup") == []


def test_an_import_that_leads_nowhere_is_not_bound_by_its_name(callers: Callers) -> None:
    library(api="def verify(): ...\n")
    service("from elsewhere.api import verify\n\nverify()\n", "acme-kit")
    assert callers("verify", min_confidence="low") == []


def test_a_member_of_an_unknown_value_is_linked_by_name_alone(ask: Ask) -> None:
    library(api="class Auth:\n    def verify(self): ...\n")
    service("def run(value):\n    value.verify()\n", "acme-kit")
    answer = ask("callers", symbol="Auth.verify").json()
    assert answer["callers"] == []
    assert answer["receipt"]["unresolved"]["count"] == 1
    assert answer["receipt"]["unresolved"]["sample"][0]["line"] == 2
    assert "min_confidence=low" in answer["hint"]
    (link,) = ask("callers", symbol="Auth.verify", min_confidence="low").json()["callers"]
    assert (link["rule"], link["confidence"]) == ("name_only", "low")


INHERITED = {
    "base": "class Base:\n    def save(self): ...\n    def run(self):\n        self.save()\n",
    "middle": "from .base import Base\n\nclass Middle(Base): ...\n",
}


def test_an_inherited_method_is_found_over_files_and_repositories(callers: Callers) -> None:
    library(**INHERITED)
    service(
        """\
        from acme_kit.middle import Middle

        class Mine(Middle):
            def work(self):
                self.save()
        """,
        "acme-kit",
    )
    assert callers("Base.save") == [
        "app/app/main.py:5 Mine.work high",
        "kit/acme_kit/base.py:4 Base.run high",
    ]


def test_a_call_through_a_base_may_reach_an_override(callers: Callers) -> None:
    library(**INHERITED)
    service(
        """\
        from acme_kit.middle import Middle

        class Mine(Middle):
            def save(self):
                super().save()

        def work():
            Mine().save()
        """,
        "acme-kit",
    )
    assert callers("Mine.save") == [
        "app/app/main.py:8 work high",
        "kit/acme_kit/base.py:4 Base.run medium",
    ]
    assert callers("Base.save") == [
        "app/app/main.py:5 Mine.save high",
        "kit/acme_kit/base.py:4 Base.run high",
    ]


def test_a_variable_of_a_module_has_its_type_wherever_it_is_imported(callers: Callers) -> None:
    library(
        client="class Client:\n    def fetch(self): ...\n",
        shared="from .client import Client\n\nclient = Client()\n",
    )
    service("from acme_kit.shared import client\n\nclient.fetch()\n", "acme-kit")
    assert callers("Client.fetch") == ["app/app/main.py:3 <module> high"]


def test_what_a_function_gives_has_the_type_that_it_declares(callers: Callers) -> None:
    library(
        client="""\
        class Client:
            def fetch(self): ...

        def connect() -> Client: ...
        """
    )
    service("from acme_kit import client\n\nclient.connect().fetch()\n", "acme-kit")
    assert callers("Client.fetch") == ["app/app/main.py:3 <module> high"]


def test_namespace_packages_are_told_apart_by_their_modules(callers: Callers) -> None:
    for name in ("auth", "billing"):
        repository(
            name,
            {
                "pyproject.toml": pyproject(f"acme-{name}"),
                f"src/acme/{name}/__init__.py": "def start(): ...\n",
            },
        )
    service("from acme.billing import start\n\nstart()\n", "acme-auth", "acme-billing")
    assert callers("start", project="auth") == []
    assert callers("start", project="billing") == ["app/app/main.py:3 <module> high"]


def test_callers_of_callers_say_their_depth(ask: Ask) -> None:
    library(api="def verify(): ...\n\ndef login():\n    verify()\n")
    service("from acme_kit.api import login\n\ndef page():\n    login()\n\npage()\n", "acme-kit")
    links = ask("callers", symbol="verify", depth=3).json()["callers"]
    assert [(link["caller"]["name"], link["callee"]["name"], link["depth"]) for link in links] == [
        ("page", "login", 2),
        ("<module>", "page", 3),
        ("login", "verify", 1),
    ]


def test_a_deleted_repository_leaves_no_caller(callers: Callers) -> None:
    library(api="def verify(): ...\n")
    app = service("from acme_kit.api import verify\n\nverify()\n", "acme-kit")
    assert len(callers("verify")) == 1
    app.delete()
    assert callers("verify") == []


def test_a_renamed_repository_answers_by_its_new_name(callers: Callers) -> None:
    library(api="def verify(): ...\n")
    app = service("from acme_kit.api import verify\n\nverify()\n", "acme-kit")
    Repository.objects.filter(pk=app.pk).update(name="renamed")
    assert callers("verify") == ["renamed/app/main.py:3 <module> high"]


def test_a_manifest_that_renames_the_package_moves_its_callers(callers: Callers) -> None:
    kit = library(api="def verify(): ...\n")
    service("from acme_kit.api import verify\n\nverify()\n", "acme-kit")
    assert callers("verify") == ["app/app/main.py:3 <module> high"]
    change_files(kit, {"pyproject.toml": pyproject("kit")})
    assert callers("verify") == []


@pytest.mark.parametrize("trouble", ["failed", "behind"])
def test_a_dependent_in_trouble_makes_the_receipt_incomplete(trouble: str, ask: Ask) -> None:
    library(api="def verify(): ...\n")
    app = service("from acme_kit.api import verify\n\nverify()\n", "acme-kit")
    assert ask("callers", symbol="verify").json()["receipt"]["complete"] is True
    Repository.objects.filter(pk=app.pk).update(trouble=trouble)
    receipt = ask("callers", symbol="verify").json()["receipt"]
    assert receipt["complete"] is False
    assert receipt["missing"] == [{"project": "app", "reason": trouble, "since": None}]


ROUTED = """
class Router:
    def add(self): ...

class Base:
    routes: Router

class App(Base):
    def __init__(self, store):
        self.store = store

    @property
    def router(self) -> Router: ...

    def untyped(self): ...
"""


@pytest.mark.parametrize(
    "use", ["app.router.add()", "app.routes.add()", "again = app.router\n    again.add()"]
)
def test_members_of_members_are_followed_over_repositories(callers: Callers, use: str) -> None:
    library(api=ROUTED)
    service(f"from acme_kit.api import App\n\ndef run(app: App):\n    {use}\n", "acme-kit")
    (caller,) = callers("Router.add")
    assert caller.endswith("run high")


def test_members_are_followed_through_a_field_that_another_file_s_base_declares(
    callers: Callers,
) -> None:
    library(api=ROUTED)
    service(
        "from acme_kit.api import App\n\nclass Own(App):\n    def run(self):\n"
        "        self.router.add()\n        self.routes.add()\n",
        "acme-kit",
    )
    expected = [f"app/app/main.py:{line} Own.run high" for line in (5, 6)]
    assert callers("Router.add") == expected


@pytest.mark.parametrize("use", ["app.store.add()", "app.untyped().add()", "app.missing.add()"])
def test_a_member_of_what_nobody_typed_is_open(ask: Ask, use: str) -> None:
    library(api=ROUTED)
    service(f"from acme_kit.api import App\n\ndef run(app: App):\n    {use}\n", "acme-kit")
    answer = ask("callers", symbol="Router.add").json()
    assert (answer["callers"], answer["receipt"]["unresolved"]["count"]) == ([], 1)
    (link,) = ask("callers", symbol="Router.add", min_confidence="low").json()["callers"]
    assert (link["rule"], link["line"]) == ("name_only", 4)


@pytest.mark.parametrize(("use", "expected"), [("app.add()", (0, 1)), ("app.store.add()", (1, 0))])
def test_what_a_value_out_of_sight_holds_is_open(
    ask: Ask, use: str, expected: tuple[int, int]
) -> None:
    library(api=ROUTED)
    service(f"from elsewhere import App\n\ndef run(app: App):\n    {use}\n", "acme-kit")
    answer = ask("callers", symbol="Router.add", min_confidence="low").json()
    receipt = answer["receipt"]
    assert (receipt["unresolved"]["count"], receipt["elsewhere"]["count"]) == expected
    assert len(answer["callers"]) == expected[0]


def test_each_overload_s_class_is_possible(callers: Callers) -> None:
    library(
        api="from typing import overload\n\n"
        "class A:\n    def go(self): ...\n    def a(self): ...\n\n"
        "class B:\n    def go(self): ...\n\n@overload\ndef make(x: int) -> A: ...\n"
        "@overload\ndef make(x: str) -> B: ...\ndef make(x): ...\n"
    )
    service("from acme_kit.api import make\n\nmake(1).go()\nmake(1).a()\n", "acme-kit")
    assert callers("A.a") == ["app/app/main.py:4 <module> high"]
    assert callers("A.go") == callers("B.go") == ["app/app/main.py:3 <module> medium"]
