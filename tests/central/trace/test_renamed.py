"""Dependencies that a package imports under another name."""

import pytest
from django.db import connection

from central.corpus.models import Dependency, File, Import, Module, Package
from central.trace.resolve.renamed import RealPath, real_paths
from central.trace.resolve.sql import FileContext, FirstNames, Requirement
from tests.central.plans import MODES, rows_handled, statements_sent
from tests.central.trace.conftest import Ask, Callers
from tests.central.trace.corpus import repository

CALL = "import { write } from 'log'\nexport const run = () => write(1)\n"


def provider(name: str, project: str) -> None:
    repository(
        project,
        {
            "package.json": f'{{"name": "{name}", "version": "1.0.0", "main": "index.ts"}}',
            "index.ts": "export function write(x) {}\nexport default function shout(x) {}\n",
            "deep.ts": "export function dig() {}\n",
        },
    )


def consumer(project: str, dependencies: str, files: dict[str, str]) -> None:
    manifest = f'{{"name": "{project}", "dependencies": {{{dependencies}}}}}'
    repository(project, {"package.json": manifest, **files})


@pytest.fixture
def aliased() -> None:
    """Two packages that use the alias `log` differently, and one to which it is a name."""
    provider("@acme/log", "acme")
    provider("@other/log", "other")
    provider("log", "plain")
    consumer("a", '"log": "npm:@acme/log@1"', {"main.ts": CALL})
    consumer("b", '"log": "npm:@other/log@1"', {"main.ts": CALL})
    consumer("c", '"log": "1"', {"main.ts": CALL})


@pytest.mark.parametrize(("project", "user"), [("acme", "a"), ("other", "b"), ("plain", "c")])
def test_an_alias_means_what_its_own_package_says(
    aliased: None, callers: Callers, project: str, user: str
) -> None:
    expected = [f"{user}/main.ts:2 run high"]
    assert callers("write", project=project, file="index.ts") == expected
    expected = [f"{user}/main.ts:1 <module> high"]
    assert callers("write", project=project, file="index.ts", kind="import") == expected


@pytest.mark.parametrize(("project", "user"), [("acme", "a"), ("other", "b"), ("plain", "c")])
def test_callees_are_those_of_the_real_package(
    aliased: None, ask: Ask, project: str, user: str
) -> None:
    answer = ask("callees", symbol="run", project=user).json()
    assert [one["callee"]["project"] for one in answer["callees"]] == [project]


def test_an_alias_of_what_is_not_visible_is_outside(callers: Callers, ask: Ask) -> None:
    provider("log", "plain")
    consumer("a", '"log": "npm:@acme/log@1"', {"main.ts": CALL})
    assert callers("write", min_confidence="low") == []
    assert ask("callers", symbol="write").json()["receipt"]["unresolved"]["count"] == 0


def test_a_subpath_and_a_default_export_are_found_by_an_alias(callers: Callers) -> None:
    provider("@acme/log", "acme")
    text = "import { dig } from '@x/log/deep'\nexport const run = () => dig()\n"
    renamed = "import bark from '@x/log'\nexport const loud = () => bark()\n"
    consumer("a", '"@x/log": "npm:@acme/log@1"', {"main.ts": text, "loud.ts": renamed})
    assert callers("dig") == ["a/main.ts:2 run high"]
    assert callers("shout", project="acme") == ["a/loud.ts:2 loud high"]


def test_a_manifest_above_renames_and_the_nearest_decides(callers: Callers) -> None:
    provider("@acme/log", "acme")
    provider("log", "plain")
    repository(
        "mono",
        {
            "package.json": '{"name": "mono", "dependencies": {"log": "npm:@acme/log@1"}}',
            "web/package.json": '{"name": "web", "dependencies": {"x": "1"}}',
            "web/main.ts": CALL,
            "api/package.json": '{"name": "api", "dependencies": {"log": "1"}}',
            "api/main.ts": CALL,
        },
    )
    assert callers("write", project="acme") == ["mono/web/main.ts:2 run high"]
    assert callers("write", project="plain") == ["mono/api/main.ts:2 run high"]


def test_an_exported_name_is_found_through_an_alias(callers: Callers) -> None:
    provider("@acme/log", "acme")
    barrel = "export { default as bark } from 'log'\n"
    use = "import { bark } from './barrel'\nexport const loud = () => bark()\n"
    consumer("a", '"log": "npm:@acme/log@1"', {"barrel.ts": barrel, "main.ts": use})
    assert callers("shout", project="acme") == ["a/main.ts:2 loud high"]


def meant(ecosystem: str, path: str, *rows: Requirement) -> list[RealPath]:
    steps = real_paths([(FileContext(1, 1, ecosystem), path)], [rows])
    try:
        (asked,) = next(steps)
        assert asked == FirstNames(ecosystem, rows[0].name)
        steps.send([(("acme_log_core",),)])
    except StopIteration as stop:
        return list(stop.value[0])
    raise AssertionError


@pytest.mark.parametrize(
    ("ecosystem", "path", "alias", "expected"),
    [
        ("npm", "log.write", "log", "@acme/log.write"),
        ("npm", "log/deep.write", "log", "@acme/log/deep.write"),
        ("npm", "logger.write", "log", None),
        ("npm", "#log.write", "#log", "@acme/log.write"),
        ("npm", "#db/a/b.write", "#db/ lib", "@acme/log/lib/a/b.write"),
        ("npm", "#one.write", "#one lib/one", "@acme/log/lib/one.write"),
        ("npm", "/src/log.write", "/src/log", None),
        ("npm", "path.join", "path", None),
        ("cargo", "my_log.Log.new", "my-log", "acme_log_core.Log.new"),
        ("cargo", "my_log", "my-log", "acme_log_core"),
        ("cargo", "my_logger.Log", "my-log", None),
    ],
)
def test_the_beginning_of_a_path_is_the_alias(
    ecosystem: str, path: str, alias: str, expected: str | None
) -> None:
    row = Requirement("@acme/log", "", "", alias)
    assert meant(ecosystem, path, row) == ([RealPath("@acme/log", expected)] if expected else [])


@pytest.mark.parametrize("mode", MODES)
def test_aliases_cost_their_packages_alone(aliased: None, ask_live: Ask, mode: str) -> None:
    """Imports of the same path in other repositories are not read."""
    package = Package.objects.get(name="log")
    file = File.objects.filter(repository__name="c").earliest("pk")
    Import.objects.bulk_create(
        Import(
            repository=file.repository, file=file, local=f"w{n}", module="log",
            path="log.default", wildcard=False, line=1,
        )
        for n in range(2_000)
    )  # fmt: skip
    Import.objects.bulk_create(
        Import(
            repository=file.repository, file=file, local="", module="log", path=f"m{n}",
            wildcard=False, line=1,
        )
        for n in range(4_000)
    )  # fmt: skip
    Dependency.objects.bulk_create(
        Dependency(package=package, ecosystem="npm", name=f"d{n}") for n in range(2_000)
    )
    Module.objects.bulk_create(
        Module(
            repository=file.repository,
            file=file,
            ecosystem="npm",
            name=f"m{n}",
            public=True,
            scope=False,
        )
        for n in range(2_000)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE corpus_import, corpus_dependency, corpus_module")
    with statements_sent() as sent:
        ask_live("callers", symbol="shout", project="acme", kind=["call", "import"])
    read = [one for one in sent if "corpus_import" in one.sql or "corpus_dependency" in one.sql]
    assert max(rows_handled(one, mode) for one in read) < 500


def test_a_call_has_the_version_of_the_name_by_which_it_is_imported(ask: Ask) -> None:
    provider("log", "log")
    ranges = '"log": "^2.0.0", "old": "npm:log@^1.0.0"'
    lock = """{"packages": {
        "": {"dependencies": {%s}},
        "node_modules/log": {"version": "2.1.0"},
        "node_modules/old": {"name": "log", "version": "1.2.0"}
    }}"""
    files = {
        "new.ts": CALL,
        "old.ts": CALL.replace("'log'", "'old'"),
        "both.ts": "export { write } from 'old'\n",
        "through.ts": CALL.replace("'log'", "'./both'"),
    }
    consumer("a", ranges, {**files, "package-lock.json": lock % ranges})
    answer = ask("callers", symbol="write", kind="call").json()
    assert {
        link["file"]: (link["required_version"], link["pinned_version"])
        for link in answer["callers"]
    } == {
        "new.ts": ("^2.0.0", "2.1.0"),
        "old.ts": ("^1.0.0", "1.2.0"),
        "through.ts": (None, None),
    }


def test_a_path_has_the_version_of_its_crate(ask: Ask) -> None:
    manifest = '[package]\nname = "{}"\nversion = "2.0.0"\n[dependencies]\n'
    repository("log", {"Cargo.toml": manifest.format("log"), "src/lib.rs": "pub fn write() {}\n"})
    needs = 'log = "=2.0.0"\nold-log = { package = "log", version = "=1.0.0" }\n'
    locked = '[[package]]\nname = "log"\nversion = "{}.0.0"\nsource = "registry"\n\n'
    repository(
        "app",
        {
            "Cargo.toml": manifest.format("app") + needs,
            "Cargo.lock": locked.format(1) + locked.format(2),
            "src/lib.rs": "use old_log::write;\npub fn run() { write(); log::write(); }\n",
        },
    )
    answer = ask("callers", symbol="write", kind="call").json()
    found = {(link["column"], link["pinned_version"]) for link in answer["callers"]}
    assert found == {(15, "1.0.0"), (29, "2.0.0")}
