"""Names, versions and declared dependencies of sbt's projects, by sbt.

`python -m tests.indexer.conformance.make_tables.sbt_builds JAVA_ARGUMENTS…`, which start sbt's
launcher: `-jar sbt-launch.jar`, with options that say where its artifacts are.
"""

import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from tests.indexer.conformance.make_tables.writing import write, written

VERSION = "1.10.11"
_SAY = """
commands += Command.command("say") { state =>
  val extracted = Project.extract(state)
  val top = extracted.get(ThisBuild / baseDirectory).toPath.toRealPath()
  extracted.structure.allProjectRefs.foreach { ref =>
    val directory = top.relativize(extracted.get(ref / baseDirectory).toPath.toAbsolutePath)
    def named(one: ProjectRef) =
      s"${extracted.get(one / organization)}:${extracted.get(one / moduleName)}"
    def say(kind: String, name: String, version: String) =
      println(Seq("SAY", directory, kind, name, version).mkString("\\t"))
    say("package", named(ref), extracted.get(ref / version))
    extracted.get(ref / thisProject).dependencies.foreach { one =>
      say("need", named(one.project), extracted.get(one.project / version))
    }
    extracted.get(ref / libraryDependencies).filter(_.organization != "org.scala-lang").foreach {
      one => say("need", s"${one.organization}:${one.name}", one.revision)
    }
  }
  state
}
"""
_HEAD = 'organization := "com.acme"\nname := "kit"\nversion := "1.0"\n'
_TWO = (
    'ThisBuild / organization := "com.acme"\nThisBuild / version := "2.0"\n'
    'lazy val core = project\nlazy val app = (project in file("apps/main")).dependsOn(core)\n'
)


def _needs(*lines: str) -> str:
    return "".join(f"libraryDependencies += {line}\n" for line in lines)


_INPUTS: Mapping[str, str | Mapping[str, str]] = {
    "settings": _HEAD,
    "name with capitals and blanks": 'organization := "com.acme"\nname := "My Kit_x"\n',
    "no name": 'organization := "com.acme"\nversion := "1"\n',
    "java dependency": _HEAD + _needs('"x" % "y" % "1"'),
    "scala dependency": _HEAD + _needs('"x" %% "y" % "1"'),
    "with a configuration": _HEAD + _needs('"x" %% "y" % "1" % Test', '"x" % "z" % "2" % "test"'),
    "with more": _HEAD + _needs('("x" %% "y" % "1").exclude("q", "r") withSources()'),
    "Seq": _HEAD + 'libraryDependencies ++= Seq("x" % "y" % "1", "x" %% "z" % "2")\n',
    "Seq over lines": _HEAD
    + 'libraryDependencies ++= Seq(\n  "x" % "y" % "1",\n  "x" %% "z" % "2" // why\n)\n',
    "version in a value": 'val v = "3"\n' + _HEAD + _needs('"x" %% "y" % v'),
    "version in an object": 'object V { val y = "3" }\n' + _HEAD + _needs('"x" %% "y" % V.y'),
    "version in a string": 'val v = "3"\n' + _HEAD + _needs('"x" %% "y" % s"$v.1"'),
    "versions joined": 'val v = "3"\n' + _HEAD + _needs('"x" %% "y" % (v + ".1")'),
    "library in a value": 'val y = "x" %% "y" % "4"\n' + _HEAD + _needs("y"),
    "libraries in a value": 'val all = Seq("x" %% "y" % "4", "x" % "z" % "5")\n'
    + _HEAD
    + "libraryDependencies ++= all\n",
    "two lists": 'val one = Seq("x" %% "y" % "4")\nval two = Seq("x" % "z" % "5")\n'
    + _HEAD
    + "libraryDependencies ++= one ++ two\n",
    "settings of the build": _TWO,
    "old scope of the build": 'organization in ThisBuild := "com.acme"\n'
    'version in ThisBuild := "2"\n'
    "lazy val core = project\n",
    "inThisBuild": 'inThisBuild(List(organization := "com.acme", version := "2"))\n'
    "lazy val core = project\n",
    "settings of a project": "lazy val core = project.settings(\n"
    '  organization := "org.own",\n  name := "own-core",\n  version := "3",\n'
    '  libraryDependencies += "x" %% "y" % "1"\n)\n',
    "common settings": 'lazy val common = Seq(organization := "com.acme", version := "4")\n'
    'lazy val core = project.settings(common).settings(name := "the-core")\n',
    "common settings in a list": "lazy val common = Seq(\n"
    '  organization := "com.acme",\n  libraryDependencies ++= Seq("x" % "y" % "1")\n)\n'
    "lazy val core = project.settings(common: _*)\n"
    'lazy val app = project.settings(common, name := "it")\n',
    "dependency on a project": _TWO,
    "dependency in a configuration": 'ThisBuild / organization := "com.acme"\n'
    "lazy val core = project\n"
    'lazy val app = project.dependsOn(core % "compile->compile;test->test")\n',
    "several projects": 'ThisBuild / organization := "com.acme"\n'
    "lazy val a = project\nlazy val b = project\nlazy val c = project.dependsOn(a, b)\n",
    "root project": 'ThisBuild / organization := "com.acme"\n'
    'lazy val root = (project in file(".")).aggregate(core).settings(name := "all")\n'
    "lazy val core = project\n",
    "root settings beside projects": _HEAD + "lazy val core = project\n",
    "scalaVersion with settings": 'ThisBuild / scalaVersion := "2.13.14"\n' + _HEAD,
    "java project": _HEAD + "crossPaths := false\nautoScalaLibrary := false\n",
    "moduleName": _HEAD + 'moduleName := "other"\n',
    "Dependencies.scala": {
        "build.sbt": "import Dependencies._\n" + _HEAD + "libraryDependencies ++= Seq(y, z)\n",
        "project/Dependencies.scala": "import sbt._\n\nobject Dependencies {\n"
        '  val v = "7"\n  lazy val y = "x" %% "y" % v\n  val z = "x" % "z" % "8"\n}\n',
    },
    "Dependencies.scala in objects": {
        "build.sbt": _HEAD + _needs("Dependencies.Libraries.y"),
        "project/Dependencies.scala": "import sbt._\n\nobject Dependencies {\n"
        '  object Versions { val y = "7" }\n'
        '  object Libraries { val y = "x" %% "y" % Versions.y }\n}\n',
    },
    "build.sbt of a project": {
        "build.sbt": 'ThisBuild / organization := "com.acme"\nlazy val core = project\n',
        "core/build.sbt": 'name := "inner"\nlibraryDependencies += "x" % "y" % "1"\n',
    },
    "version.sbt": {
        "build.sbt": 'organization := "com.acme"\nname := "kit"\n',
        "version.sbt": 'ThisBuild / version := "9.1"\n',
    },
}


def _written(version: str) -> str:
    """Return the version, "" if it is only sbt's default, in whose place plugins give another."""
    return "" if version == "0.1.0-SNAPSHOT" else version


def _files(given: str | Mapping[str, str]) -> dict[str, str]:
    return {"build.sbt": given} if isinstance(given, str) else dict(given)


def _said(files: Mapping[str, str]) -> list[list[str]]:
    more = {"say.sbt": _SAY, "project/build.properties": f"sbt.version={VERSION}\n"}
    with written({**files, **more}) as folder:
        command = ["java", *sys.argv[1:], "say"]
        found = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    lines = [line.split("\t")[1:] for line in found.stdout.splitlines() if line.startswith("SAY\t")]
    if found.returncode or not lines:
        sys.stderr.write(found.stdout + found.stderr)
    return lines


def main() -> None:
    packages: list[Any] = []
    pins: list[Any] = []
    for name, given in _INPUTS.items():
        projects: dict[str, list[str]] = {}
        needs: dict[str, dict[str, str]] = defaultdict(dict)
        for root, kind, full, version in _said(_files(given)):
            if kind == "need":
                needs[root][full] = _written(version)
            elif ":tmp" not in full:  # not of the temporary directory's name
                projects[root] = [full, _written(version)]
        if projects:
            packages.append({"name": name, "files": _files(given), "says": projects})
        if needs:
            pins.append({"name": name, "files": _files(given), "says": needs})
    tool = {"tool": "sbt", "version": VERSION, "ecosystem": "maven"}
    write("sbt_packages", question="packages", rows=packages, **tool)
    write("sbt_pins", question="pins", rows=pins, **tool)


if __name__ == "__main__":
    main()
