"""`kind=import`: the imports of a definition, of one around it, and of its module."""

import pytest
from django.db import connection

from central.corpus.models import File, Import
from tests.central.plans import MODES, rows_handled, statements_sent
from tests.central.trace.conftest import Ask, Callers
from tests.central.trace.corpus import pyproject, repository


@pytest.fixture
def imports(callers: Callers) -> Callers:
    """Callers of the kind `import` alone, in short."""
    return lambda symbol, **query: callers(symbol, kind="import", **query)


@pytest.fixture
def auth() -> None:
    """A package that re-exports, and a repository that imports it in every way."""
    repository(
        "auth",
        {
            "pyproject.toml": pyproject("acme-auth"),
            "acme_auth/__init__.py": "from acme_auth.tokens import verify\n",
            "acme_auth/tokens.py": """\
                class Token:
                    def renew(self): ...

                def verify(): ...
                """,
        },
    )
    repository(
        "shop",
        {
            "pyproject.toml": pyproject("shop", "acme-auth"),
            "named.py": "from acme_auth.tokens import verify\n\nverify()\n",
            "through.py": "from acme_auth import verify as check\n",
            "whole.py": "import acme_auth.tokens\n",
            "module.py": "from acme_auth import tokens\n",
            "star.py": "from acme_auth.tokens import *\n",
            "classed.py": "from acme_auth.tokens import Token\n",
            "other.py": "import hmac\nfrom acme_elsewhere import verify\n",
            "inside.py": "def login():\n    from acme_auth import verify\n    verify()\n",
        },
    )


def test_imports_of_the_name_and_of_its_module_are_listed(auth: None, imports: Callers) -> None:
    assert imports("verify") == [
        "auth/acme_auth/__init__.py:1 <module> high",
        "shop/inside.py:2 login high",
        "shop/module.py:1 <module> high",
        "shop/named.py:1 <module> high",
        "shop/star.py:1 <module> high",
        "shop/through.py:1 <module> high",
        "shop/whole.py:1 <module> high",
    ]


def test_import_of_a_class_is_one_of_its_methods(auth: None, imports: Callers) -> None:
    assert "shop/classed.py:1 <module> high" in imports("Token.renew")
    assert "shop/named.py:1 <module> high" not in imports("Token.renew")


def test_without_the_kind_no_import_is_listed(auth: None, callers: Callers) -> None:
    assert callers("verify") == ["shop/inside.py:3 login high", "shop/named.py:3 <module> high"]


def test_imports_come_beside_other_kinds(auth: None, ask: Ask) -> None:
    answer = ask("callers", symbol="verify", kind=["call", "import"], file="acme_auth/tokens.py")
    kinds = [(link["file"], link["kind"]) for link in answer.json()["callers"]]
    assert kinds[1:3] == [("inside.py", "import"), ("inside.py", "call")]


def test_receipt_counts_references_and_no_imports(auth: None, ask: Ask) -> None:
    receipts = [
        ask("callers", symbol="verify", kind=kind).json()["receipt"] for kind in ([], ["import"])
    ]
    assert receipts[0]["unresolved"] == receipts[1]["unresolved"]
    assert receipts[0]["elsewhere"] == receipts[1]["elsewhere"]


def test_link_shows_the_import_and_where_it_leads(auth: None, ask: Ask) -> None:
    links = ask("callers", symbol="verify", kind="import").json()["callers"]
    by_file = {link["file"]: link for link in links}
    assert by_file["named.py"] | {"commit": "", "url": ""} == {
        **by_file["named.py"],
        "commit": "",
        "url": "",
        "kind": "import",
        "rule": "import",
        "line": 1,
        "column": 0,
        "candidates": 1,
        "evidence": "from acme_auth.tokens import verify (line 1) → acme_auth/tokens.py",
    }
    assert by_file["through.py"]["evidence"] == (
        "from acme_auth import verify as check (line 1) → re-exported by acme_auth/__init__.py"
        " → acme_auth/tokens.py"
    )
    assert by_file["whole.py"]["evidence"] == (
        "import acme_auth.tokens (line 1) → acme_auth/tokens.py"
    )
    assert by_file["star.py"]["evidence"] == "imported by wildcard → acme_auth/tokens.py"


def test_two_imports_of_one_name_lead_each_to_its_own(imports: Callers, ask: Ask) -> None:
    repository(
        "fast",
        {"pyproject.toml": pyproject("fast-json"), "fast_json.py": "def loads(): ...\n"},
    )
    repository(
        "slow",
        {"pyproject.toml": pyproject("slow-json"), "slow_json.py": "def loads(): ...\n"},
    )
    repository(
        "shop",
        {
            "pyproject.toml": pyproject("shop", "fast-json", "slow-json"),
            "a.py": """\
                try:
                    from fast_json import loads
                except ImportError:
                    from slow_json import loads
                """,
        },
    )
    assert imports("loads", project="fast") == ["shop/a.py:2 <module> high"]
    assert imports("loads", project="slow") == ["shop/a.py:4 <module> high"]
    (link,) = ask("callers", symbol="loads", kind="import", project="slow").json()["callers"]
    assert link["evidence"] == "from slow_json import loads (line 4) → slow_json.py"


def test_import_whose_package_is_not_declared_is_of_medium_confidence(imports: Callers) -> None:
    repository(
        "auth", {"pyproject.toml": pyproject("acme-auth"), "acme_auth.py": "def verify(): ...\n"}
    )
    repository("shop", {"a.py": "from acme_auth import verify\n", "b.py": "import acme_auth\n"})
    assert imports("verify") == ["shop/a.py:1 <module> medium", "shop/b.py:1 <module> medium"]
    assert imports("verify", min_confidence="high") == []


def test_import_that_leads_nowhere_is_listed_by_name_at_low(imports: Callers) -> None:
    repository("auth", {"tokens.py": "def verify(): ...\n"})
    repository("shop", {"app/__init__.py": "", "app/a.py": "from .gone import verify\n"})
    repository("blog", {"a.py": "from hmac import verify\nfrom other_auth import verify\n"})
    assert imports("verify") == []
    assert imports("verify", min_confidence="low") == ["shop/app/a.py:1 <module> low"]


def test_script_imports_a_module_beside_it(imports: Callers) -> None:
    repository(
        "ops",
        {
            "bin/shared.py": "def go(): ...\n",
            "bin/run.py": "import shared\n",
            "bin/named.py": "from shared import go\n",
            "lib/elsewhere.py": "import shared\n",
        },
    )
    assert imports("go") == ["ops/bin/named.py:1 <module> high", "ops/bin/run.py:1 <module> high"]


def test_fixture_of_a_test_is_no_import(imports: Callers) -> None:
    repository(
        "shop",
        {
            "tests/conftest.py": "import pytest\n\n@pytest.fixture\ndef client(): ...\n",
            "tests/test_pay.py": "def test_pay(client): ...\n",
        },
    )
    assert imports("client") == []


def test_modules_of_javascript_are_imported_by_default_and_whole(imports: Callers) -> None:
    repository(
        "web",
        {
            "src/tokens.ts": "export default function verify() {}\nexport const sign = () => 1\n",
            "src/a.ts": 'import check from "./tokens"\n',
            "src/b.ts": 'import * as tokens from "./tokens"\n',
            "src/c.ts": 'import { sign } from "./tokens"\n',
            "src/d.js": 'const tokens = require("./tokens")\n',
        },
    )
    assert imports("verify") == [
        "web/src/a.ts:1 <module> high",
        "web/src/b.ts:1 <module> high",
        "web/src/d.js:1 <module> high",
    ]


def test_packages_of_go_and_java_are_imported_whole(imports: Callers) -> None:
    repository(
        "go-kit",
        {
            "go.mod": "module github.com/acme/go-kit\n",
            "retry/run.go": "package retry\n\nfunc Run() {}\n",
            "cmd/main.go": 'package main\n\nimport "github.com/acme/go-kit/retry"\n',
        },
    )
    repository(
        "risk",
        {
            "src/main/java/com/acme/risk/Score.java": (
                "package com.acme.risk;\n\npublic class Score { public static void of() {} }\n"
            ),
            "src/main/java/com/acme/app/A.java": (
                "package com.acme.app;\n\nimport com.acme.risk.Score;\n"
            ),
            "src/main/java/com/acme/app/B.java": (
                "package com.acme.app;\n\nimport com.acme.risk.*;\n"
            ),
            "src/main/java/com/acme/app/C.java": (
                "package com.acme.app;\n\nimport static com.acme.risk.Score.*;\n"
            ),
        },
    )
    assert imports("Run") == ["go-kit/cmd/main.go:3 <module> high"]
    assert imports("Score") == [
        "risk/src/main/java/com/acme/app/A.java:3 <module> high",
        "risk/src/main/java/com/acme/app/B.java:3 <module> high",
        "risk/src/main/java/com/acme/app/C.java:3 <module> high",
    ]


def test_levels_follow_imports_inside_of_functions(auth: None, imports: Callers) -> None:
    repository("shop", {"outside.py": "from inside import login\n"})
    assert "shop/outside.py:1 <module> high" not in imports("verify")
    assert "shop/outside.py:1 <module> high" in imports("verify", depth=2)


def test_callees_of_the_kind_are_what_imports_inside_name(auth: None, ask: Ask) -> None:
    def found(*kinds: str) -> list[str]:
        answer = ask("callees", symbol="login", kind=kinds).json()
        return [f"{link['kind']} {link['callee']['qualified_name']}" for link in answer["callees"]]

    assert found("import") == ["import verify"]
    assert found("call", "import") == ["import verify", "call verify"]
    assert found() == ["call verify"]


def test_next_page_goes_on_behind_the_last_import(auth: None, ask: Ask) -> None:
    first = ask("callers", symbol="verify", kind="import", limit=4).json()
    rest = ask("callers", symbol="verify", kind="import", limit=4, cursor=first["next_cursor"])
    files = [link["file"] for link in [*first["callers"], *rest.json()["callers"]]]
    assert len(files) == len(set(files)) == 7


def test_only_imports_of_the_name_are_read(auth: None, imports: Callers) -> None:
    file = File.objects.get(path="other.py")
    Import.objects.bulk_create(
        Import(
            repository=file.repository,
            file=file,
            local=f"name_{number}",
            module="acme_elsewhere",
            path=f"acme_elsewhere.name_{number}",
            wildcard=False,
            line=number,
        )
        for number in range(5_000)
    )
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {Import._meta.db_table}")
    imports("verify")  # the follower reads all imports of each file
    with statements_sent() as sent:
        assert len(imports("verify")) == 7
    reading = [one for one in sent if f"JOIN {Import._meta.db_table}" in one.sql]
    reading += [one for one in sent if f"FROM {Import._meta.db_table}" in one.sql]
    assert len(reading) > 2
    for one in reading:
        for mode in MODES:
            assert rows_handled(one, mode) < 1_000, one.sql
