"""Effective POMs by Maven.

`python -m tests.indexer.conformance.make_tables.maven_poms`, with `mvn` and its plugin `help` at
hand. Arguments go to Maven.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.indexer.conformance.make_tables.writing import write


def _pom(body: str, *, parent: str = "", modules: str = "") -> str:
    """A POM; `parent` is `g:a:v` or `g:a:v:path`, "-" for an empty path."""
    text = body
    if parent:
        group, artifact, version, *path = parent.split(":")
        shown = "" if not path else f"<relativePath>{path[0].strip('-')}</relativePath>"
        text = (
            f"<parent><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
            f"<version>{version}</version>{shown}</parent>{text}"
        )
    if modules:
        listed = "".join(f"<module>{one}</module>" for one in modules.split())
        text += f"<packaging>pom</packaging><modules>{listed}</modules>"
    return f"<project><modelVersion>4.0.0</modelVersion>{text}</project>"


def _at(coordinates: str) -> str:
    tags = zip(("groupId", "artifactId", "version"), coordinates.split(":"), strict=False)
    return "".join(f"<{tag}>{value}</{tag}>" for tag, value in tags if value)


def _needs(*listed: str) -> str:
    items = "".join(f"<dependency>{_at(one)}</dependency>" for one in listed)
    return f"<dependencies>{items}</dependencies>"


def _manages(*listed: str, boms: str = "") -> str:
    """Managed `listed`, then `boms` to import."""
    items = "".join(f"<dependency>{_at(one)}</dependency>" for one in listed)
    items += "".join(
        f"<dependency>{_at(one)}<type>pom</type><scope>import</scope></dependency>"
        for one in boms.split()
    )
    return f"<dependencyManagement><dependencies>{items}</dependencies></dependencyManagement>"


def _sets(**properties: str) -> str:
    items = "".join(
        f"<{name.replace('_', '.')}>{value}</{name.replace('_', '.')}>"
        for name, value in properties.items()
    )
    return f"<properties>{items}</properties>"


def _profile(activation: str, body: str) -> str:
    return f"<profiles><profile><id>p</id>{activation}{body}</profile></profiles>"


_DEFAULT = "<activation><activeByDefault>true</activeByDefault></activation>"
_ABSENT = "<activation><property><name>!never</name></property></activation>"
_PRESENT = "<activation><property><name>never</name></property></activation>"
_ROOT = _at("com.acme:root:1.0")
_BOM = _pom(_at("com.acme:bom:1") + _manages("x:y:2", "x:z:3") + "<packaging>pom</packaging>")


def _two(root: str, child: str, *, parent: str = "com.acme:root:1.0") -> dict[str, str]:
    return {"pom.xml": _pom(root, modules="a"), "a/pom.xml": _pom(child, parent=parent)}


_INPUTS: Mapping[str, Mapping[str, str]] = {
    "plain": {"pom.xml": _pom(_ROOT + _needs("x:y:1"))},
    "own properties": {"pom.xml": _pom(_ROOT + _sets(v="3") + _needs("x:y:${v}"))},
    "nested properties": {
        "pom.xml": _pom(_ROOT + _sets(a_b="${c}.1", c="2") + _needs("x:y:${a.b}"))
    },
    "project properties": {
        "pom.xml": _pom(_ROOT + _needs("${project.groupId}:y:${project.version}"))
    },
    "inherited coordinates": _two(_ROOT, _at(":a")),
    "own group": _two(_ROOT, _at("org.own:a")),
    "own version": _two(_ROOT, _at(":a:7")),
    "property of the parent": _two(_ROOT + _sets(v="3"), _at(":a") + _needs("x:y:${v}")),
    "property that the child overrides": _two(
        _ROOT + _sets(v="3") + _needs("x:y:${v}"), _at(":a") + _sets(v="4")
    ),
    "nested property that the child overrides": _two(
        _ROOT + _sets(v="${w}.0", w="3"), _at(":a") + _sets(w="4") + _needs("x:y:${v}")
    ),
    "inherited dependencies": _two(_ROOT + _needs("x:y:1"), _at(":a") + _needs("x:z:2")),
    "dependency that the child overrides": _two(
        _ROOT + _needs("x:y:1"), _at(":a") + _needs("x:y:2")
    ),
    "inherited version of the project": _two(
        _ROOT + _needs("com.x:y:${project.version}"), _at(":a:5")
    ),
    "managed": {"pom.xml": _pom(_ROOT + _manages("x:y:2") + _needs("x:y"))},
    "managed by the parent": _two(_ROOT + _manages("x:y:2"), _at(":a") + _needs("x:y")),
    "managed by both": _two(
        _ROOT + _manages("x:y:2"), _at(":a") + _manages("x:y:3") + _needs("x:y")
    ),
    "managed and written": _two(_ROOT + _manages("x:y:2"), _at(":a") + _needs("x:y:9")),
    "managed by a property that the child overrides": _two(
        _ROOT + _sets(v="3") + _manages("x:y:${v}"), _at(":a") + _sets(v="4") + _needs("x:y")
    ),
    "revision": _two(
        _at("com.acme:root:${revision}") + _sets(revision="1.4"),
        _at(":a") + _needs("com.acme:b:${project.version}"),
        parent="com.acme:root:${revision}",
    ),
    "revision with sha1 and changelist": _two(
        _at("com.acme:root:${revision}${sha1}${changelist}")
        + _sets(revision="1.4", sha1="", changelist="-SNAPSHOT"),
        _at(":a"),
        parent="com.acme:root:${revision}${sha1}${changelist}",
    ),
    "revision by the configuration": _two(
        _at("com.acme:root:${revision}") + _sets(revision="1.4"),
        _at(":a"),
        parent="com.acme:root:${revision}",
    )
    | {".mvn/maven.config": "-Drevision=2.0\n"},
    "grandparent": {
        "pom.xml": _pom(_ROOT + _sets(v="1") + _manages("x:y:${v}"), modules="a"),
        "a/pom.xml": _pom(_at(":a") + _sets(v="2"), parent="com.acme:root:1.0", modules="b"),
        "a/b/pom.xml": _pom(_at(":b") + _needs("x:y"), parent="com.acme:a:1.0"),
    },
    "parent by path": {
        "pom.xml": _pom(_ROOT, modules="parent a"),
        "parent/pom.xml": _pom(
            _at("org.up:up:3") + _manages("x:y:2") + "<packaging>pom</packaging>"
        ),
        "a/pom.xml": _pom(_at(":a") + _needs("x:y"), parent="org.up:up:3:../parent/pom.xml"),
    },
    "parent by directory": {
        "pom.xml": _pom(_ROOT, modules="parent a"),
        "parent/pom.xml": _pom(_at("org.up:up:3") + _sets(v="8") + "<packaging>pom</packaging>"),
        "a/pom.xml": _pom(_at(":a") + _needs("x:y:${v}"), parent="org.up:up:3:../parent"),
    },
    "parent by coordinates": {
        "pom.xml": _pom(_ROOT, modules="build/parent a"),
        "build/parent/pom.xml": _pom(
            _at("org.up:up:3") + _manages("x:y:2") + "<packaging>pom</packaging>"
        ),
        "a/pom.xml": _pom(_at(":a") + _needs("x:y"), parent="org.up:up:3:-"),
    },
    "no parent above": {
        "pom.xml": _pom(_ROOT + _needs("x:y:1") + _manages("x:z:1"), modules="a"),
        "a/pom.xml": _pom(_at("org.alone:a:2") + _needs("x:w:3")),
    },
    "BOM": {
        "pom.xml": _pom(_ROOT, modules="bom a"),
        "bom/pom.xml": _BOM,
        "a/pom.xml": _pom(
            _at("com.acme:a:1") + _manages(boms="com.acme:bom:1") + _needs("x:y", "x:z")
        ),
    },
    "BOM that the parent imports": {
        "pom.xml": _pom(_ROOT + _manages(boms="com.acme:bom:1"), modules="bom a"),
        "bom/pom.xml": _BOM,
        "a/pom.xml": _pom(_at(":a") + _needs("x:y"), parent="com.acme:root:1.0"),
    },
    "BOM and what is managed": {
        "pom.xml": _pom(_ROOT, modules="bom a"),
        "bom/pom.xml": _BOM,
        "a/pom.xml": _pom(
            _at("com.acme:a:1") + _manages("x:y:9", boms="com.acme:bom:1") + _needs("x:y", "x:z")
        ),
    },
    "two BOMs": {
        "pom.xml": _pom(_ROOT, modules="bom other a"),
        "bom/pom.xml": _BOM,
        "other/pom.xml": _pom(
            _at("com.acme:other:1") + _manages("x:y:7", "x:w:8") + "<packaging>pom</packaging>"
        ),
        "a/pom.xml": _pom(
            _at("com.acme:a:1")
            + _manages(boms="com.acme:other:1 com.acme:bom:1")
            + _needs("x:y", "x:z", "x:w")
        ),
    },
    "BOM of a BOM": {
        "pom.xml": _pom(_ROOT, modules="bom other a"),
        "bom/pom.xml": _BOM,
        "other/pom.xml": _pom(
            _at("com.acme:other:1") + _manages(boms="com.acme:bom:1") + "<packaging>pom</packaging>"
        ),
        "a/pom.xml": _pom(_at("com.acme:a:1") + _manages(boms="com.acme:other:1") + _needs("x:y")),
    },
    "BOM with properties": {
        "pom.xml": _pom(_ROOT + _sets(bom="1", v="100"), modules="bom a"),
        "bom/pom.xml": _pom(
            _at("com.acme:bom:1")
            + _sets(v="6")
            + _manages("x:y:${v}", "com.acme:c:${project.version}")
            + "<packaging>pom</packaging>"
        ),
        "a/pom.xml": _pom(
            _at(":a:4") + _manages(boms="com.acme:bom:${bom}") + _needs("x:y", "com.acme:c"),
            parent="com.acme:root:1.0",
        ),
    },
    "exclusions": {
        "pom.xml": _pom(
            _ROOT
            + "<dependencies><dependency>"
            + _at("x:y:1")
            + "<exclusions><exclusion><groupId>x</groupId><artifactId>q</artifactId></exclusion>"
            + "</exclusions></dependency></dependencies>"
        )
    },
    "profile by default": {
        "pom.xml": _pom(_ROOT + _needs("x:z:1") + _profile(_DEFAULT, _needs("x:y:1")))
    },
    "profile by an absent property": {"pom.xml": _pom(_ROOT + _profile(_ABSENT, _needs("x:y:1")))},
    "profile by a present property": {
        "pom.xml": _pom(_ROOT + _needs("x:z:1") + _profile(_PRESENT, _needs("x:y:1")))
    },
    "profile without activation": {
        "pom.xml": _pom(_ROOT + _needs("x:z:1") + _profile("", _needs("x:y:1")))
    },
    "properties of a profile": {
        "pom.xml": _pom(
            _ROOT + _sets(v="1") + _needs("x:y:${v}") + _profile(_DEFAULT, _sets(v="2"))
        )
    },
    "profile of the parent": _two(
        _ROOT + _profile(_DEFAULT, _manages("x:y:5")), _at(":a") + _needs("x:y")
    ),
    "management of a profile": {
        "pom.xml": _pom(
            _ROOT + _manages("x:y:1") + _needs("x:y") + _profile(_DEFAULT, _manages("x:y:2"))
        )
    },
    "modules of a profile": {
        "pom.xml": _pom(
            _ROOT
            + "<packaging>pom</packaging>"
            + _profile(_DEFAULT, "<modules><module>a</module></modules>")
        ),
        "a/pom.xml": _pom(_at(":a"), parent="com.acme:root:1.0"),
    },
    "properties of the parent's version": _two(
        _ROOT, _at(":a:2") + _needs("com.acme:b:${project.parent.version}")
    ),
    "a comment in a value": {
        "pom.xml": _pom(_ROOT + _sets(v="<!-- why -->4") + _needs("x:y:${v}"))
    },
    "blanks around values": {"pom.xml": _pom(_ROOT + _needs(" x : y : 1 "))},
}


def _effective(files: Mapping[str, str], arguments: list[str]) -> list[ElementTree.Element]:
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, path).write_text(text, "utf-8")
        (Path(folder) / ".mvn").mkdir(exist_ok=True)
        output = Path(folder, "effective.xml")
        goal = "org.apache.maven.plugins:maven-help-plugin:3.5.1:effective-pom"
        command = ["mvn", "-q", "-B", *arguments, goal, f"-Doutput={output}"]
        if subprocess.run(command, cwd=folder, check=False).returncode:
            sys.stderr.write(f"Maven refuses {files}\n")
            return []
        root = ElementTree.fromstring(output.read_text("utf-8"))  # noqa: S314
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return [root] if root.tag == "project" else list(root)


def _directories(files: Mapping[str, str]) -> dict[str, str]:
    """Directories by artifact."""
    own = {
        path: re.sub(r"(?s)<(parent|dependency|dependencyManagement)>.*?</\1>", "", text)
        for path, text in files.items()
        if path.endswith("pom.xml")
    }
    return {
        found[1].strip(): path.rpartition("/")[0]
        for path, text in own.items()
        if (found := re.search(r"<artifactId>(.*?)</artifactId>", text))
    }


def main() -> None:
    packages: list[Any] = []
    pins: list[Any] = []
    for name, files in _INPUTS.items():
        directories = _directories(files)
        projects = {
            directories[str(one.findtext("artifactId"))]: one
            for one in _effective(files, sys.argv[1:])
        }
        said = {
            root: [
                f"{one.findtext('groupId')}:{one.findtext('artifactId')}",
                one.findtext("version"),
            ]
            for root, one in projects.items()
        }
        if said:
            packages.append({"name": name, "files": files, "says": said})
        needs = {
            root: {
                f"{need.findtext('groupId')}:{need.findtext('artifactId')}": need.findtext(
                    "version"
                )
                for need in one.findall("dependencies/dependency")
            }
            for root, one in projects.items()
        }
        if any(needs.values()):
            pins.append({"name": name, "files": files, "says": needs})
    found = subprocess.run(["mvn", "-v"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"Apache Maven (\S+?)(?:\x1b|\s)", found)
    tool = {"tool": "mvn", "version": version[1] if version else "", "ecosystem": "maven"}
    write("maven_packages", question="packages", rows=packages, **tool)
    write("maven_pins", question="pins", rows=pins, **tool)


if __name__ == "__main__":
    main()
