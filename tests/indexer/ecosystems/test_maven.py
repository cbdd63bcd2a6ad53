"""pom.xml and Gradle's files."""

from indexer.records.manifests import Dependency, Pin
from tests.indexer.ecosystems.reading import asked, read


def test_a_pom_takes_group_and_version_from_its_parent_and_fills_in_properties() -> None:
    manifest = read(
        "pom.xml",
        """<?xml version="1.0" encoding="UTF-8"?>
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
</project>""",
    )
    assert (manifest.name, manifest.version) == ("com.acme:fraud-engine", "3.1")
    assert manifest.members == ("core",)
    assert manifest.dependencies == (
        Dependency("com.acme:risk-model", "3.1"),
        Dependency("org.junit:junit", "5.11.0"),
        Dependency("org.x:ranged", "[1,2)"),
        Dependency("org.x:managed", ""),
    )
    assert manifest.pins == (
        Pin("com.acme:risk-model", "3.1"),
        Pin("org.junit:junit", "5.11.0"),
        Pin("org.x:managed", "9"),
    )


def test_properties_that_name_one_another_end() -> None:
    text = """<project><groupId>g</groupId><artifactId>a</artifactId><version>${x}</version>
    <properties><x>${y}${y}</x><y>${x}${x}</y></properties></project>"""
    assert read("pom.xml", text).version == ""


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
    manifest = read("services/console/build.gradle.kts", kotlin)
    assert (manifest.name, manifest.version) == ("com.acme:console", "0.2.0")
    assert asked(manifest) == {
        "com.acme:risk-model": "0.8.2",
        "org.junit:junit-bom": "5.+",
    }
    assert manifest.pins == (Pin("com.acme:risk-model", "0.8.2"),)
    groovy = "group 'com.acme'\ndependencies {\n  compile 'com.acme:risk-model:1'\n}\n"
    manifest = read("console/build.gradle", groovy)
    assert manifest.name == "com.acme:console"
    assert manifest.dependencies == (Dependency("com.acme:risk-model", "1"),)


def test_settings_name_the_root_project_and_its_parts() -> None:
    text = 'rootProject.name = "risk"\ninclude(":core", \':web:api\')\n'
    manifest = read("settings.gradle.kts", text)
    assert manifest.name == "risk"
    assert manifest.members == ("core", "web/api")


def test_a_gradle_lock_file_pins() -> None:
    text = "# This is a Gradle generated file\ncom.acme:risk:0.8.2=compileClasspath\nempty=\n"
    assert read("gradle.lockfile", text).pins == (Pin("com.acme:risk", "0.8.2"),)


def test_a_version_catalogue_is_asked_for_by_all_builds() -> None:
    manifest = read(
        "gradle/libs.versions.toml",
        """
        [versions]
        risk = "0.8.2"
        rich = { strictly = "[1,2)" }
        [libraries]
        plain = "org.x:plain:1.0"
        module = { module = "com.acme:risk", version.ref = "risk" }
        parts = { group = "com.acme", name = "parts", version = { ref = "rich" } }
        managed = { module = "com.acme:managed" }
        broken = 1
        """,
    )
    assert asked(manifest) == {
        "org.x:plain": "1.0",
        "com.acme:risk": "0.8.2",
        "com.acme:parts": "[1,2)",
        "com.acme:managed": "",
    }
    assert manifest.pins == (Pin("org.x:plain", "1.0"), Pin("com.acme:risk", "0.8.2"))
