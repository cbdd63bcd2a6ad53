"""JavaScript's manifests, path configurations and lock files."""

import pytest

from indexer.records.manifests import Dependency, Pin
from tests.indexer.ecosystems.reading import read


def test_a_package_has_a_name_a_version_and_dependencies_of_all_kinds() -> None:
    manifest = read(
        "package.json",
        {
            "name": "@acme/auth",
            "version": "4.1.0",
            "dependencies": {"react": "^19.0.0", "exact": "1.2.3", "any": "*"},
            "peerDependencies": {"vue": ">=3"},
            "optionalDependencies": {"fsevents": "2"},
            "devDependencies": {
                "vitest": "^3",
                "old": "npm:@acme/older@^1.0",
                "own": "workspace:*",
            },
            "workspaces": ["packages/*"],
        },
    )
    assert (manifest.name, manifest.version) == ("@acme/auth", "4.1.0")
    assert manifest.members == ("packages/*",)
    assert manifest.dependencies == (
        Dependency("react", "^19.0.0"),
        Dependency("exact", "1.2.3"),
        Dependency("any", ""),
        Dependency("vue", ">=3"),
        Dependency("fsevents", "2"),
        Dependency("vitest", "^3"),
        Dependency("@acme/older", "^1.0"),
        Dependency("own", "workspace:*"),
    )
    assert manifest.pins == (Pin("exact", "1.2.3"),)


@pytest.mark.parametrize(
    ("fields", "entries"),
    [
        ({}, [("", "index.js"), ("", "src/index.js"), ("*", "*")]),
        ({"main": "index.js"}, [("", "index.js"), ("*", "*")]),
        (
            {"main": "./dist/a.js", "types": "dist/a.d.ts", "browser": {"x": "y"}},
            [("", "./dist/a.js"), ("", "dist/a.d.ts"), ("*", "*"), ("dist/*", "dist/*")],
        ),
        ({"exports": "./dist/a.js"}, [("", "dist/a.js")]),
        (
            {"main": "x.js", "exports": {"import": "./a.mjs", "require": ["./a.cjs"]}},
            [("", "a.mjs"), ("", "a.cjs")],
        ),
        (
            {
                "exports": {
                    ".": {
                        "development": "./b.js",
                        "types": "./a.d.ts",
                        "node": {"browser": "./a.js"},
                    },
                    "./sub/*": "./dist/sub/*.js",
                    "./internal/*": None,
                }
            },
            [("", "a.d.ts"), ("", "a.js"), ("sub/*", "dist/sub/*.js")],
        ),
    ],
)
def test_entries_are_what_may_be_imported(
    fields: dict[str, object], entries: list[tuple[str, str]]
) -> None:
    assert list(read("package.json", {"name": "a", **fields}).entries) == entries


def test_subpath_imports_are_aliases() -> None:
    fields = {
        "imports": {"#db": {"node": "./src/db.js"}, "#lib/*": "./src/lib/*.js", "#x": "left-pad"}
    }
    assert read("package.json", fields).aliases == (
        ("#db", "src/db.js"),
        ("#lib/*", "src/lib/*.js"),
    )


def test_members_of_a_pnpm_workspace() -> None:
    by_line = "packages:\n  - 'packages/*'\n  # tools\n  - \"!**/test/**\"\ncatalog:\n  - x\n"
    assert read("pnpm-workspace.yaml", by_line).members == ("packages/*", "!**/test/**")
    assert read("pnpm-workspace.yaml", 'packages: ["a/*", b]\n').members == ("a/*", "b")


def test_a_tsconfig_may_have_comments_and_trailing_commas() -> None:
    text = """{
      // where "@/*" leads
      "compilerOptions": {
        "baseUrl": "./src", /* from here */
        "paths": {"@/*": ["*", "../generated/*",], "~env": ["env.ts"], "bad": 1,},
      },
      "include": ["https://not-a-comment"],
    }"""
    assert read("tsconfig.base.json", text).aliases == (
        ("@/*", "src/*"),
        ("@/*", "generated/*"),
        ("~env", "src/env.ts"),
        ("*", "src/*"),
    )


def test_package_locks_of_all_versions() -> None:
    first = {
        "dependencies": {"a": {"version": "1.0.0", "dependencies": {"b": {"version": "1.0.0"}}}}
    }
    assert read("package-lock.json", first).pins == (Pin("a", "1.0.0"), Pin("b", "1.0.0"))
    third = {
        "packages": {
            "": {"name": "root", "version": "0.0.0"},
            "node_modules/a/node_modules/b": {"version": "1.0.0"},
            "node_modules/b": {"version": "2.0.0"},
            "node_modules/c": {"name": "@acme/c", "version": "3.0.0"},
            "node_modules/own": {"link": True},
            "packages/own": {"version": "9.0.0"},
        }
    }
    assert read("npm-shrinkwrap.json", third).pins == (
        Pin("b", "2.0.0"),
        Pin("@acme/c", "3.0.0"),
        Pin("b", "1.0.0"),
    )


def test_yarn_locks_of_both_formats() -> None:
    classic = (
        '# yarn lockfile v1\n\n"@acme/a@^1.0.0", "@acme/a@^1.1.0":\n  version "1.2.0"\n'
        '  dependencies:\n    b "^2.0.0"\n\nb@^2.0.0:\n  version "2.0.1"\n'
    )
    assert read("yarn.lock", classic).pins == (Pin("@acme/a", "1.2.0"), Pin("b", "2.0.1"))
    berry = (
        '__metadata:\n  version: 8\n\n"@acme/a@npm:^1.0.0, @acme/a@npm:^1.1.0":\n  version: 1.2.0\n'
        '\n"own@workspace:.":\n  version: 0.0.0-use.local\n'
        '\n"old@npm:@acme/older@^1.0":\n  version: 1.0.3\n'
    )
    assert read("yarn.lock", berry).pins == (Pin("@acme/a", "1.2.0"), Pin("@acme/older", "1.0.3"))


def test_pnpm_locks_of_all_versions() -> None:
    fifth = "dependencies:\n  a: 1.2.0\n\npackages:\n\n  /@acme/b/2.0.0_a@1.2.0:\n    dev: true\n"
    assert read("pnpm-lock.yaml", fifth).pins == (Pin("a", "1.2.0"), Pin("@acme/b", "2.0.0"))
    ninth = """
lockfileVersion: '9.0'

importers:

  packages/web:
    dependencies:
      '@acme/b':
        specifier: ^2.0.0
        version: 2.1.0(react@19.0.0)
      own:
        specifier: workspace:*
        version: link:../own

packages:

  '@acme/b@2.0.0':
    resolution: {integrity: sha512-0}

  react@19.0.0:
    resolution: {integrity: sha512-0}
"""
    assert read("pnpm-lock.yaml", ninth).pins == (
        Pin("@acme/b", "2.1.0"),
        Pin("@acme/b", "2.0.0"),
        Pin("react", "19.0.0"),
    )


def test_keys_of_importers_without_a_section_are_nothing() -> None:
    text = "importers:\n\n  excludeLinksFromLockfile: false\n\n  .: x\n"
    assert not read("pnpm-lock.yaml", text).uses


def test_a_tarball_has_the_version_that_ends_its_name() -> None:
    url = "https://npm.example.org/a/-/a-1.0-2.3.4-rc.1.tgz?x=1"
    assert read("package.json", {"dependencies": {"a": url}}).pins == (Pin("a", "2.3.4-rc.1"),)
