"""pom.xml and Gradle's files."""

import pytest

from indexer.ecosystems import is_manifest
from indexer.ecosystems.base import PackageRoot
from indexer.ecosystems.maven import builds, models
from indexer.records.manifests import ANY_USER, ManifestProblem, Pin, PinUse
from tests.indexer.ecosystems.reading import asked, read
from tests.indexer.ecosystems.workspaces import workspace


def _package(files: dict[str, str], root: str = "") -> PackageRoot:
    return next(one for one in workspace(files).packages if one.root == root)


def _pinned(files: dict[str, str], root: str = "") -> dict[str, str]:
    return {one.name: one.pinned for one in _package(files, root).dependencies}


def test_a_pom_takes_group_and_version_from_its_parent_and_fills_in_properties() -> None:
    text = """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>com.acme</groupId><artifactId>parent</artifactId><version>3.1</version></parent>
  <artifactId>fraud-engine</artifactId>
  <properties><junit.version>5.11.0</junit.version></properties>
  <modules><module>core</module></modules>
  <dependencyManagement><dependencies>
    <dependency><groupId>org.x</groupId><artifactId>managed</artifactId><version>9</version></dependency>
  </dependencies></dependencyManagement>
  <dependencies>
    <dependency>
      <groupId>${project.groupId}</groupId><artifactId>risk-model</artifactId>
      <version>${project.version}</version>
    </dependency>
    <dependency>
      <groupId>org.junit</groupId><artifactId>junit</artifactId><version>${junit.version}</version>
    </dependency>
    <dependency>
      <groupId>org.x</groupId><artifactId>ranged</artifactId><version>[1,2)</version>
    </dependency>
    <dependency><groupId>org.x</groupId><artifactId>managed</artifactId></dependency>
  </dependencies>
</project>"""
    package = _package({"pom.xml": text})
    assert (package.name, package.version) == ("com.acme:fraud-engine", "3.1")
    assert read("pom.xml", text).members == ("core",)
    assert [(one.name, one.required, one.pinned) for one in package.dependencies] == [
        ("com.acme:risk-model", "3.1", "3.1"),
        ("org.junit:junit", "5.11.0", "5.11.0"),
        ("org.x:ranged", "[1,2)", ""),
        ("org.x:managed", "", "9"),
    ]


def test_properties_that_name_one_another_end() -> None:
    text = """<project><groupId>g</groupId><artifactId>a</artifactId><version>${x}</version>
    <properties><x>${y}${y}</x><y>${x}${x}</y></properties></project>"""
    assert _package({"pom.xml": text}).version == ""


def test_gradle_builds_in_both_languages() -> None:
    kotlin = """
plugins { kotlin("jvm") version "2.0" }
group = "com.acme"
version = "0.2.0"
dependencies {
    implementation("com.acme:risk-model:0.8.2")
    testImplementation(platform("org.junit:junit-bom:5.+"))
    api(project(":core"))
    // implementation("com.acme:commented:1")
}
"""
    package = _package({"services/console/build.gradle.kts": kotlin}, "services/console")
    assert (package.name, package.version) == ("com.acme:console", "0.2.0")
    assert [(one.name, one.required, one.pinned) for one in package.dependencies] == [
        ("com.acme:risk-model", "0.8.2", "0.8.2"),
        ("org.junit:junit-bom", "5.+", ""),
    ]
    groovy = "group 'com.acme'\ndependencies {\n  compile 'com.acme:risk-model:1'\n}\n"
    assert _pinned({"console/build.gradle": groovy}, "console") == {"com.acme:risk-model": "1"}


def test_settings_name_the_root_project_and_its_parts() -> None:
    text = 'rootProject.name = "risk"\ninclude(":core", \':web:api\')\n'
    manifest = read("settings.gradle.kts", text)
    assert manifest.name == "risk"
    assert manifest.members == ("core", "web/api")


def test_code_has_the_version_that_it_is_compiled_with() -> None:
    text = (
        "# This is a Gradle generated file\n"
        "com.acme:risk:0.8.2=compileClasspath,testCompileClasspath\n"
        "com.acme:risk:0.9=runtimeClasspath\nempty=\n"
    )
    manifest = read("gradle.lockfile", text)
    assert manifest.pins == (Pin("com.acme:risk", "0.8.2"), Pin("com.acme:risk", "0.9"))
    assert manifest.uses == (PinUse(ANY_USER, "com.acme:risk", "", "0.8.2"),)
    build = "dependencies { implementation 'com.acme:risk:+' }"
    files = {"gradle.lockfile": text, "build.gradle": build}
    assert _pinned(files) == {"com.acme:risk": "0.8.2"}


CATALOG = """
[versions]
risk = "0.8.2"
rich = { strictly = "[1,2)" }
[libraries]
plain = "org.x:plain:1.0"
acme-risk = { module = "com.acme:risk", version.ref = "risk" }
acme_parts = { group = "com.acme", name = "parts", version = { ref = "rich" } }
unused = { module = "com.acme:unused" }
broken = 1
[bundles]
all = ["plain", "acme-risk"]
"""


@pytest.mark.parametrize(
    ("used", "pinned"),
    [
        ("libs.plain", {"org.x:plain": "1.0"}),
        ("libs.acme.risk", {"com.acme:risk": "0.8.2"}),
        ("libs.acme.parts", {"com.acme:parts": ""}),
        ("libs.bundles.all", {"org.x:plain": "1.0", "com.acme:risk": "0.8.2"}),
        ("platform(libs.plain)", {"org.x:plain": "1.0"}),
        ('"com.acme:other:${libs.versions.risk.get()}"', {"com.acme:other": "0.8.2"}),
        ("libs.missing", {}),
    ],
)
def test_a_build_requires_what_it_uses_of_a_catalogue(used: str, pinned: dict[str, str]) -> None:
    files = {
        "settings.gradle.kts": 'include(":app")',
        "gradle/libs.versions.toml": CATALOG,
        "app/build.gradle.kts": f"dependencies {{\n    implementation({used})\n}}\n",
    }
    assert _pinned(files, "app") == pinned


def test_a_catalogue_may_have_another_name_and_place() -> None:
    settings = """dependencyResolutionManagement {
    versionCatalogs {
        create("deps") { from(files("build/our.versions.toml")) }
        here {
            version('x', '3')
            library('plain', 'org.x', 'plain').versionRef('x')
            alias('old').to('org.x:old:1')
            bundle('both', ['plain', 'old'])
        }
    }
}"""
    files = {
        "settings.gradle": settings,
        "build/our.versions.toml": CATALOG,
        "build.gradle": "dependencies { implementation deps.acme.risk\napi here.bundles.both }",
    }
    assert _pinned(files) == {"com.acme:risk": "0.8.2", "org.x:plain": "3", "org.x:old": "1"}


def test_constraints_give_versions_to_what_has_none() -> None:
    files = {
        "settings.gradle": "include 'platform', 'app'",
        "platform/build.gradle": "dependencies { constraints { api 'com.acme:risk:4' } }",
        "app/build.gradle": "dependencies { implementation platform(project(':platform'))\n"
        "implementation 'com.acme:risk' }",
    }
    assert _pinned(files, "app")["com.acme:risk"] == "4"


@pytest.mark.parametrize(
    "line",
    [
        "if (x) { implementation 'g:a:1' }",
        "implementation(lookup('a'))",
        "names.each { implementation it }",
        "implementation('just-a-name')",
    ],
)
def test_a_program_is_partial_and_not_guessed(line: str) -> None:
    manifest = read("build.gradle", f"dependencies {{\n    {line}\n}}\n")
    assert manifest.problem is ManifestProblem.PARTIAL
    assert manifest.dependencies == ()


def test_what_is_computed_is_unknown() -> None:
    text = "group = 'g'\nversion = file('VERSION').text\ndependencies { api \"g:a:${x()}\" }"
    files = {"build.gradle": text, "gradle.properties": "version=1"}
    assert read("build.gradle", text).problem is ManifestProblem.PARTIAL
    assert _package(files).version == ""
    assert _pinned(files) == {"g:a": ""}


def test_other_repositories_may_decide_what_is_managed() -> None:
    bom = """<project><groupId>g</groupId><artifactId>bom</artifactId><version>1</version>
    <dependencyManagement><dependencies><dependency><groupId>g</groupId>
    <artifactId>a</artifactId><version>2</version></dependency></dependencies>
    </dependencyManagement></project>"""
    app = """<project><groupId>g</groupId><artifactId>app</artifactId><version>1</version>{}
    <dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId></dependency>
    </dependencies><dependencyManagement><dependencies>{}</dependencies></dependencyManagement>
    </project>"""
    imported = (
        "<dependency><groupId>{}</groupId><artifactId>bom</artifactId><version>1</version>"
        "<type>pom</type><scope>import</scope></dependency>"
    )
    ours, theirs = imported.format("g"), imported.format("elsewhere")
    parent = "<parent><groupId>elsewhere</groupId><artifactId>p</artifactId></parent>"
    for before, boms, pinned in (
        ("", ours, "2"),
        ("", ours + theirs, "2"),
        ("", theirs + ours, ""),
        (parent, ours, ""),
    ):
        files = {"bom/pom.xml": bom, "app/pom.xml": app.format(before, boms)}
        assert _pinned(files, "app") == {"g:a": pinned}


def test_a_profile_that_a_machine_decides_makes_a_pom_partial() -> None:
    text = """<project><artifactId>a</artifactId><profiles><profile>
    <activation><jdk>17</jdk></activation><properties><x>1</x></properties>
    </profile></profiles></project>"""
    assert read("pom.xml", text).problem is ManifestProblem.PARTIAL


SBT = """
import Dependencies._
ThisBuild / organization := "com.acme"
ThisBuild / version := "3.0.0"
val circeVersion = "0.14"

lazy val commonSettings = Seq(libraryDependencies += "com.acme" %% "log" % "1")

lazy val core = (project in file("modules/core"))
  .settings(
    commonSettings,
    name := "pay-core",
    libraryDependencies ++= Seq(
      "io.circe" %% "circe-core" % circeVersion, // why
      "org.x" % "y" % "1" % Test
    )
  )

lazy val api = project
  .in(file("api"))
  .dependsOn(core % "compile->compile;test->test")
  .settings(libraryDependencies ++= http, version := "4")
"""


def test_projects_of_sbt() -> None:
    scala = 'object Dependencies {\n  val v = "2"\n  val http = Seq("com.acme" %% "http" % v)\n}\n'
    files = {"build.sbt": SBT, "project/Dependencies.scala": scala}
    core, api = _package(files, "modules/core"), _package(files, "api")
    assert (core.name, core.version, core.manifest) == ("com.acme:pay-core", "3.0.0", "build.sbt")
    assert (api.name, api.version) == ("com.acme:api", "4")
    assert _pinned(files, "modules/core") == {
        "com.acme:log": "1",
        "io.circe:circe-core": "0.14",
        "org.x:y": "1",
    }
    assert _pinned(files, "api") == {"com.acme:http": "2", "com.acme:pay-core": "3.0.0"}


def test_the_version_of_scala_is_no_part_of_a_name() -> None:
    pom = """<project><groupId>g</groupId><artifactId>a_2.13</artifactId><version>1</version>
    <dependencies><dependency><groupId>com.acme</groupId><artifactId>pay_3</artifactId>
    <version>2.9</version></dependency></dependencies></project>"""
    assert _package({"pom.xml": pom}).name == "g:a"
    assert _pinned({"pom.xml": pom}) == {"com.acme:pay": "2.9"}


def test_scripts_of_one_directory_are_one_and_plugins_none() -> None:
    files = {"build.sbt": 'name := "app"\norganization := "com.acme"\n'}
    assert _package(files | {"version.sbt": 'version := "9"\n'}, "").version == "9"
    assert _package(files | {"sub/version.sbt": 'version := "9"\n'}, "").version == ""
    assert [is_manifest(path) for path in ("project/plugins.sbt", "a/project/p.sbt")] == [False] * 2
    assert is_manifest("myproject/build.sbt")


@pytest.mark.parametrize("line", ["x(~/it's/)", 'x(~/a"b\\"c/)', "x(~/it's a \"b/)"])
def test_a_quote_that_its_line_does_not_close_ends_with_the_line(line: str) -> None:
    found = read("build.gradle", f'{line}\ndependencies {{\n  api "a:b:1"\n}}\n')
    assert asked(found) == {"a:b": "1"}


@pytest.mark.parametrize("text", ["/* a", 'x = """a', "x = '''a", "/*/"])
def test_a_comment_or_string_without_an_end_is_no_script(text: str) -> None:
    assert read("build.gradle", f"version = '1'\n{text}\n").problem == "invalid"


def test_calls_without_arguments_in_a_catalogue_declare_nothing() -> None:
    inner = "library()\nbundle()\nversion\nlibrary('x', 'a:b:1')\n"
    found = read("settings.gradle", f"versionCatalogs {{ deps {{\n{inner}}} }}\n")
    assert found.settings == (("library:deps.x", "a:b:1"),)


def test_boms_that_import_one_another_in_a_long_chain_end() -> None:
    files = {}
    for number in range(300):
        own = f"<groupId>g</groupId><artifactId>p{number}</artifactId><version>1</version>"
        bom = f"<groupId>g</groupId><artifactId>p{number + 1}</artifactId><version>1</version>"
        files[f"p{number}/pom.xml"] = (
            f"<project>{own}<dependencyManagement><dependencies><dependency>{bom}"
            "<type>pom</type><scope>import</scope></dependency></dependencies>"
            "</dependencyManagement></project>"
        )
    assert len(workspace(files).packages) == len(files)


def test_what_takes_too_much_to_decide_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builds, "MANIFEST_STEPS", 0)
    monkeypatch.setattr(models, "MANIFEST_STEPS", 0)
    pom = "<project><groupId>g</groupId><artifactId>a${x}</artifactId></project>"
    files = {"a/build.gradle": "dependencies {\n  api 'g:a:1'\n}\n", "b/pom.xml": pom}
    found = workspace(files).packages
    assert [one.dependencies for one in found] in ([()], [(), ()])
