"""Callers and definitions in code inside of other files."""

import json

from tests.central.trace.conftest import Ask, Callers
from tests.central.trace.corpus import pyproject, repository

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


KIT = {"pyproject.toml": pyproject("kit"), "kit/__init__.py": "def press(n): ...\n"}


def fence(language: str, code: str) -> str:
    return f"```{language}\n{code}\n```\n"


def test_an_example_in_a_document_is_a_caller(callers: Callers) -> None:
    repository("kit", {**KIT, "README.md": fence("py", "from kit import press\npress(1)")})
    guide = fence("python", "import kit\n\nkit.press(2)")
    repository("site", {"pyproject.toml": pyproject("site", "kit"), "docs/kit.mdx": guide})
    assert callers("press") == [
        "kit/README.md:3 <module> high",
        "site/docs/kit.mdx:4 <module> high",
    ]


def test_an_example_without_its_import_may_be_a_caller(ask: Ask, callers: Callers) -> None:
    repository("kit", {**KIT, "README.md": fence("py", "press(1)")})
    assert callers("press", min_confidence="low") == ["kit/README.md:2 <module> low"]
    receipt = ask("callers", symbol="press").json()["receipt"]
    assert (receipt["unresolved"]["count"], receipt["complete"]) == (1, True)


def test_an_example_calls_functions_of_its_own_language_alone(callers: Callers) -> None:
    repository(
        "kit",
        {
            **KIT,
            "package.json": PACKAGE,
            "web/index.ts": "export function press(n: number) {}\n",
            "README.md": fence("go", "kit.press(1)")
            + fence("ts", 'import { press } from "./web";\npress(2);')
            + fence("py", "from kit import press\npress(3)"),
        },
    )
    assert callers("press", file="kit/__init__.py") == ["kit/README.md:10 <module> high"]
    assert callers("press", file="web/index.ts") == ["kit/README.md:6 <module> high"]


def test_what_an_example_defines_is_no_definition(ask: Ask, callers: Callers) -> None:
    example = "from kit import press\n\n\ndef main():\n    press(1)\n\n\nmain()"
    repository("kit", {**KIT, "README.md": fence("py", example), "run.py": "def main(): ...\n"})
    assert callers("press") == ["kit/README.md:6 <module> high"]
    assert callers("main") == []
    answer = ask("callers", symbol="main").json()
    assert [one["file"] for one in answer["definitions"]] == ["run.py"]
    assert answer["receipt"]["unresolved"]["count"] == 0


def test_a_class_of_an_example_is_a_subclass_that_nothing_calls(callers: Callers) -> None:
    example = "from kit import Base\n\n\nclass Mine(Base):\n    def run(self): ...\n"
    base = "class Base:\n    def run(self): ...\n    def start(self):\n        self.run()\n"
    repository(
        "kit",
        {
            "pyproject.toml": pyproject("kit"),
            "kit/__init__.py": base,
            "README.md": fence("py", example),
        },
    )
    assert callers("Base") == ["kit/README.md:5 <module> high"]
    assert callers("Base.run") == ["kit/kit/__init__.py:4 Base.start high"]
