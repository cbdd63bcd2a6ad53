"""What an index says of a reference decides what it is bound to; the rules decide the rest."""

from collections.abc import Callable
from typing import Any

import pytest

from central.corpus.dump import dump_lines
from central.corpus.models import Reference, ScipDefinition, ScipDocument
from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import add_scip, change_files, pyproject, repository

CORE = """\
class Box:
    def go(self): ...
class Other:
    def go(self): ...
"""
MAIN = """\
def main(box):
    box.go()
def twice(box):
    box.go()
"""
OF_BOX = "scip-python python lib . `lib.core`/Box#go()."


def test_an_index_binds_what_the_rules_cannot(callers: Callers) -> None:
    repository("lib", {"pyproject.toml": pyproject("lib"), "lib/core.py": CORE})
    app = repository("app", {"pyproject.toml": pyproject("app", "lib"), "app/main.py": MAIN})
    assert callers("Box.go") == []
    add_scip(app, {"app/main.py": {"box.|go()\ndef twice": OF_BOX}})
    assert callers("Box.go") == ["app/app/main.py:2 main high"]
    assert callers("Other.go") == []


def test_where_both_know_something_else_the_index_wins(
    callers: Callers, ask_live: Callable[..., Any]
) -> None:
    repository("lib", {"pyproject.toml": pyproject("lib"), "lib/core.py": CORE})
    main = "from lib.core import Other\ndef main(box: Other):\n    box.go()\n"
    app = repository("app", {"pyproject.toml": pyproject("app", "lib"), "app/main.py": main})
    assert callers("Other.go") == ["app/app/main.py:3 main high"]
    add_scip(app, {"app/main.py": {"box.|go": OF_BOX}})
    assert callers("Other.go") == []
    assert callers("Box.go") == ["app/app/main.py:3 main high"]
    [counted] = ask_live("callers", symbol="Box.go").json()["receipt"]["resolved_by"]
    assert counted == {"project": "app", "files": {"scip-test 1.0": 1}, "disagreements": 1}


def test_an_index_of_the_provider_names_definitions_that_have_no_path(callers: Callers) -> None:
    symbol = "cxx . . . ns/go(1a2b)."
    files = {
        "a.cc": "namespace ns { void go(int); }\nvoid f() { ns::go(1); }\n",
        "b.cc": "namespace ns {\nvoid go(int) {}\nvoid go(char) {}\n}\n",
    }
    for name in ("one", "two"):  # two repositories with the same symbol, which names no package
        made = repository(name, files)
        add_scip(made, {"a.cc": {"ns::|go(1)": symbol}, "b.cc": {"method |go(int)": symbol}})
    assert callers("go", project="one", file="b.cc") == ["one/a.cc:2 f high"]


def test_a_claim_to_the_package_of_a_neighbour_changes_no_answer(callers: Callers) -> None:
    repository("lib", {"pyproject.toml": pyproject("lib"), "lib/core.py": CORE})
    app = repository("app", {"pyproject.toml": pyproject("app", "lib"), "app/main.py": MAIN})
    add_scip(app, {"app/main.py": {"box.|go()\ndef twice": OF_BOX}})
    before = callers("Box.go")
    thief = repository("thief", {"pyproject.toml": pyproject("thief"), "x/core.py": CORE})
    add_scip(thief, {"x/core.py": {"def |go": OF_BOX}})
    assert callers("Box.go", project="lib") == before


def test_a_package_that_no_manifest_declares_is_the_one_that_the_index_names(
    callers: Callers,
) -> None:
    files = {"pyproject.toml": pyproject("lib"), "src/lib/core.py": CORE, "src/lib/more.py": CORE}
    repository("lib", files)
    app = repository("app", {"pyproject.toml": pyproject("app"), "app/main.py": MAIN})
    add_scip(app, {"app/main.py": {"box.|go()\ndef twice": OF_BOX}})
    assert callers("Box.go", file="src/lib/core.py") == ["app/app/main.py:2 main high"]
    assert callers("Box.go", file="src/lib/more.py") == []


def test_what_is_outside_of_all_repositories_is_no_caller_of_its_namesake(callers: Callers) -> None:
    lib = {"pyproject.toml": pyproject("lib"), "lib/core.py": CORE}
    repository("lib", lib)
    main = "from lib.core import Box\ndef main(box: Box):\n    box.go()\n"
    app = repository("app", {"pyproject.toml": pyproject("app", "lib"), "app/main.py": main})
    assert callers("Box.go") == ["app/app/main.py:3 main high"]
    add_scip(app, {"app/main.py": {"box.|go": "scip-python python boxes . `boxes`/Box#go()."}})
    assert callers("Box.go") == []


def test_of_definitions_that_share_a_symbol_the_rules_choose(callers: Callers) -> None:
    """scip-python leaves the method out of the symbol of a function inside of it."""
    jobs = """\
    class Job:
        def start(self):
            def step(): ...
            step()
        def stop(self):
            def step(): ...
            step()
        def step(self): ...
    def run(job):
        job.step()
    """
    lib = repository("lib", {"pyproject.toml": pyproject("lib"), "lib/jobs.py": jobs})
    symbol = "scip-python python lib . `lib.jobs`/Job#step()."
    marks = ("start(self):\n        def |step", "stop(self):\n        def |step")
    used = ("step(): ...\n        |step()\n    def stop", "job.|step")
    marked = {f"method {one}": symbol for one in (*marks, "def |step(self)")}
    add_scip(lib, {"lib/jobs.py": marked | dict.fromkeys(used, symbol)})
    assert callers("Job.start.step") == [
        "lib/lib/jobs.py:4 Job.start high",
        "lib/lib/jobs.py:10 run medium",
    ]


def test_of_a_place_with_several_symbols_the_rules_decide(callers: Callers) -> None:
    """scip-typescript names the members of each type that a value may have."""
    repository("lib", {"pyproject.toml": pyproject("lib"), "lib/core.py": CORE})
    main = "from lib.core import Other\ndef main(box: Other):\n    box.go()\n"
    app = repository("app", {"pyproject.toml": pyproject("app", "lib"), "app/main.py": main})
    add_scip(app, {"app/main.py": {"box.|go": OF_BOX, "box.|go()": OF_BOX.replace("Box", "Other")}})
    assert callers("Other.go") == ["app/app/main.py:3 main high"]
    assert callers("Box.go") == []


def test_overrides_of_what_an_index_binds_stay_at_medium(callers: Callers) -> None:
    core = "class Box:\n    def go(self): ...\nclass Big(Box):\n    def go(self): ...\n"
    repository("lib", {"pyproject.toml": pyproject("lib"), "lib/core.py": core})
    app = repository("app", {"pyproject.toml": pyproject("app", "lib"), "app/main.py": MAIN})
    add_scip(app, {"app/main.py": {"box.|go()\ndef twice": OF_BOX}})
    assert callers("Big.go") == ["app/app/main.py:2 main medium"]


def test_implementations_come_from_the_relationships_of_an_index(callers: Callers) -> None:
    core = "class Box:\n    def go(self): ...\nclass Duck:\n    def go(self): ...\n"
    lib = repository("lib", {"pyproject.toml": pyproject("lib"), "lib/core.py": core})
    box, duck = (
        "scip-python python lib . `lib.core`/Box#",
        "scip-python python lib . `lib.core`/Duck#",
    )
    main = "from lib.core import Box\ndef main(box: Box):\n    box.go()\n"
    repository("app", {"pyproject.toml": pyproject("app", "lib"), "app/main.py": main})
    assert callers("Duck.go") == []
    add_scip(lib, {"lib/core.py": {"class |Box": box, "class |Duck": duck, duck: f"< {box}"}})
    assert callers("Duck.go") == ["app/app/main.py:3 main medium"]


def test_a_document_stays_with_its_blob_and_goes_with_it(callers: Callers) -> None:
    repository("lib", {"pyproject.toml": pyproject("lib"), "lib/core.py": CORE})
    app = repository("app", {"pyproject.toml": pyproject("app", "lib"), "app/main.py": MAIN})
    without = dump_lines(app)
    add_scip(app, {"app/main.py": {"box.|go()\ndef twice": OF_BOX}})
    with_index = dump_lines(app)
    assert [line for line in with_index if "scip" not in line] == without
    change_files(app, {"app/main.py": MAIN})  # as a forced run without an index does
    assert dump_lines(app) == with_index
    assert callers("Box.go") == ["app/app/main.py:2 main high"]
    change_files(app, {"app/main.py": MAIN + "\n"})
    assert callers("Box.go") == []
    assert not ScipDocument.objects.exists()


def test_uses_that_only_an_index_knows_are_references(ask: Callable[..., Any]) -> None:
    lib = repository("lib", {"pyproject.toml": pyproject("lib"), "lib/core.py": CORE})
    main = (
        "from lib.core import Box\ndef main(boxes: 'list[Box]'):\n    step = Box.go\n    step()\n"
    )
    app = repository("app", {"pyproject.toml": pyproject("app", "lib"), "app/main.py": main})
    del lib
    marks = {"Box.|go": OF_BOX, "list[|Box": "scip-python python lib . `lib.core`/Box#"}
    add_scip(app, {"app/main.py": marks})
    [link, _] = ask("callers", symbol="Box.go").json()["callers"]
    assert (link["line"], link["kind"], link["rule"]) == (3, "value", "scip")
    assert "scip-test 1.0" in link["evidence"]
    assert Reference.objects.filter(binding="scip", kind="type").count() == 1
    typed = ask("callers", symbol="Box", kind="type").json()
    assert [(one["line"], one["kind"]) for one in typed["callers"]] == [(2, "type")]
    assert typed["receipt"]["elsewhere"]["count"] == 0
    place = {"project": "app", "file": "app/main.py", "line": 2, "column": 22}
    [found] = ask("definition", **place).json()["definitions"]
    assert (found["qualified_name"], found["rule"]) == ("Box", "scip")


def test_a_fork_with_an_index_and_a_provider_without_are_a_tie(callers: Callers) -> None:
    lib = {"pyproject.toml": pyproject("lib"), "lib/core.py": CORE}
    repository("lib", lib)
    fork = repository("fork", lib)
    app = repository("app", {"pyproject.toml": pyproject("app", "lib"), "app/main.py": MAIN})
    add_scip(app, {"app/main.py": {"box.|go()\ndef twice": OF_BOX}})
    add_scip(fork, {"lib/core.py": {"def |go": OF_BOX}})
    for project in ("lib", "fork"):
        assert callers("Box.go", project=project) == ["app/app/main.py:2 main medium"]


def test_a_manifest_beside_the_definition_provides_nothing(callers: Callers) -> None:
    repository("lib", {"pyproject.toml": pyproject("lib"), "lib/core.py": CORE})
    files = {"vendor/pyproject.toml": pyproject("lib"), "pyproject.toml": pyproject("thief")}
    thief = repository("thief", files | {"x/core.py": CORE})
    app = repository("app", {"pyproject.toml": pyproject("app", "lib"), "app/main.py": MAIN})
    add_scip(app, {"app/main.py": {"box.|go()\ndef twice": OF_BOX}})
    add_scip(thief, {"x/core.py": {"def |go": OF_BOX}})
    assert callers("Box.go", project="lib") == ["app/app/main.py:2 main high"]
    assert callers("Box.go", project="thief") == []


def package(name: str, *dependencies: str) -> str:
    """A package.json with source files as its entry."""
    asked = ", ".join(f'"{one}": "^1.0.0"' for one in dependencies)
    return f'{{"name": "{name}", "main": "src/index.ts", "dependencies": {{{asked}}}}}'


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("export { parse } from 'base';\n", {"base": ["app/src/main.ts:2 main high"]}),
        ("export { parse } from './a';\n", {"lib": ["app/src/main.ts:2 main high"]}),
        ("export { other as parse } from './a';\n", {}),
    ],
)
def test_the_public_entry_of_an_npm_package_goes_before_a_namesake_in_its_tests(
    callers: Callers, entry: str, expected: dict[str, list[str]]
) -> None:
    function = "export function parse(a: string) {}\n"
    repository("base", {"package.json": package("base"), "src/index.ts": function})
    files = {"src/index.ts": entry, "src/a.ts": function + "export function other() {}\n"}
    tests = {"test/index.ts": function}
    repository("lib", {"package.json": package("lib", "base")} | files | tests)
    main = "import { parse } from 'lib';\nexport function main() { parse('a'); }\n"
    app = repository("app", {"package.json": package("app", "lib"), "src/main.ts": main})
    symbol = "scip-typescript npm lib . dist/`index.d.ts`/parse()."
    add_scip(app, {"src/main.ts": {"{ |parse('a')": symbol}})
    found = {
        "base": callers("parse", project="base"),
        "lib": callers("parse", project="lib", file="src/a.ts"),
        "tests": callers("parse", project="lib", file="test/index.ts"),
    }
    assert {name: one for name, one in found.items() if one} == expected


def test_a_package_that_nobody_asks_for_is_not_outside(callers: Callers) -> None:
    files = {
        "a.cc": '#include "b.h"\nvoid f() { ns::go(1); }\n',
        "b.h": "namespace ns { void go(int); }\n",
        "b.cc": '#include "b.h"\nnamespace ns {\nvoid go(int) {}\n}\n',
    }
    one = repository("one", files)
    add_scip(one, {"a.cc": {"ns::|go(1)": "cxx . mylib . ns/go(1a2b)."}})
    assert callers("go") == ["one/a.cc:2 f high"]


def test_a_document_that_comes_again_is_followed(callers: Callers) -> None:
    repository("lib", {"pyproject.toml": pyproject("lib"), "lib/core.py": CORE})
    main = "from lib.core import Box\ndef main():\n    step = Box.go\n    step()\n"
    app = repository("app", {"pyproject.toml": pyproject("app", "lib"), "app/main.py": main})
    marks = {"app/main.py": {"Box.|go": OF_BOX}}
    add_scip(app, marks)
    before = callers("Box.go")
    change_files(app, {}, removed_documents=["app/main.py"])
    add_scip(app, marks)  # before the follower looks
    assert callers("Box.go") == before == [f"app/app/main.py:{n} main high" for n in (3, 4)]


def test_definitions_that_an_earlier_version_has_left_name_no_file(
    callers: Callers, ask_live: Callable[..., Any]
) -> None:
    lib = repository("lib", {"pyproject.toml": pyproject("lib"), "lib/core.py": CORE})
    app = repository("app", {"pyproject.toml": pyproject("app", "lib"), "app/main.py": MAIN})
    add_scip(lib, {"lib/core.py": {"def |go": OF_BOX}})
    add_scip(app, {"app/main.py": {"box.|go()\ndef twice": OF_BOX}})
    ScipDefinition.objects.update(file_id=1)
    assert callers("Box.go") == ["app/app/main.py:2 main high"]


def test_symbols_as_long_as_they_may_be_are_applied(callers: Callers) -> None:
    name = "é" * 460
    symbol = f"scip-python python lib . `lib.core`/{name}#"
    app = repository("app", {"pyproject.toml": pyproject("app"), "app/main.py": MAIN})
    add_scip(app, {"app/main.py": {"box.|go()\ndef twice": symbol, symbol: f"< {symbol}"}})
    assert Reference.objects.filter(symbol__text=symbol, symbol__name=name).exists()
    long = f"scip-python python lib . {'a' * 900}#"
    add_scip(app, {"app/main.py": {"box.|go()\ndef twice": long}})
    assert Reference.objects.filter(symbol__name="a" * 500).exists()


def test_references_that_an_index_binds_are_in_no_count_of_what_is_unknown(
    ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("central.trace.callers.MAX_UNRESOLVED", 2)
    repository("lib", {"pyproject.toml": pyproject("lib"), "lib/core.py": CORE})
    main = "def main(box):\n" + "".join(f"    box.a{n}.go()\n" for n in range(8))
    app = repository("app", {"pyproject.toml": pyproject("app"), "app/main.py": main})
    add_scip(app, {"app/main.py": {f"a{n}.|go": OF_BOX for n in range(6)}})
    receipt = ask("callers", symbol="Other.go").json()["receipt"]
    assert receipt["unresolved"]["count"] == 2
