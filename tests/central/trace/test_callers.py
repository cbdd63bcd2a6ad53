"""Who calls this: over imports and re-exports, in any repository."""

import pytest

from tests.central.trace.conftest import Ask, Callers
from tests.central.trace.corpus import pyproject, repository


@pytest.fixture
def auth() -> None:
    """A library that re-exports its middleware at the top, and two services."""
    repository(
        "auth-service",
        {
            "pyproject.toml": pyproject("acme-auth", version="2.1.0"),
            "acme_auth/__init__.py": "from .middleware import AuthMiddleware\n",
            "acme_auth/middleware.py": """\
                class AuthMiddleware:
                    def verify(self, token):
                        return self.check(token)

                    def check(self, token):
                        return token
                """,
        },
    )
    repository(
        "payments-api",
        {
            "pyproject.toml": pyproject("payments", "acme-auth==2.0.0"),
            "payments/app.py": """\
                from acme_auth import AuthMiddleware as AM

                def build():
                    middleware = AM()
                    return middleware.verify("x")
                """,
        },
    )


def test_a_class_is_found_through_re_export_and_alias(auth: None, callers: Callers) -> None:
    assert callers("AuthMiddleware") == ["payments-api/payments/app.py:4 build high"]


def test_a_method_is_found_through_the_type_of_a_local(auth: None, callers: Callers) -> None:
    assert callers("AuthMiddleware.verify") == ["payments-api/payments/app.py:5 build high"]
    assert callers("check") == ["auth-service/acme_auth/middleware.py:3 AuthMiddleware.verify high"]


def test_an_answer_says_why_and_in_which_version(auth: None, ask: Ask) -> None:
    answer = ask("callers", symbol="AuthMiddleware").json()
    (link,) = answer["callers"]
    assert link["evidence"] == (
        "from acme_auth import AuthMiddleware as AM (line 1)"
        " → re-exported by acme_auth/__init__.py → acme_auth/middleware.py"
    )
    assert (link["pinned_version"], link["indexed_version"], link["lags"]) == (
        "2.0.0",
        "2.1.0",
        True,
    )
    assert link["rule"] == "import"
    assert answer["definitions"][link["target"]]["qualified_name"] == "AuthMiddleware"
    assert answer["receipt"]["complete"] is True


def test_what_a_function_gives_that_is_given_a_class_has_the_line_of_its_import(
    auth: None, ask: Ask
) -> None:
    library = """
        from acme_auth import AuthMiddleware
        def make(kind) -> AuthMiddleware: ...
        """
    use = """
        import acme_made.parts as parts
        class Own: ...
        def run():
            made = parts.make(Own)
            made.verify("x")
        """
    repository(
        "made",
        {"pyproject.toml": pyproject("acme-made", "acme-auth"), "acme_made/parts.py": library},
    )
    repository("uses", {"pyproject.toml": pyproject("uses", "acme-made"), "uses/app.py": use})
    links = ask("callers", symbol="AuthMiddleware.verify").json()["callers"]
    (link,) = [one for one in links if one["file"] == "uses/app.py"]
    assert link["evidence"].startswith("import acme_made.parts as parts (line 2)")


def test_a_reference_linked_by_name_alone_is_told_once(ask: Ask) -> None:
    use = "def use(thing):\n    thing.fetch()\n"
    several = "class First:\n    def fetch(self): ...\n\nclass Second:\n    def fetch(self): ...\n"
    repository("alpha", {"pyproject.toml": pyproject("alpha"), "alpha/__init__.py": several})
    repository("beta", {"pyproject.toml": pyproject("beta"), "beta/__init__.py": several + use})
    repository("gamma", {"pyproject.toml": pyproject("gamma"), "gamma/__init__.py": use})
    answer = ask("callers", symbol="fetch", min_confidence="low").json()
    assert [
        (link["project"], link["callee"]["project"], link["rule"], link["candidates"])
        for link in answer["callers"]
    ] == [("beta", "beta", "name_only", 4), ("gamma", "alpha", "name_only", 4)]


def test_a_script_imports_all_names_of_a_module_beside_it(callers: Callers) -> None:
    repository(
        "scripts",
        {
            "a/helpers.py": "def go(): ...\n",
            "a/main.py": "from helpers import *\n\ngo()\n",
            "b/helpers/__init__.py": "",
            "b/helpers/more.py": "def go(): ...\n",
            "b/main.py": "from helpers.more import *\n\ngo()\n",
        },
    )
    for file, caller in (("a/helpers.py", "a/main.py"), ("b/helpers/more.py", "b/main.py")):
        assert callers("go", file=file) == [f"scripts/{caller}:3 <module> high"]
