"""Manifests → packages, what they ask for and at which version they use it."""

import pytest

from indexer.ecosystems import RootDependency, Workspace, pins
from indexer.languages import detect
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin
from tests.indexer.ecosystems.workspaces import PROJECT, named, workspace


def test_the_package_is_that_of_the_nearest_manifest_of_the_ecosystem() -> None:
    files = {
        "pyproject.toml": PROJECT,
        "web/package.json": named("@acme/web"),
        "web/scripts/pyproject.toml": '[project]\nname = "scripts"\n',
        "web/tsconfig.json": "{}",
        "web/src/package.json": '{"type": "module"}',  # says nothing of a package
        "web/uv.lock": "",
    }
    every = workspace(files)
    found = {
        path: getattr(every.package_of(path=path, language=detect(path, b"").name), "name", None)
        for path in ("a.py", "web/a.py", "web/scripts/a.py", "web/src/a.ts", "a.ts", "a.go")
    }
    assert found == {
        "a.py": "acme-auth",
        "web/a.py": "acme-auth",
        "web/scripts/a.py": "scripts",
        "web/src/a.ts": "@acme/web",
        "a.ts": None,
        "a.go": None,
    }


def test_manifests_of_one_directory_are_one_package() -> None:
    (package,) = workspace(
        {
            "setup.py": 'setup(name="old-name", version="1.0", install_requires=["a>=1", "b"])',
            "pyproject.toml": PROJECT,
            "requirements/dev.txt": "c==3.0\n",
            "uv.lock": '[[package]]\nname = "a"\nversion = "1.4"\n',
        }
    ).packages
    assert (package.name, package.version, package.root) == ("acme-auth", "1.0", "")
    assert package.manifest == "pyproject.toml"
    assert package.dependencies == (
        RootDependency("a", ">=1", "1.4"),
        RootDependency("b", "", ""),
        RootDependency("c", "==3.0", "3.0"),
    )


def test_several_projects_of_one_directory_are_several_packages() -> None:
    packages = workspace({"A.csproj": "<Project/>", "B.csproj": "<Project/>"}).packages
    assert [(package.name, package.manifest) for package in packages] == [
        ("a", "A.csproj"),
        ("b", "B.csproj"),
    ]


def test_a_member_has_the_dependencies_and_the_locks_above_it_and_its_own_first() -> None:
    packages = workspace(
        {
            "package.json": '{"devDependencies": {"vitest": "^3", "react": "^18"}}',
            "package-lock.json": '{"packages": {"node_modules/react": {"version": "19.0.1"},'
            ' "node_modules/vitest": {"version": "3.1.0"}}}',
            "web/package.json": '{"name": "web", "dependencies": {"react": "^19", "web": "*"}}',
        }
    ).packages
    assert packages[1].dependencies == (
        RootDependency("react", "^19", "19.0.1"),
        RootDependency("vitest", "^3", "3.1.0"),
    )


def test_what_a_lock_file_alone_names_is_locked() -> None:
    packages = workspace(
        {
            "package.json": '{"name": "shop", "dependencies": {"react": "^19"}}',
            "package-lock.json": '{"packages": {"": {"name": "shop", "version": "1.0.0"},'
            ' "node_modules/react": {"version": "19.0.1"},'
            ' "node_modules/scheduler": {"version": "0.25.0"}}}',
            "web/package.json": '{"name": "web"}',
        }
    ).packages
    assert {one.name: one.dependencies for one in packages} == {
        "shop": (
            RootDependency("react", "^19", "19.0.1"),
            RootDependency("scheduler", "", "0.25.0", is_locked=True),
        ),
        "web": (RootDependency("react", "^19", "19.0.1"),),
    }


def test_of_several_locked_versions_the_only_one_that_suits_is_pinned() -> None:
    manifests = [
        (
            "Cargo.toml",
            Manifest(
                Ecosystem.CARGO,
                "a",
                dependencies=(
                    Dependency("rand", "0.8"), Dependency("syn", ""), Dependency("x", "2"),
                ),
            ),
        ),
        (
            "Cargo.lock",
            Manifest(
                Ecosystem.CARGO,
                pins=(
                    Pin("rand", "0.7.3"), Pin("rand", "0.8.5"), Pin("rand", "0.9.0"),
                    Pin("syn", "1.0.0"), Pin("syn", "2.0.0"),
                    Pin("x", "2.9.0"), Pin("x", "2.10.0"), Pin("x", "3.0.0"),
                ),
            ),
        ),
    ]  # fmt: skip
    (package,) = Workspace(manifests).packages
    assert [one.pinned for one in package.dependencies] == ["0.8.5", "", ""]


def test_group_and_version_come_from_the_build_above() -> None:
    packages = workspace(
        {
            "build.gradle": "allprojects {\n group = 'com.acme'\n version = '2.0'\n}\n",
            "settings.gradle": "rootProject.name = 'risk'\ninclude 'core'\n",
            "core/build.gradle.kts": "dependencies { implementation(libs.a) }\n",
            "gradle/libs.versions.toml": '[libraries]\na = "com.acme:auth:1.0"\n',
        }
    ).packages
    assert [(package.name, package.version) for package in packages] == [
        ("com.acme:risk", "2.0"),
        ("com.acme:core", "2.0"),
    ]
    assert packages[1].dependencies == (RootDependency("com.acme:auth", "1.0", "1.0"),)


def test_of_many_versions_no_range_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pins, "_MAX_VERSIONS", 2)
    needs = (Dependency("a", "^1"), Dependency("b", "^1"))
    locked = [("a", "1.0.0"), ("a", "2.0.0"), ("a", "3.0.0"), ("b", "1.0.0"), ("b", "2.0.0")]
    manifests = [
        ("package.json", Manifest(Ecosystem.NPM, dependencies=needs)),
        ("yarn.lock", Manifest(Ecosystem.NPM, pins=tuple(Pin(*one) for one in locked))),
    ]
    (package,) = Workspace(manifests).packages
    assert {one.name: one.pinned for one in package.dependencies} == {"a": "", "b": "1.0.0"}


def test_aliases_mean_a_package_or_a_part_of_it() -> None:
    renamed = (("x", "@b/a"), ("#y/", "@b/a/lib"), ("z", "c"))
    manifest = Manifest(Ecosystem.NPM, dependencies=(Dependency("@b/a", ""),), renamed=renamed)
    (package,) = Workspace([("package.json", manifest)]).packages
    assert [one.alias for one in package.dependencies] == ["x", "#y/ lib"]
