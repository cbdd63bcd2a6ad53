"""Gradle's lock files, included builds and order of versions."""

import pytest

from indexer.ecosystems import read_manifest
from indexer.ecosystems.maven.gradle_locks import allows
from tests.indexer.ecosystems.workspaces import workspace

BUILD = "group = 'com.acme'\ndependencies { implementation 'com.acme:risk:[0.8,0.9)' }\n"


def pinned(files: dict[str, str], root: str = "") -> dict[str, str]:
    package = next(one for one in workspace(files).packages if one.root == root)
    return {one.name: one.pinned for one in package.dependencies}


@pytest.mark.parametrize(
    ("lines", "version"),
    [
        (["0.8.1=compileClasspath", "0.8.2=runtimeClasspath"], "0.8.1"),
        (["0.8.1=testCompileClasspath", "0.8.2=testRuntimeClasspath"], "0.8.1"),
        (["0.8.1=debugCompileClasspath,releaseCompileClasspath", "0.8.2=lint"], "0.8.1"),
        (["0.8.1=debugUnitTestCompileClasspath", "0.8.2=releaseCompileClasspath"], "0.8.2"),
        (["0.8.1=debugCompileClasspath", "0.8.2=releaseCompileClasspath"], ""),
        (["0.8.1=lint", "0.9=ktlint"], "0.8.1"),
        (["0.8.1=lint", "0.9-dev=ktlint"], "0.8.1"),
        (["0.8.1=lint", "0.8.2=ktlint"], ""),
    ],
)
def test_code_has_the_version_that_it_is_compiled_with(lines: list[str], version: str) -> None:
    lock = "".join(f"com.acme:risk:{line}\n" for line in lines) + "empty=annotationProcessor\n"
    assert pinned({"build.gradle": BUILD, "gradle.lockfile": lock}) == {"com.acme:risk": version}


def test_what_scripts_alone_have_is_known_where_the_codes_versions_are_locked() -> None:
    scripts = "com.acme:plugin:2.0=classpath\ncom.acme:risk:0.1=classpath\nempty=\n"
    files = {"build.gradle": BUILD, "buildscript-gradle.lockfile": scripts}
    assert pinned(files) == {"com.acme:risk": ""}
    own = "com.acme:risk:0.8.2=compileClasspath\nempty=\n"
    both = pinned(files | {"gradle.lockfile": own})
    assert both == {"com.acme:risk": "0.8.2", "com.acme:plugin": "2.0"}
    runtime = "com.acme:risk:0.8.2=runtimeClasspath\nempty=\n"
    assert pinned(files | {"gradle.lockfile": runtime}) == {"com.acme:risk": "0.8.2"}


def test_only_a_repository_of_artifacts_tells_the_latest_version() -> None:
    with pytest.raises(ValueError, match="repository"):
        allows("latest.release", "1.0")
    assert allows("[1.0,2.0[!!1.5", "1.6")


COMPOSITE = {
    "app/settings.gradle": "rootProject.name = 'app'\nincludeBuild '../libs'\n",
    "app/build.gradle": "dependencies {\n implementation 'com.acme:kit:1.0'\n api 'x:y:2'\n}\n",
    "libs/settings.gradle": "rootProject.name = 'libs'\ninclude 'kit', 'core'\n",
    "libs/build.gradle": "allprojects { group = 'com.acme'\n version = '1.5' }\n",
    "libs/kit/build.gradle": "",
}
DECLARED = """includeBuild("../libs") {
    dependencySubstitution {
        substitute(module("x:y")).using(project(":core"))
    }
}
"""


def test_projects_of_included_builds_replace_modules() -> None:
    assert pinned(COMPOSITE, "app") == {"com.acme:kit": "1.5", "x:y": "2"}
    assert pinned(COMPOSITE | {"app/settings.gradle": DECLARED}, "app") == {
        "com.acme:kit": "1.0",
        "com.acme:core": "1.5",
    }
    outside = {"app/settings.gradle": "includeBuild '../../libs'\n"}
    assert pinned(COMPOSITE | outside, "app") == {"com.acme:kit": "1.0", "x:y": "2"}
    unnamed = {"libs/settings.gradle": "", "libs/build.gradle": "allprojects { version = '3' }\n"}
    assert pinned(COMPOSITE | unnamed, "app") == {"com.acme:kit": "1.0", "x:y": "2"}


def test_a_project_has_its_own_version() -> None:
    build = "dependencies { api project(':libs:kit') }\n"
    files = {
        "settings.gradle": "include 'app', 'libs:kit'\n",
        "build.gradle": "allprojects { group = 'com.acme'\n version = '1.5' }\n",
        "app/build.gradle": build,
    }
    assert pinned(files, "app") == {"com.acme:kit": "1.5"}


@pytest.mark.parametrize(
    ("written", "version"),
    [("1.0!!", "1.0"), ("[1.0,2.0[!!1.5", ""), ("1.+", ""), ("latest.release", ""), ("1.0", "1.0")],
)
def test_a_version_that_is_written_strictly_is_one(written: str, version: str) -> None:
    files = {"build.gradle": f"dependencies {{ api 'x:y:{written}' }}\n"}
    assert pinned(files) == {"x:y": version}


@pytest.mark.parametrize("path", ["build.gradle", "build.sbt", "Package.swift"])
def test_a_comment_without_an_end_takes_the_rest(path: str) -> None:
    manifest = read_manifest(path, "/* " * 100_000)
    assert manifest is not None
    assert manifest.dependencies == ()
