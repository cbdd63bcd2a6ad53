"""Which files are manifests, and what is done with those that cannot be read."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import ecosystems
from indexer.ecosystems import is_manifest, parsing, read_manifest
from indexer.ecosystems.formats import FORMATS, WRITTEN_MANIFEST_CHARACTERS, import_reader
from indexer.ecosystems.pypi import search_paths
from indexer.records.manifests import (
    MANIFEST_CHARACTERS,
    Dependency,
    Ecosystem,
    Manifest,
    ManifestProblem,
)

MANIFESTS = {
    "pyproject.toml": Ecosystem.PYPI,
    "setup.cfg": Ecosystem.PYPI,
    "setup.py": Ecosystem.PYPI,
    "requirements.txt": Ecosystem.PYPI,
    "dev-requirements.txt": Ecosystem.PYPI,
    "requirements/base.in": Ecosystem.PYPI,
    "poetry.lock": Ecosystem.PYPI,
    "uv.lock": Ecosystem.PYPI,
    "pdm.lock": Ecosystem.PYPI,
    "Pipfile.lock": Ecosystem.PYPI,
    "package.json": Ecosystem.NPM,
    "pnpm-workspace.yaml": Ecosystem.NPM,
    "tsconfig.json": Ecosystem.NPM,
    "tsconfig.base.json": Ecosystem.NPM,
    "jsconfig.json": Ecosystem.NPM,
    "package-lock.json": Ecosystem.NPM,
    "npm-shrinkwrap.json": Ecosystem.NPM,
    "yarn.lock": Ecosystem.NPM,
    "pnpm-lock.yaml": Ecosystem.NPM,
    "go.mod": Ecosystem.GO,
    "Cargo.toml": Ecosystem.CARGO,
    "Cargo.lock": Ecosystem.CARGO,
    "pom.xml": Ecosystem.MAVEN,
    "build.gradle": Ecosystem.MAVEN,
    "build.gradle.kts": Ecosystem.MAVEN,
    "settings.gradle": Ecosystem.MAVEN,
    "settings.gradle.kts": Ecosystem.MAVEN,
    "gradle.lockfile": Ecosystem.MAVEN,
    "gradle/libs.versions.toml": Ecosystem.MAVEN,
    "Acme.Auth.csproj": Ecosystem.NUGET,
    "Directory.Packages.props": Ecosystem.NUGET,
    "packages.lock.json": Ecosystem.NUGET,
    "composer.json": Ecosystem.COMPOSER,
    "composer.lock": Ecosystem.COMPOSER,
    "acme.gemspec": Ecosystem.RUBYGEMS,
    "Gemfile": Ecosystem.RUBYGEMS,
    "Gemfile.lock": Ecosystem.RUBYGEMS,
    "Package.swift": Ecosystem.SWIFTPM,
    "Package.resolved": Ecosystem.SWIFTPM,
}


@pytest.mark.parametrize(("name", "ecosystem"), MANIFESTS.items())
def test_a_manifest_is_known_by_its_name_in_any_directory(name: str, ecosystem: Ecosystem) -> None:
    for path in (name, f"services/a/{name}"):
        assert is_manifest(path)
        empty = [read_manifest(path, content) for content in (b"", b"{}", b"<project/>")]
        assert {manifest.ecosystem for manifest in empty if manifest} == {ecosystem}


@pytest.mark.parametrize(
    "path", ["a.py", "go.sum", "requirements.md", "a-package.json", "Gemfile/b"]
)
def test_other_files_are_none(path: str) -> None:
    assert not is_manifest(path)
    assert read_manifest(path, "") is None


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("pyproject.toml", "[project\n"),
        ("package.json", "[" * 100_000),
        ("package.json", '{"a":' * 100_000),
        ("package.json", b'{"name": "\xff"}'),
        ("package-lock.json", "1" * 10_000),
        ("Cargo.toml", "a = " + "[" * 100_000),
        ("Cargo.toml", "a = 1\n" * 1_000_000),
        ("setup.py", "(" * 10_000),
        ("setup.py", "setup(name=\0)"),
        ("setup.cfg", "no section"),
        ("pom.xml", "<project><name></project>"),
        ("pom.xml", '<!DOCTYPE a [<!ENTITY b "c">]><project>&b;</project>'),
        ("pom.xml", '<!DOCTYPE a [<!ATTLIST b c CDATA "d">]><project><b/></project>'),
        ("poetry.lock", " " * (MANIFEST_CHARACTERS + 1)),
    ],
)
def test_what_cannot_be_read_or_would_take_too_long_says_so(
    path: str, content: str | bytes
) -> None:
    manifest = read_manifest(path, content)
    assert manifest is not None
    assert manifest == Manifest(MANIFESTS[path], problem=manifest.problem)
    assert not manifest.is_read


def test_keys_of_more_dots_than_are_parsed_in_time_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Python 3.11 takes time quadratic in them. Here the limit is lowered."""
    monkeypatch.setattr(parsing, "_MAX_DOTS_SQUARED", 4)
    for text, problem in (("a.b.c = 1\n", None), ("a.b.c = 1\nd.e = 1\n", "too_large")):
        manifest = read_manifest("Cargo.toml", text)
        assert manifest is not None
        assert manifest.problem == problem


def test_configurations_that_take_long_to_parse_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search_paths, "CONFIGURATION_CHARACTERS", 20)
    for path in ("setup.cfg", "tox.ini"):
        for text, problem in (("[a]\nb = 1\n", None), ("[a]\n" + "b = 1\n" * 3, "too_large")):
            manifest = read_manifest(path, text)
            assert manifest is not None
            assert manifest.problem == problem


def test_wrong_types_read_as_absent() -> None:
    for value in (1, None, True, "x", [], [[]], {}, {"x": {}}, [1, {"name": 2}]):
        document = dict.fromkeys(
            (
                "name", "version", "dependencies", "exports", "main", "workspaces", "imports",
                "compilerOptions", "packages", "packages-dev", "require", "default", "pins",
            ),
            value,
        )  # fmt: skip
        for path in MANIFESTS:
            if path.endswith((".json", ".resolved")) or path in {"Pipfile.lock", "composer.lock"}:
                assert read_manifest(path, json.dumps(document)) is not None


def test_names_that_cannot_be_stored_are_left_out_with_what_they_name() -> None:
    asked = {"a" * 501: "1", "nul\0": "1", "\ud800": "1", "ok": "2" * 300}
    manifest = read_manifest("package.json", json.dumps({"name": "a\nb", "dependencies": asked}))
    assert manifest is not None
    assert manifest.name == ""
    assert manifest.dependencies == (Dependency("ok", ""),)
    assert manifest.problem is ManifestProblem.PARTIAL  # a range is too long


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("tsconfig.json", "/*"),
        ("tsconfig.json", '\\"'),
        ("tsconfig.json", ",  "),
        ("pyproject.toml", "a" + ".a" * 300 + "=1\n"),
        ("setup.cfg", "[a]\nb=c\n d\n"),
        ("setup.cfg", "[a]\nb\n"),
        ("package.json", '{"dependencies": {"a": "https://x/-/' + "-1.1.1" * 90_000 + '"}}'),
        ("requirements.txt", "a[ "),
        ("pom.xml", "<a>"),
        ("build.gradle", "implementation(\t'a:a:"),
        ("build.gradle", '"\\'),
        ("build.gradle", "/*/"),
        ("environment.yml", "dependencies:\n- a" + " " * 500_000 + "b"),
        ("settings.gradle", "include '"),
        ("Gemfile", "gem 'a', "),
        ("Gemfile", "gem" + " " * 500_000),
        ("Package.swift", '.package( url: "a" '),
        ("Package.swift", '.target( name: "a" '),
        ("go.mod", "require ( "),
        ("yarn.lock", "a@npm:a"),
        ("yarn.lock", "a@1, " * 100_000 + '\n  version "1"\n'),
        ("pnpm-lock.yaml", "packages:\n  a/a"),
    ],
)
def test_repetition_takes_no_more_than_its_share_of_time(path: str, unit: str) -> None:
    content = unit * (WRITTEN_MANIFEST_CHARACTERS // len(unit))
    began = time.monotonic()
    read_manifest(path, content)
    assert time.monotonic() - began < 10


def test_a_huge_lock_file_is_cut_to_a_bound_in_time() -> None:
    blocks = (f'[[package]]\nname = "p{number}"\nversion = "1"\n\n' for number in range(100_000))
    content = "".join(blocks)
    began = time.monotonic()
    manifest = read_manifest("uv.lock", content)
    assert time.monotonic() - began < 5
    assert manifest is not None
    assert len(manifest.pins) == 20_000


@given(path=st.sampled_from(sorted(MANIFESTS)), content=st.one_of(st.text(), st.binary()))
def test_nothing_in_a_file_raises(path: str, content: str | bytes) -> None:
    assert read_manifest(path, content) is None or is_manifest(path)


FRAGMENTS = st.lists(
    st.sampled_from(
        ["[", "]", "{", "}", '"', "'", "=", ":", ",", "\n", "  ", "(", ")", "name", "version", "@",
         "package", "module", "require", "=>", "//", "/*", "*/", "<a>", "</a>", "1.0", "a", "-",
         "dependencies:", "importers:", "packages:", "library", "versionCatalogs"]
    ),
    max_size=60,
).map("".join)  # fmt: skip


@given(path=st.sampled_from(sorted(MANIFESTS)), content=FRAGMENTS)
def test_nothing_that_looks_like_a_manifest_raises(path: str, content: str) -> None:
    assert isinstance(read_manifest(path, content), Manifest | None)


def test_each_format_names_a_reader_that_is_there() -> None:
    for one in FORMATS:
        assert callable(import_reader(one))


def test_what_is_imported_when_it_is_named_is_there() -> None:
    for name in ecosystems.__all__:
        assert getattr(ecosystems, name) is not None
    assert not hasattr(ecosystems, "unknown")
