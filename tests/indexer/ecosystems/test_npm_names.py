"""What npm's packages, Deno's and the files of a workspace are called."""

import json

import pytest

from indexer.ecosystems.npm import allows_npm, links_npm
from indexer.ecosystems.npm.local_names import inline_path
from indexer.ecosystems.npm.specifiers import Requested, imported, pinned, wanted
from indexer.records.manifests import Dependency, ManifestProblem, Pin, PinUse
from tests.indexer.ecosystems.reading import read
from tests.indexer.ecosystems.workspaces import workspace


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("^1.0.0", Requested("log", "^1.0.0")),
        ("*", Requested("log", "")),
        ("npm:@acme/log@^1.0", Requested("@acme/log", "^1.0")),
        ("npm:@acme/log", Requested("@acme/log", "")),
        ("npm:xlog", Requested("xlog", "")),
        ("npm:^2.0.0", Requested("log", "^2.0.0")),
        ("npm:*", Requested("log", "")),
        ("workspace:*", Requested("log", "workspace:*")),
    ],
)
def test_a_value_names_another_package_or_a_range(value: str, expected: Requested) -> None:
    assert wanted("log", value) == expected


@pytest.mark.parametrize(
    ("value", "version"),
    [
        ("1.2.3", "1.2.3"),
        ("=1.2.3-rc.1", "1.2.3-rc.1"),
        ("^1.2.3", ""),
        ("github:acme/kit#v2.1.0", "2.1.0"),
        ("git+https://forge.example/acme/kit.git#semver:2.1.0", "2.1.0"),
        ("github:acme/kit#semver:^2.1.0", ""),
        ("github:acme/kit#main", ""),
        ("https://registry.example/@acme/kit/-/kit-2.1.0.tgz", "2.1.0"),
        ("patch:@acme/kit@npm%3A2.1.0#./p.patch", "2.1.0"),
        ("patch:@acme/kit@npm%3A^2.1.0#./p.patch", ""),
        ("catalog:", ""),
    ],
)
def test_a_value_may_decide_the_version_alone(value: str, version: str) -> None:
    assert pinned(value) == version


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("jsr:@acme/log@^1", Requested("@acme/log", "^1")),
        ("jsr:@acme/log@^1/levels", Requested("@acme/log", "^1", "levels")),
        ("jsr:/@acme/log@1/", Requested("@acme/log", "1")),
        ("npm:log", Requested("log", "")),
        ("https://deno.land/x/log/mod.ts", None),
    ],
)
def test_targets_of_an_import_map(target: str, expected: Requested | None) -> None:
    assert imported(target) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("jsr:@acme/log@^1.2.0/levels.write", ("@acme/log", "@acme/log/levels.write")),
        ("jsr:@acme/log@1.2.write", ("@acme/log", "@acme/log.write")),
        ("npm:log.write", ("log", "log.write")),
        ("other.write", None),
    ],
)
def test_a_path_may_name_a_package_of_a_registry(
    path: str, expected: tuple[str, str] | None
) -> None:
    assert inline_path(path) == expected


def test_a_subpath_import_that_is_a_package_renames_it() -> None:
    manifest = read(
        "package.json",
        {
            "name": "app",
            "dependencies": {"@acme/log": "1", "old": "npm:@acme/older@1"},
            "imports": {
                "#log": {"node": "@acme/log", "default": "./log.js"},
                "#db/*": "@acme/log/db/*.js",
                "#old": "old/sub",
                "#own/*": "./src/*.js",
            },
        },
    )
    assert manifest.renamed == (
        ("old", "@acme/older"),
        ("#log", "@acme/log"),
        ("#db/", "@acme/log/db"),
        ("#old", "@acme/older/sub"),
    )


def test_a_configuration_of_deno_is_a_package() -> None:
    text = """{
      "name": "@acme/app", "version": "1.0.0", // and its parts
      "exports": {".": "./mod.ts", "./retry": "./retry.ts"},
      "workspace": ["./lib"],
      "imports": {
        "@acme/log": "jsr:@acme/log@^1.2.0", "levels": "jsr:@acme/log@^1.2.0/levels",
        "chalk": "npm:chalk@5.0.0", "@/": "./src/", "remote": "https://deno.land/x/a.ts",
      },
    }"""
    manifest = read("deno.jsonc", text)
    assert (manifest.name, manifest.version) == ("@acme/app", "1.0.0")
    assert manifest.entries == (("", "mod.ts"), ("retry", "retry.ts"))
    assert manifest.dependencies == (
        Dependency("@acme/log", "^1.2.0"),
        Dependency("chalk", "5.0.0"),
    )
    assert manifest.renamed == (("levels", "@acme/log/levels"),)
    assert manifest.aliases == (("@/*", "src/*"),)
    assert manifest.pins == (Pin("chalk", "5.0.0"),)
    assert manifest.members == ("./lib",)


def test_scopes_of_an_import_map_are_left_out() -> None:
    manifest = read("deno.json", {"imports": {}, "scopes": {"x/": {"a": "npm:a@1"}}})
    assert manifest.problem is ManifestProblem.PARTIAL


def test_deno_locks_tell_the_version_of_a_range() -> None:
    fifth = {
        "version": "5",
        "specifiers": {"jsr:@acme/log@^1": "1.2.0", "npm:chalk@5": "5.3.0_peer@1.0.0"},
        "npm": {"ms@2.0.0": {}},
    }
    manifest = read("deno.lock", fifth)
    assert manifest.uses == (
        PinUse("*", "@acme/log", "^1", "1.2.0"),
        PinUse("*", "chalk", "5", "5.3.0"),
    )
    assert Pin("ms", "2.0.0") in manifest.pins
    third = {"packages": {"specifiers": {"npm:chalk@5": "npm:chalk@5.3.0"}}}
    assert read("deno.lock", third).pins == (Pin("chalk", "5.3.0"),)


CATALOGS = """
packages:
  - packages/*

catalog:
  '@acme/kit': 2.1.0   # the default
  react: ^19.0.0

catalogs:
  old:
    "@acme/kit": 1.9.0
"""


@pytest.mark.parametrize("name", ["pnpm-workspace.yaml", ".yarnrc.yml"])
def test_catalogues_pin_what_they_name_exactly(name: str) -> None:
    assert set(read(name, CATALOGS).uses) == {
        PinUse("*", "@acme/kit", "catalog:", "2.1.0"),
        PinUse("*", "@acme/kit", "catalog:default", "2.1.0"),
        PinUse("*", "@acme/kit", "catalog:old", "1.9.0"),
    }


def pins(files: dict[str, str]) -> dict[str, dict[str, str]]:
    return {
        one.root: {need.name: need.pinned for need in one.dependencies}
        for one in workspace(files).packages
    }


def test_a_member_of_the_workspace_has_its_own_version() -> None:
    files = {
        "package.json": '{"name": "root", "workspaces": ["*"]}',
        "a/package.json": '{"name": "a", "version": "1.2.0"}',
        "b/package.json": '{"name": "b", "dependencies": {"a": "^1.0.0"}}',
        "c/package.json": '{"name": "c", "dependencies": {"a": "workspace:*"}}',
        "d/package.json": '{"name": "d", "dependencies": {"a": "^2.0.0"}}',
    }
    found = pins(files)
    assert [found[root] for root in "bcd"] == [{"a": "1.2.0"}, {"a": "1.2.0"}, {"a": ""}]


@pytest.mark.parametrize(
    ("required", "is_member", "expected"),
    [
        ("workspace:^", False, True),
        ("link:../a", False, True),
        ("file:../a", False, True),
        ("file:../a-1.0.0.tgz", False, False),
        ("github:acme/a", True, False),
        ("^1.0.0", True, True),
        ("^1.0.0", False, False),
    ],
)
def test_what_links_a_package(required: str, is_member: bool, expected: bool) -> None:
    assert links_npm(required, "1.2.0", is_member) is expected


@pytest.mark.parametrize("required", ["latest", "github:acme/kit", "", "not a range !"])
def test_what_is_no_range_raises_nothing(required: str) -> None:
    assert allows_npm(required, "1.0.0") is (required == "")


def module_names(files: dict[str, str], path: str) -> set[str]:
    found = workspace(files).module_names(path=path, language="typescript", namespace="")
    return {one.name for one in found}


def test_configurations_extend_one_another_in_circles_without_end() -> None:
    files = {
        "tsconfig.json": '{"extends": "./tsconfig.a.json"}',
        "tsconfig.a.json": (
            '{"extends": "./tsconfig.json", "compilerOptions": {"paths": {"@/*": ["src/*"]}}}'
        ),
    }
    assert "@/log" in module_names(files, "src/log.ts")


def test_root_directories_are_one_to_relative_imports() -> None:
    files = {"tsconfig.json": '{"compilerOptions": {"rootDirs": ["src", "gen"]}}'}
    assert {"/gen/a", "/src/a"} <= module_names(files, "gen/a.ts")
    assert module_names(files, "other/a.ts") == {"/other/a"}


def test_each_name_of_a_package_has_its_own_range_and_version() -> None:
    ranges = {"log": "^2.0.0", "old": "npm:log@^1.0.0", "b": "1.0.0", "next": "npm:b@2.0.0"}
    manifest = {
        "name": "a",
        "dependencies": ranges,
        "imports": {"#old/*": "old/lib/*", "#log": "log"},
    }
    modules = {
        "log": {"version": "2.0.0"},
        "old": {"name": "log", "version": "1.2.0"},
        "b": {"version": "1.0.0"},
        "next": {"name": "b", "version": "2.0.0"},
    }
    lock = {
        "packages": {
            "": {"dependencies": ranges},
            **{f"node_modules/{name}": one for name, one in modules.items()},
        }
    }
    files = {"package.json": json.dumps(manifest)}
    without = {
        ("log", "", "^2.0.0", ""),
        ("log", "old", "^1.0.0", ""),
        ("log", "#old/ lib", "^1.0.0", ""),
        ("log", "#log", "^2.0.0", ""),
        ("b", "", "1.0.0", "1.0.0"),
        ("b", "next", "2.0.0", "2.0.0"),
    }
    locked = {"^2.0.0": "2.0.0", "^1.0.0": "1.2.0", "1.0.0": "1.0.0", "2.0.0": "2.0.0"}
    assert needs(files) == without
    assert needs(files | {"package-lock.json": json.dumps(lock)}) == {
        (name, alias, required, locked[required]) for name, alias, required, _ in without
    }


def needs(files: dict[str, str]) -> set[tuple[str, str, str, str]]:
    (package,) = workspace(files).packages
    return {(one.name, one.alias, one.required, one.pinned) for one in package.dependencies}
