"""Callers and definitions in code inside of other files."""

import json
from collections.abc import Callable

import pytest

from tests.central.trace.conftest import Ask
from tests.central.trace.corpus import pyproject, repository

pytestmark = pytest.mark.django_db

Callers = Callable[..., list[str]]

PACKAGE = '{"name": "web", "version": "1.0.0"}'
TOKEN = "export function fetchToken(): string { return 't'; }\n"


def test_calls_in_scripts_and_templates_of_components_are_callers(callers: Callers) -> None:
    script = '<script>\nimport { fetchToken } from "./token";\n</script>\n'
    repository(
        "web",
        {
            "package.json": PACKAGE,
            "src/token.ts": TOKEN,
            "src/A.vue": f"<template><p>ä {{{{ fetchToken() }}}}</p></template>\n{script}",
            "src/B.svelte": f'{script}<button on:click="{{fetchToken}}">b</button>\n',
            "src/C.astro": (
                '---\nimport { fetchToken } from "./token";\n---\n<p {...fetchToken()}></p>\n'
            ),
            "src/index.html": f"{script.replace('<script>', '<script type=module>')}<p>text</p>\n",
            "src/page.html": (
                '<script type="module">\nimport { fetchToken } from "./token.js";\n'
                "fetchToken();\n</script>\n"
            ),
        },
    )
    assert sorted(callers("fetchToken")) == [
        "web/src/A.vue:1 <module> high",
        "web/src/C.astro:4 <module> high",
        "web/src/page.html:3 <module> high",
    ]


def test_what_a_component_exports_is_imported_by_its_file(callers: Callers) -> None:
    repository(
        "web",
        {
            "package.json": PACKAGE,
            "src/Dialog.vue": "<script>\nexport function open() {}\n</script>\n",
            "src/main.ts": 'import { open } from "./Dialog.vue";\nopen();\n',
        },
    )
    assert callers("open") == ["web/src/main.ts:2 <module> high"]


def test_a_cell_of_a_notebook_calls_another_repository(callers: Callers) -> None:
    repository(
        "frames",
        {"pyproject.toml": pyproject("frames"), "frames/__init__.py": "def squeeze(n): ...\n"},
    )
    cells = [
        {"cell_type": "code", "source": ["import frames\n"]},
        {"cell_type": "code", "source": ["def show():\n", "    return 1\n", "show()\n"]},
        {"cell_type": "code", "source": ["%time rows = frames.squeeze(1)\n"]},
    ]
    repository(
        "study",
        {
            "pyproject.toml": pyproject("study", "frames"),
            "a.ipynb": json.dumps({"cells": cells}, indent=1),
        },
    )
    assert callers("squeeze") == ["study/a.ipynb:20 <module> high"]
    assert callers("show") == ["study/a.ipynb:14 <module> high"]


def test_a_template_of_erb_calls_a_method_of_a_class(callers: Callers) -> None:
    repository(
        "shop",
        {
            "lib/report.rb": "class Report\n  def self.recent(count)\n  end\nend\n",
            "app/views/a.html.erb": "<p>ä</p>\n<% Report.recent(3).each do |one| %>\n<% end %>\n",
        },
    )
    assert callers("Report.recent") == ["shop/app/views/a.html.erb:2 <module> high"]


def test_a_handler_of_a_page_uses_a_function_of_its_script(ask: Ask, callers: Callers) -> None:
    page = '<script>\nfunction toggle() {}\n</script>\n<p onclick="toggle()">a</p>\n'
    repository("web", {"package.json": PACKAGE, "index.html": page})
    assert callers("toggle") == ["web/index.html:4 <module> high"]
    assert ask("callers", symbol="toggle").json()["definitions"][0]["file"] == "index.html"
