"""Names, versions and declared dependencies of Gradle's projects, by Gradle.

`python -m tests.indexer.conformance.make_tables.gradle_builds`, with `gradle` at hand. Arguments go
to Gradle. What it says of an input in Groovy holds for the same in Kotlin, which it need not know.
"""

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from tests.indexer.conformance.make_tables.gradle_kotlin import KOTLIN
from tests.indexer.conformance.make_tables.writing import write, written

_SAY = """
gradle.projectsEvaluated { rootProject { allprojects { one ->
    def top = new File(System.getProperty("say.top")).toPath()
    def path = top.relativize(one.projectDir.toPath())
    println(["SAY", path, one.group, one.name, one.version, "", ""].join("\\t"))
    one.configurations.each { it.dependencies.each {
        println(["SAY", path, it.group, it.name, it.version, "need", ""].join("\\t"))
    } }
} } }
if (gradle.parent == null) { rootProject { task("say") { doLast {
    configurations.compile.incoming.resolutionResult.root.dependencies.each {
        def found = it.selected.moduleVersion
        println(["SAY", "", found.group, found.name, found.version, "resolved", ""].join("\\t"))
    }
} } } }
"""
_JAVA = "apply plugin: 'java'\n"
_HEAD = _JAVA + "group = 'com.acme'\nversion = '1.0'\n"
_NAMED = {"settings.gradle": "rootProject.name = 'kit'\n"}
_TWO = {"settings.gradle": "rootProject.name = 'kit'\ninclude 'a', ':b:c'\n"}


def _one(body: str, *, properties: str = "") -> dict[str, str]:
    files = {**_NAMED, "build.gradle": _HEAD + body}
    return files | {"gradle.properties": properties} if properties else files


def _needs(*lines: str) -> str:
    return "dependencies {\n" + "".join(f"    {line}\n" for line in lines) + "}\n"


def _with(
    needs: str, libs: Mapping[str, str], *, include: str = "includeBuild 'libs'\n"
) -> dict[str, str]:
    build = _JAVA + "group = 'org.app'\n" + needs
    settings = "rootProject.name = 'app'\n" + include
    return {"settings.gradle": settings, "build.gradle": build} | {
        f"libs/{path}": text for path, text in libs.items()
    }


_LIBS = {
    "settings.gradle": "rootProject.name = 'libs'\ninclude 'a', 'b:c'\n",
    "build.gradle": "allprojects { group = 'com.acme'\n version = '1.5'\n apply plugin: 'java' }\n",
}
_SUBSTITUTED = """includeBuild('libs') {
    dependencySubstitution {
        substitute module('x:y') with project(':a')
    }
}
"""
_COMPOSITES: Mapping[str, Mapping[str, str]] = {
    "included build": _with(_needs("compile 'com.acme:a:1.0'"), _LIBS),
    "two projects": _with(_needs("compile 'com.acme:a:1.0', 'com.acme:c:2'"), _LIBS),
    "range": _with(_needs("compile 'com.acme:a:[3,4)'"), _LIBS),
    "no version in a composite": _with(_needs("compile 'com.acme:a'"), _LIBS),
    "root of an included build": _with(_needs("compile 'com.acme:libs:1'"), _LIBS),
    "own version": _with(
        _needs("compile 'com.acme:a:1.0'"), {**_LIBS, "a/build.gradle": "version = '7'\n"}
    ),
    "own group": _with(
        _needs("compile 'org.a:a:1.0'"), {**_LIBS, "a/build.gradle": "group = 'org.a'\n"}
    ),
    "name of an included project": _with(
        _needs("compile 'com.acme:first:1.0'"),
        {**_LIBS, "settings.gradle": "include 'a'\nproject(':a').name = 'first'\n"},
    ),
    "declared substitution": _with(_needs("compile 'x:y:1'"), _LIBS, include=_SUBSTITUTED),
    "build in parentheses": _with(
        _needs("compile 'com.acme:a:1.0'"), _LIBS, include='includeBuild("libs")\n'
    ),
    "two included builds": {
        **_with(
            _needs("compile 'com.acme:a:1.0', 'com.more:more:1'"),
            _LIBS,
            include="includeBuild 'libs'\nincludeBuild 'more'\n",
        ),
        "more/settings.gradle": "rootProject.name = 'more'\n",
        "more/build.gradle": _JAVA + "group = 'com.more'\nversion = '3'\n",
    },
    "project and included build": {
        **_with(
            _needs("compile project(':own'), 'com.acme:a:1'"),
            _LIBS,
            include="include 'own'\nincludeBuild 'libs'\n",
        ),
        "own/build.gradle": _JAVA + "group = 'org.own'\nversion = '8'\n",
    },
}
_INPUTS: Mapping[str, Mapping[str, str]] = {
    "string": _one(_needs("compile 'x:y:1'")),
    "double quotes": _one(_needs('implementation "x:y:1"')),
    "parentheses": _one(_needs('implementation("x:y:1")')),
    "classifier": _one(_needs("compile 'x:y:1:sources'")),
    "extension": _one(_needs("compile 'x:y:1@jar'")),
    "no version": _one(_needs("compile 'x:y'")),
    "map": _one(_needs("compile group: 'x', name: 'y', version: '1'")),
    "map in parentheses": _one(_needs("compile(group: 'x', name: 'y', version: '1')")),
    "map in brackets": _one(_needs("compile([group: 'x', name: 'y', version: '1'])")),
    "map over lines": _one(_needs("compile group: 'x',\n        name: 'y',\n        version: '1'")),
    "map without version": _one(_needs("compile group: 'x', name: 'y'")),
    "several": _one(_needs("compile 'x:y:1', 'x:z:2'")),
    "several over lines": _one(_needs("compile 'x:y:1',\n        'x:z:2'")),
    "list": _one(_needs("compile(['x:y:1', 'x:z:2'])")),
    "several maps": _one(
        _needs("compile([group: 'x', name: 'y', version: '1'], [group: 'x', name: 'z'])")
    ),
    "closure": _one(_needs("compile('x:y:1') { transitive = false }")),
    "exclude": _one(_needs("compile('x:y:1') {\n        exclude group: 'q', module: 'r'\n    }")),
    "add": _one(_needs("add('compile', 'x:y:1')")),
    "comments": _one(_needs("// compile 'x:a:1'", "/* compile 'x:b:1' */", "compile 'x:y:1' // z")),
    "local variable": _one("def v = '3'\n" + _needs('compile "x:y:$v"')),
    "typed variable": _one("String v = '3'\n" + _needs('compile "x:y:$v"')),
    "braces": _one("def v = '3'\n" + _needs('compile "x:y:${v}"')),
    "braces and more": _one("def v = '3'\n" + _needs('compile "x:y:${v}.Final"')),
    "plus": _one("def v = '3'\n" + _needs("compile 'x:y:' + v")),
    "version in a map by a variable": _one(
        "def v = '3'\n" + _needs("compile group: 'x', name: 'y', version: v")
    ),
    "single quotes do not insert": _one(
        "def y = '3'\n" + _needs("compile 'x:y:1'", 'compile "x:$y:2"')
    ),
    "ext": _one("ext.v = '3'\n" + _needs('compile "x:y:$v"')),
    "ext block": _one("ext {\n    v = '3'\n    w = '4'\n}\n" + _needs('compile "x:y:$w"')),
    "ext set": _one("ext { set('v', '3') }\n" + _needs('compile "x:y:$v"')),
    "ext index": _one("ext['v'] = '3'\n" + _needs('compile "x:y:${project.ext.v}"')),
    "ext map": _one(
        "ext.versions = [y: '3', z: '4']\n"
        + _needs('compile "x:y:$versions.y"', 'compile "x:z:${versions.z}"')
    ),
    "ext map in a block": _one(
        "ext {\n    versions = [\n        y: '3',\n        z: '4',\n    ]\n}\n"
        + _needs('compile "x:y:${versions.y}"')
    ),
    "ext libraries": _one(
        "ext.deps = [y: 'x:y:5', z: 'x:z:6']\n" + _needs("compile deps.y", "compile deps.z")
    ),
    "libraries with versions": _one(
        "ext.v = '5'\next.deps = [y: \"x:y:$v\"]\n" + _needs("compile deps.y")
    ),
    "library in a variable": _one("def y = 'x:y:5'\n" + _needs("compile y")),
    "project's property": _one(
        _needs("compile \"x:y:${project.property('v')}\""), properties="v=8"
    ),
    "gradle.properties": _one(_needs('compile "x:y:$v"'), properties="v=8\n"),
    "gradle.properties with blanks": _one(
        _needs('compile "x:y:${v}"'), properties="# why\n v : 8\n"
    ),
    "ext of the root project": _one("ext.v = '3'\n" + _needs('compile "x:y:$rootProject.ext.v"')),
    "version of the project": _one(_needs('compile "x:y:$version"')),
    "group of the project": _one(_needs('compile "$group:y:$project.version"')),
    "group without equals": {**_NAMED, "build.gradle": "group 'org.own'\nversion '2.1'\n"},
    "project's group": {
        **_NAMED,
        "build.gradle": "project.group = 'org.own'\nproject.version = '2.1'\n",
    },
    "group by a method": {**_NAMED, "build.gradle": "setGroup('org.own')\nsetVersion('2.1')\n"},
    "version by a property": _one('version = "${major}.5"\n', properties="major=4"),
    "group in gradle.properties": {
        **_NAMED,
        "build.gradle": _JAVA,
        "gradle.properties": "group=org.props\nversion=6.0\n",
    },
    "script over gradle.properties": {
        **_NAMED,
        "build.gradle": "group = 'org.own'\n",
        "gradle.properties": "group=org.props\nversion=6.0\n",
    },
    "no inheritance": {**_TWO, "build.gradle": _HEAD, "a/build.gradle": _JAVA},
    "allprojects": {
        **_TWO,
        "build.gradle": "allprojects {\n    group = 'com.all'\n    version = '3'\n}\n",
        "a/build.gradle": _JAVA,
        "b/c/build.gradle": "group = 'org.own'\n",
    },
    "subprojects": {
        **_TWO,
        "build.gradle": "group = 'org.top'\nsubprojects {\n    group = 'com.sub'\n"
        "    version = '4'\n}\n",
        "a/build.gradle": "",
        "b/c/build.gradle": "version = '5'\n",
    },
    "dependencies of subprojects": {
        **_TWO,
        "build.gradle": "subprojects {\n    apply plugin: 'java'\n    "
        + _needs("compile 'x:y:1'")
        + "}\n",
        "a/build.gradle": _needs("compile 'x:z:2'"),
        "b/c/build.gradle": "",
    },
    "dependencies of all projects": {
        **_TWO,
        "build.gradle": "allprojects {\n    apply plugin: 'java'\n    "
        + _needs("compile 'x:y:1'")
        + "}\n",
        "a/build.gradle": "",
    },
    "dependencies of one project": {
        **_TWO,
        "build.gradle": "project(':a') {\n    apply plugin: 'java'\n    group = 'com.one'\n    "
        + _needs("compile 'x:y:1'")
        + "}\n",
        "a/build.gradle": "",
        "b/c/build.gradle": "",
    },
    "property of the root project": {
        **_TWO,
        "build.gradle": "ext.v = '7'\n",
        "a/build.gradle": _JAVA + _needs('compile "x:y:$v"', 'compile "x:z:${rootProject.v}"'),
    },
    "property of gradle.properties in a project": {
        **_TWO,
        "build.gradle": "",
        "gradle.properties": "v=7\nw=8\n",
        "a/build.gradle": _JAVA + _needs('compile "x:y:$v"', 'compile "x:z:$w"'),
        "a/gradle.properties": "w=9\n",
    },
    "project": {
        **_TWO,
        "build.gradle": "allprojects { group = 'com.all' }\n",
        "a/build.gradle": _JAVA + _needs("compile project(':b:c')"),
        "b/c/build.gradle": _JAVA,
    },
    "project by its path": {
        **_TWO,
        "build.gradle": "allprojects { group = 'com.all' }\n",
        "a/build.gradle": _JAVA + _needs("compile project(path: ':b:c')"),
        "b/c/build.gradle": _JAVA,
    },
    "project with a version": {
        **_TWO,
        "build.gradle": "allprojects {\n    group = 'com.all'\n    version = '3'\n}\n",
        "a/build.gradle": _JAVA + _needs("compile project(':b:c')"),
        "b/c/build.gradle": _JAVA + "version = '4'\n",
    },
    "property over a local name": _one(
        "def v = '3'\n" + _needs('compile "x:y:$v"'), properties="v=8\n"
    ),
    "condition": _one(
        "if (project.hasProperty('x')) {\n    version = '9'\n}\n" + _needs("compile 'x:y:1'")
    ),
    "constraints": _one(_needs("compile 'x:y'", "constraints {\n        compile 'x:z:2'\n    }")),
    "directory of a project": {
        "settings.gradle": "rootProject.name = 'kit'\ninclude ':a'\n"
        "project(':a').projectDir = file('libs/first')\n",
        "build.gradle": "allprojects { group = 'com.all' }\n",
        "libs/first/build.gradle": _JAVA,
    },
    "name of a project": {
        "settings.gradle": "rootProject.name = 'kit'\ninclude ':a'\nproject(':a').name = 'kit-a'\n",
        "build.gradle": "allprojects { group = 'com.all' }\n",
        "a/build.gradle": _JAVA,
    },
    "include over lines": {
        "settings.gradle": "rootProject.name = 'kit'\ninclude 'a',\n    'b'\ninclude('c')\n",
        "build.gradle": "allprojects { version = '2' }\n",
        "a/build.gradle": "",
        "b/build.gradle": "",
        "c/build.gradle": "",
    },
}


def _said(files: Mapping[str, str], arguments: list[str], task: str) -> list[list[str]]:
    with written(files) as folder:
        script = folder / "say.init.gradle"
        script.write_text(_SAY, "utf-8")
        command = ["gradle", "--offline", "-q", f"-Dsay.top={folder}", *arguments]
        command += ["-I", str(script), task]
        found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if found.returncode:
        sys.stderr.write(found.stdout + found.stderr)
    lines = (line.split("\t") for line in found.stdout.splitlines())
    return [line[1:] for line in lines if line[0] == "SAY"]


def _known(value: str) -> str:
    return "" if value in {"null", "unspecified"} else value


def _row(name: str, files: Mapping[str, str], says: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": name, "files": files, "says": says}


def main() -> None:
    packages: list[Any] = []
    pins: list[Any] = []
    kotlin: dict[str, list[Any]] = {"packages": [], "pins": []}
    for name, files in _INPUTS.items():
        projects: dict[str, list[str]] = {}
        needs: dict[str, dict[str, str]] = defaultdict(dict)
        for root, group, artifact, version, kind, _ in _said(files, sys.argv[1:], "help"):
            full = f"{group}:{artifact}" if _known(group) else artifact
            if kind:
                needs[root][full] = _known(version)
            else:
                projects[root] = [full, _known(version)]
        for rows, twins, says in (
            (packages, kotlin["packages"], projects),
            (pins, kotlin["pins"], needs),
        ):
            if says:
                rows.append(_row(name, files, says))
            if says and name in KOTLIN:
                twins.append(_row(name, KOTLIN[name], says))
    composites = []
    for name, files in _COMPOSITES.items():
        said = _said(files, sys.argv[1:], "say")
        found = {f"{one[1]}:{one[2]}": _known(one[3]) for one in said if one[4] == "resolved"}
        composites.append(_row(name, files, {"": found}))
    found = subprocess.run(["gradle", "-v"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"Gradle (\S+)", found)
    tool = {"tool": "gradle", "version": version[1] if version else "", "ecosystem": "maven"}
    write("gradle_packages", question="packages", rows=packages, **tool)
    write("gradle_pins", question="pins", rows=pins, **tool)
    write("gradle_composites", question="pins", rows=composites, **tool)
    write("gradle_kotlin_packages", question="packages", rows=kotlin["packages"], **tool)
    write("gradle_kotlin_pins", question="pins", rows=kotlin["pins"], **tool)


if __name__ == "__main__":
    main()
