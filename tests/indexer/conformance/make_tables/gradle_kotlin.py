"""Gradle's inputs of `gradle_builds` in Kotlin, by the same names: they declare the same."""

from collections.abc import Mapping

_JAVA = "plugins {\n    java\n}\n"
_HEAD = _JAVA + 'group = "com.acme"\nversion = "1.0"\n'
_NAMED = {"settings.gradle.kts": 'rootProject.name = "kit"\n'}
_TWO = {"settings.gradle.kts": 'rootProject.name = "kit"\ninclude("a", ":b:c")\n'}


def _one(body: str, *, properties: str = "") -> dict[str, str]:
    files = {**_NAMED, "build.gradle.kts": _HEAD + body}
    return files | {"gradle.properties": properties} if properties else files


def _needs(*lines: str) -> str:
    return "dependencies {\n" + "".join(f"    {line}\n" for line in lines) + "}\n"


KOTLIN: Mapping[str, Mapping[str, str]] = {
    "string": _one(_needs('implementation("x:y:1")')),
    "parentheses": _one(_needs('"implementation"("x:y:1")')),
    "classifier": _one(_needs('implementation("x:y:1:sources")')),
    "extension": _one(_needs('implementation("x:y:1@jar")')),
    "no version": _one(_needs('implementation("x:y")')),
    "map": _one(_needs('implementation(group = "x", name = "y", version = "1")')),
    "map in parentheses": _one(_needs('implementation("x", "y", "1")')),
    "map over lines": _one(
        _needs(
            'implementation(\n        group = "x",\n        name = "y",\n'
            '        version = "1",\n    )'
        )
    ),
    "map without version": _one(_needs('implementation(group = "x", name = "y")')),
    "closure": _one(_needs('implementation("x:y:1") { isTransitive = false }')),
    "exclude": _one(
        _needs('implementation("x:y:1") {\n        exclude(group = "q", module = "r")\n    }')
    ),
    "add": _one(_needs('add("implementation", "x:y:1")')),
    "comments": _one(
        _needs('// api("x:a:1")', '/* api("x:b:1") */', 'implementation("x:y:1") // z')
    ),
    "local variable": _one('val v = "3"\n' + _needs('implementation("x:y:$v")')),
    "typed variable": _one('val v: String = "3"\n' + _needs('implementation("x:y:$v")')),
    "braces": _one('val v = "3"\n' + _needs('implementation("x:y:${v}")')),
    "braces and more": _one('val v = "3"\n' + _needs('implementation("x:y:${v}.Final")')),
    "plus": _one('val v = "3"\n' + _needs('implementation("x:y:" + v)')),
    "version in a map by a variable": _one(
        'val v = "3"\n' + _needs('implementation(group = "x", name = "y", version = v)')
    ),
    "ext": _one('val v by extra("3")\n' + _needs('implementation("x:y:$v")')),
    "ext block": _one(
        'extra.apply {\n    set("v", "3")\n    set("w", "4")\n}\n'
        + _needs('implementation("x:y:${extra["w"]}")')
    ),
    "ext set": _one('extra.set("v", "3")\n' + _needs('implementation("x:y:${extra.get("v")}")')),
    "ext index": _one('extra["v"] = "3"\n' + _needs('implementation("x:y:${project.extra["v"]}")')),
    "ext map": _one(
        'val versions = mapOf("y" to "3", "z" to "4")\n'
        + _needs('implementation("x:y:${versions["y"]}")', 'implementation("x:z:${versions["z"]}")')
    ),
    "library in a variable": _one('val y = "x:y:5"\n' + _needs("implementation(y)")),
    "project's property": _one(
        _needs('implementation("x:y:${project.property("v")}")'), properties="v=8"
    ),
    "gradle.properties": _one(
        "val v: String by project\n" + _needs('implementation("x:y:$v")'), properties="v=8\n"
    ),
    "gradle.properties with blanks": _one(
        'val v = providers.gradleProperty("v").get()\n' + _needs('implementation("x:y:${v}")'),
        properties="# why\n v : 8\n",
    ),
    "ext of the root project": _one(
        'extra["v"] = "3"\n' + _needs('implementation("x:y:${rootProject.extra["v"]}")')
    ),
    "version of the project": _one(_needs('implementation("x:y:$version")')),
    "group of the project": _one(_needs('implementation("$group:y:${project.version}")')),
    "project's group": {
        **_NAMED,
        "build.gradle.kts": 'project.group = "org.own"\nproject.version = "2.1"\n',
    },
    "version by a property": _one('version = "${property("major")}.5"\n', properties="major=4"),
    "group in gradle.properties": {
        **_NAMED,
        "build.gradle.kts": _JAVA,
        "gradle.properties": "group=org.props\nversion=6.0\n",
    },
    "script over gradle.properties": {
        **_NAMED,
        "build.gradle.kts": 'group = "org.own"\n',
        "gradle.properties": "group=org.props\nversion=6.0\n",
    },
    "no inheritance": {**_TWO, "build.gradle.kts": _HEAD, "a/build.gradle.kts": _JAVA},
    "allprojects": {
        **_TWO,
        "build.gradle.kts": 'allprojects {\n    group = "com.all"\n    version = "3"\n}\n',
        "a/build.gradle.kts": _JAVA,
        "b/c/build.gradle.kts": 'group = "org.own"\n',
    },
    "subprojects": {
        **_TWO,
        "build.gradle.kts": 'group = "org.top"\nsubprojects {\n    group = "com.sub"\n'
        '    version = "4"\n}\n',
        "a/build.gradle.kts": "",
        "b/c/build.gradle.kts": 'version = "5"\n',
    },
    "dependencies of subprojects": {
        **_TWO,
        "build.gradle.kts": 'subprojects {\n    apply(plugin = "java")\n    '
        + _needs('"implementation"("x:y:1")')
        + "}\n",
        "a/build.gradle.kts": _needs('"implementation"("x:z:2")'),
        "b/c/build.gradle.kts": "",
    },
    "dependencies of one project": {
        **_TWO,
        "build.gradle.kts": 'project(":a") {\n    apply(plugin = "java")\n'
        '    group = "com.one"\n    ' + _needs('"implementation"("x:y:1")') + "}\n",
        "a/build.gradle.kts": "",
        "b/c/build.gradle.kts": "",
    },
    "property of the root project": {
        **_TWO,
        "build.gradle.kts": 'extra["v"] = "7"\n',
        "a/build.gradle.kts": _JAVA
        + "val v: String by rootProject.extra\n"
        + _needs('implementation("x:y:$v")', 'implementation("x:z:${rootProject.extra["v"]}")'),
    },
    "property of gradle.properties in a project": {
        **_TWO,
        "build.gradle.kts": "",
        "gradle.properties": "v=7\nw=8\n",
        "a/build.gradle.kts": _JAVA
        + "val v: String by project\nval w: String by project\n"
        + _needs('implementation("x:y:$v")', 'implementation("x:z:$w")'),
        "a/gradle.properties": "w=9\n",
    },
    "project": {
        **_TWO,
        "build.gradle.kts": 'allprojects { group = "com.all" }\n',
        "a/build.gradle.kts": _JAVA + _needs('implementation(project(":b:c"))'),
        "b/c/build.gradle.kts": _JAVA,
    },
    "project by its path": {
        **_TWO,
        "build.gradle.kts": 'allprojects { group = "com.all" }\n',
        "a/build.gradle.kts": _JAVA + _needs('implementation(project(path = ":b:c"))'),
        "b/c/build.gradle.kts": _JAVA,
    },
    "project with a version": {
        **_TWO,
        "build.gradle.kts": 'allprojects {\n    group = "com.all"\n    version = "3"\n}\n',
        "a/build.gradle.kts": _JAVA + _needs('implementation(project(":b:c"))'),
        "b/c/build.gradle.kts": _JAVA + 'version = "4"\n',
    },
    "directory of a project": {
        "settings.gradle.kts": 'rootProject.name = "kit"\ninclude(":a")\n'
        'project(":a").projectDir = file("libs/first")\n',
        "build.gradle.kts": 'allprojects { group = "com.all" }\n',
        "libs/first/build.gradle.kts": _JAVA,
    },
    "name of a project": {
        "settings.gradle.kts": 'rootProject.name = "kit"\ninclude(":a")\n'
        'project(":a").name = "kit-a"\n',
        "build.gradle.kts": 'allprojects { group = "com.all" }\n',
        "a/build.gradle.kts": _JAVA,
    },
    "include over lines": {
        "settings.gradle.kts": 'rootProject.name = "kit"\ninclude(\n    "a",\n    "b",\n)\n'
        'include("c")\n',
        "build.gradle.kts": 'allprojects { version = "2" }\n',
        "a/build.gradle.kts": "",
        "b/build.gradle.kts": "",
        "c/build.gradle.kts": "",
    },
    "property over a local name": _one(
        'val v = "3"\n' + _needs('implementation("x:y:$v")'), properties="v=8\n"
    ),
    "condition": _one(
        'if (project.hasProperty("x")) {\n    version = "9"\n}\n'
        + _needs('implementation("x:y:1")')
    ),
    "constraints": _one(
        _needs('implementation("x:y")', 'constraints {\n        implementation("x:z:2")\n    }')
    ),
}
