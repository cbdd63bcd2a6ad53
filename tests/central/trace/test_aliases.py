"""An alias and what it stands for are one: neither makes the other uncertain."""

import pytest

from tests.central.trace.conftest import Ask, Callers
from tests.central.trace.corpus import pyproject, repository


def kit(text: str) -> None:
    """A package with one module, and one that uses its `$fetch`."""
    repository("kit", {"package.json": '{"name": "@acme/kit"}', "index.ts": text})
    repository(
        "app",
        {
            "package.json": '{"name": "app", "dependencies": {"@acme/kit": "1"}}',
            "main.ts": "import { $fetch } from '@acme/kit'\nexport const run = () => $fetch('/')\n",
        },
    )


@pytest.mark.parametrize("symbol", ["ofetch", "$fetch"])
def test_alias_and_its_target_are_no_rivals(symbol: str, callers: Callers, ask: Ask) -> None:
    kit("export function ofetch(url: string) {}\nexport const $fetch = ofetch\n")
    assert callers(symbol, min_confidence="high") == ["app/main.ts:2 run high"]
    (link,) = ask("callers", symbol=symbol).json()["callers"]
    assert link["candidates"] == 1


def test_alias_of_what_is_not_visible_is_certain(callers: Callers) -> None:
    kit("import { ofetch } from 'ofetch'\nexport const $fetch = ofetch\n")
    assert callers("$fetch", min_confidence="high") == ["app/main.ts:2 run high"]


def test_alias_of_two_things_is_a_tie(callers: Callers) -> None:
    kit(
        "export function one() {}\nexport function two() {}\n"
        "export let $fetch = one\n$fetch = two\nexport { two as $fetch }\n"
    )
    assert callers("one") == ["app/main.ts:2 run medium"]
    assert callers("two") == ["app/main.ts:2 run medium"]


def test_alias_in_python_is_no_rival(callers: Callers) -> None:
    repository(
        "kit",
        {
            "pyproject.toml": pyproject("acme-kit"),
            "acme_kit/__init__.py": "def fetch(): ...\nFETCH = fetch\n",
        },
    )
    repository(
        "app",
        {
            "pyproject.toml": pyproject("app", "acme-kit"),
            "app.py": "from acme_kit import FETCH\n\ndef run():\n    FETCH()\n",
        },
    )
    assert callers("fetch", min_confidence="high") == ["app/app.py:4 run high"]
    assert callers("FETCH", min_confidence="high") == ["app/app.py:4 run high"]


def test_an_alias_of_a_type_of_go_has_its_methods(callers: Callers) -> None:
    repository(
        "kit",
        {
            "go.mod": "module example.com/kit\n",
            "alert/alert.go": """
                package alert

                type Alert struct{}

                func (a *Alert) Send() {}
                """,
            "types/types.go": """
                package types

                import "example.com/kit/alert"

                type Alert = alert.Alert
                type Own alert.Alert
                """,
            "app/app.go": """
                package app

                import "example.com/kit/types"

                func run(a *types.Alert, many []types.Alert, own types.Own) {
                    a.Send()
                    many[0].Send()
                    own.Send()
                }
                """,
        },
    )
    assert callers("Alert.Send") == ["kit/app/app.go:7 run high", "kit/app/app.go:8 run high"]
