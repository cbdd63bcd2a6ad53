"""What a project of another repository requires of its own repository's projects comes along."""

import pytest

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

Files = dict[str, str]

KIT = "package com.acme.a;\npublic class Kit { public static void build() {} }\n"
USE = "package org.app;\nimport com.acme.a.Kit;\nclass Main { void run() { Kit.build(); } }\n"
CALL = "app/src/main/java/org/app/Main.java:3 Main.run"


def java(a: str = "a") -> tuple[Files, Files]:
    return {f"{a}/src/main/java/com/acme/a/Kit.java": KIT}, {"src/main/java/org/app/Main.java": USE}


def pom(artifact: str, *, needs: str = "", more: str = "") -> str:
    listed = "".join(
        f"<dependency><groupId>com.acme</groupId><artifactId>{one}</artifactId>"
        "<version>1</version></dependency>"
        for one in needs.split()
    )
    return (
        f"<project><groupId>com.acme</groupId><artifactId>{artifact}</artifactId>"
        f"<version>1</version>{more}<dependencies>{listed}</dependencies></project>"
    )


GRADLE = (
    {
        "settings.gradle": "rootProject.name = 'libs'\ninclude 'a', 'b'\n",
        "build.gradle": "allprojects { group = 'com.acme'\n version = '1' }\n",
        "a/build.gradle": "apply plugin: 'java-library'\n",
        "b/build.gradle": "dependencies {\n api project(':a')\n}\n",
    },
    {"build.gradle": "dependencies {\n implementation 'com.acme:b:1'\n}\n"},
)
KOTLIN = (
    {
        "settings.gradle.kts": 'rootProject.name = "libs"\ninclude("a", "b")\n',
        "build.gradle.kts": 'allprojects { group = "com.acme"\n version = "1" }\n',
        "a/build.gradle.kts": "plugins { `java-library` }\n",
        "b/build.gradle.kts": 'dependencies {\n api(project(":a"))\n}\n',
    },
    {"build.gradle.kts": 'dependencies {\n implementation("com.acme:b:1")\n}\n'},
)
MAVEN = (
    {
        "pom.xml": pom("libs", more="<modules><module>a</module><module>b</module></modules>"),
        "a/pom.xml": pom("a"),
        "b/pom.xml": pom("b", needs="a"),
    },
    {"pom.xml": pom("app", needs="b")},
)
SBT = (
    {
        "build.sbt": 'ThisBuild / organization := "com.acme"\nlazy val a = project\n'
        "lazy val b = project.dependsOn(a)\n"
    },
    {"build.sbt": 'name := "app"\nlibraryDependencies += "com.acme" %% "b" % "1"\n'},
)


@pytest.mark.parametrize(
    ("libs", "app"), [GRADLE, KOTLIN, MAVEN, SBT], ids=["gradle", "kotlin", "maven", "sbt"]
)
def test_a_class_of_what_a_dependency_requires_is_called(
    libs: Files, app: Files, callers: Callers
) -> None:
    sources, uses = java()
    repository("libs", libs | sources)
    repository("fork", {"build.gradle": "group = 'org.fork'\n", **java("fork")[0]})
    repository("app", app | uses)
    assert callers("Kit.build", project="libs") == [f"{CALL} high"]
    assert callers("Kit.build", project="fork") == []


def test_a_class_of_what_a_c_sharp_dependency_references_is_called(callers: Callers) -> None:
    one = "<Project><PropertyGroup><PackageId>{}</PackageId></PropertyGroup>{}</Project>"
    needs = '<ItemGroup><ProjectReference Include="../a/A.csproj"/></ItemGroup>'
    wants = '<ItemGroup><PackageReference Include="Acme.B" Version="1.0.0"/></ItemGroup>'
    kit = "namespace Acme.A;\npublic static class Kit { public static void Build() {} }\n"
    use = "using Acme.A;\nclass Main { void Run() { Kit.Build(); } }\n"
    repository(
        "libs",
        {
            "a/A.csproj": one.format("Acme.A", ""),
            "a/Kit.cs": kit,
            "b/B.csproj": one.format("Acme.B", needs),
        },
    )
    repository("fork", {"Fork.csproj": one.format("Fork", ""), "Kit.cs": kit})
    repository("app", {"App.csproj": one.format("App", wants), "Main.cs": use})
    assert callers("Kit.Build", project="libs") == ["app/Main.cs:2 Main.Run high"]
    assert callers("Kit.Build", project="fork") == []
