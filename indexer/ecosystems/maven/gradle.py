"""build.gradle(.kts): a program, of which what is written out is read; the rest makes it partial.

Settings are `group`, `version`, `artifact`, `property:NAME`, `accessor` (of a catalogue), `project`
(one that is required), `constraint` (g:a:v); those for other projects begin with `all:`, `sub:`
(below) or `project:PATH:`, and there `dependency` is g:a:v. `builds` uses them.
"""

import re
from pathlib import PurePosixPath
from typing import Final

from indexer.ecosystems.maven.scripts import (
    UNKNOWN,
    Statement,
    Token,
    arguments,
    mentions,
    parse_script,
    property_name,
    statements,
    value_of,
    within,
)
from indexer.records.manifests import (
    LOCATION_CHARACTERS,
    Dependency,
    Ecosystem,
    Manifest,
    ManifestProblem,
)

_SKIPPED = {"buildscript", "pluginManagement", "dependencyManagement", "plugins", "repositories"}
_DECLARING = {"val", "var", "def", "const", "final", "private", "internal", "String"}
_EXTRA = {"ext", "extra", "project.ext", "rootProject.ext", "project.extra", "rootProject.extra"}


def read_build_gradle(text: str, path: str) -> Manifest:
    """Read build.gradle, whose name here is its directory's. Raises ValueError."""
    build = _Build()
    build.read(parse_script(text, dotted=not path.endswith(".kts")), "")
    settings = tuple(build.settings)
    return Manifest(
        Ecosystem.MAVEN,
        name=PurePosixPath(path).parent.name,
        version=dict(settings).get("version", ""),
        dependencies=tuple(
            Dependency(":".join(value.split(":")[:2]), ":".join(value.split(":")[2:]))
            for key, value in settings
            if key == "dependency"
        ),
        settings=tuple(
            setting for setting in settings if setting[0] not in {"dependency", "version"}
        ),
        problem=ManifestProblem.PARTIAL if build.is_partial else None,
    )


class _Build:
    """What the statements of a script declare."""

    def __init__(self) -> None:
        self.settings: list[tuple[str, str]] = []
        self.is_partial = False

    def read(self, tokens: list[Token], scope: str) -> None:
        for statement in statements(tokens):
            self._statement(statement, scope)

    def _statement(self, statement: Statement, scope: str) -> None:
        block = statement[-1] if statement[-1].kind == "{" else None
        if (
            block is not None
            and statement[0].kind == "word"
            and "=" not in {two.text for two in statement}
        ):
            self._block(statement, block, scope)
        else:
            self._assignment(statement, scope)

    def _block(self, statement: Statement, block: Token, scope: str) -> None:
        name = statement[0].text
        if name in {"allprojects", "subprojects"}:
            self.read(block.inner, "all:" if name == "allprojects" else "sub:")
        elif name == "project" and len(statement) == 3:
            self.read(block.inner, f"project:{value_of(statement[1].inner)}:")
        elif name.removesuffix(".apply") in _EXTRA:
            for inner in statements(block.inner):
                self._property(inner, scope)
        elif name in {"if", "else", "for", "while"}:
            self.is_partial = self.is_partial or mentions(block.inner, "dependencies")
        else:
            self._nested(statement, block, scope)

    def _nested(self, statement: Statement, block: Token, scope: str) -> None:
        """Look for dependencies, and what is published, in any other block."""
        name = statement[0].text
        if name in _SKIPPED:
            return
        if name.rpartition(".")[2] == "dependencies":
            found, understood = read_dependencies(block.inner)
            self.settings += [(scope + key, value) for key, value in found]
            self.is_partial = self.is_partial or not understood
        elif name in {"publishing", "mavenPublishing"}:
            self.settings += _published(block.inner)
        else:
            for inner in statements(block.inner):
                if inner[-1].kind == "{" and inner[0].kind == "word":
                    self._nested(_after_delegate(inner), inner[-1], scope)

    def _assignment(self, statement: Statement, scope: str) -> None:
        words = [two for two in statement if two.kind != "word" or two.text not in _DECLARING]
        if not words or words[0].kind != "word":
            return
        name = words[0].text.removeprefix("project.").removeprefix("this.")
        rest = words[1:]
        if name == "apply":
            self.is_partial = self.is_partial or any(two.text == "from" for two in rest)
        elif name in {"group", "version", "setGroup", "setVersion"} and rest:
            value = value_of(rest[0].inner if rest[0].kind == "(" else _right(rest))
            self.is_partial = self.is_partial or UNKNOWN in value
            key = scope + name.removeprefix("set").lower()
            self.settings = [pair for pair in self.settings if pair[0] != key]
            self.settings.append((key, value))
        else:
            self._property(words, scope)

    def _property(self, statement: Statement, _scope: str) -> None:
        """Read `x = '1'`, `ext.x = …`, `extra["x"] = …`, `set("x", …)`, `x by extra(…)`."""
        name, rest = statement[0].text, list(statement[1:])
        if name.rpartition(".")[2] == "set" and rest and rest[0].kind == "(":
            parts = arguments(rest[0].inner)
            if len(parts) == 2:
                self._define(value_of(parts[0]), parts[1])
            return
        if name in _EXTRA and rest and rest[0].kind == "[":
            name, rest = value_of(rest[0].inner), rest[1:]
        for prefix in (*_EXTRA, "project", "rootProject"):
            name = name.removeprefix(prefix + ".")
        texts = [two.text for two in rest]
        if "by" in texts:
            index = texts.index("by")
            if texts[index + 1 : index + 2] == ["extra"] and rest[-1].kind == "(":
                self._define(name, rest[-1].inner)
        elif "=" in texts:
            self._define(name, rest[texts.index("=") + 1 :])

    def _define(self, name: str, value: list[Token]) -> None:
        inner = _map(value)
        if inner is None:
            text = value_of(value)
            if text != f"${{{name}}}":  # one that is given elsewhere
                self.settings.append((f"property:{name}", text))
            return
        for part in arguments(inner):
            if len(part) > 2 and part[1].text in {":", "to"}:
                self._define(f"{name}.{part[0].text}", part[2:])


def _map(value: list[Token]) -> list[Token] | None:
    if len(value) == 1 and value[0].kind == "[":
        return value[0].inner
    if len(value) == 2 and value[0].text == "mapOf" and value[1].kind == "(":
        return value[1].inner
    return None


def _right(tokens: list[Token]) -> list[Token]:
    return tokens[1:] if tokens[0].text == "=" else tokens


def _after_delegate(statement: Statement) -> Statement:
    """Return `getting { … }` of `val commonMain by getting { … }`."""
    words = [two for two in statement if two.kind != "word" or two.text not in _DECLARING]
    return words or statement


def _published(tokens: list[Token]) -> list[tuple[str, str]]:
    """Return the name of what is published, if that is one thing."""
    coordinates = [_coordinates(statement) for statement in within(tokens)]
    found = [coordinate for coordinate in coordinates if coordinate]
    artifacts = {value for pairs in found for key, value in pairs if key == "artifact"}
    return [pair for pairs in found for pair in pairs] if len(artifacts) == 1 else []


def _coordinates(statement: Statement) -> list[tuple[str, str]]:
    if statement[0].text == "coordinates" and len(statement) == 2:
        values = [value_of(part) for part in arguments(statement[1].inner)]
        return list(zip(("group", "artifact", "version"), values, strict=False))
    keys = {"artifactId": "artifact", "groupId": "group", "version": "version"}
    if statement[0].text in keys and len(statement) > 2 and statement[1].text == "=":
        value = value_of(statement[2:])
        return [(keys[statement[0].text], value)] if UNKNOWN not in value else []
    return []


_WRAPPING: Final = {"platform", "enforcedPlatform", "testFixtures", "create", "variantOf"}
# Calls that give files or parts of Gradle.
_NOTHING: Final = re.compile(
    r"(?:\w+\.)*(?:files|fileTree|gradleApi|localGroovy|gradleTestKit|gradleKotlinDsl|npm|devNpm)"
)
_VERSIONED: Final = ("strictly", "require", "prefer")
_LANGUAGE: Final = {"if", "for", "while", "else", "val", "var", "def", "return", "println"}
_SETTINGS: Final = {"modules", "components", "attributesSchema", "artifactTypes"}
_PARTS: Final = ("group", "name", "version")
Pairs = list[tuple[str, str]]


def read_dependencies(tokens: list[Token]) -> tuple[Pairs, bool]:
    """Return (kind, value) of each, and whether all is understood.

    Kinds are `dependency` and `constraint` (g:a:v), `project` (a path) and `accessor`.
    """
    found: Pairs = []
    understood = [_statement(statement, found) for statement in statements(tokens)]
    return found, all(understood)


def _statement(statement: Statement, found: Pairs) -> bool:
    head = statement[0]
    if head.text == "constraints" and statement[-1].kind == "{":
        inner, understood = read_dependencies(statement[-1].inner)
        found += [("constraint", value) for kind, value in inner if kind == "dependency"]
        return understood
    if head.text in _SETTINGS:
        return True
    if head.kind not in {"word", "string"} or head.text in _LANGUAGE or len(statement) < 2:
        return False
    closure = statement[-1] if statement[-1].kind == "{" else None
    rest = list(statement[1:-1] if closure else statement[1:])
    if len(rest) == 1 and rest[0].kind == "(":
        rest = rest[0].inner
    if not rest or "=" in {two.text for two in statement[1:2]}:
        return False
    parts = arguments(rest)
    if head.text.rpartition(".")[2] == "add":
        parts = parts[1:]
    if parts and parts[-1] and parts[-1][-1].kind == "{":
        closure = parts[-1].pop()
        parts = [part for part in parts if part]
    return _arguments(parts, _version_of(closure), found)


def _version_of(closure: Token | None) -> str:
    """Return the version of `{ version { strictly("1") } }`, or ""."""
    if closure is None:
        return ""
    for statement in statements(closure.inner):
        if statement[0].text == "version" and statement[-1].kind == "{":
            rich = {two[0].text: two for two in statements(statement[-1].inner)}
            for kind in _VERSIONED:
                if kind in rich:
                    value = list(rich[kind][1:])
                    return value_of(value[0].inner if value and value[0].kind == "(" else value)
    return ""


def _arguments(parts: list[list[Token]], version: str, found: Pairs) -> bool:
    named = _named(parts)
    if named:
        return _named_dependency(named, version, found)
    texts = [value_of(part) for part in parts]
    are_strings = all(part[0].kind == "string" for part in parts)
    if 2 <= len(parts) <= 3 and are_strings and ":" not in texts[0]:
        found.append(("dependency", ":".join([*texts, version][:3]).rstrip(":")))
        return True
    understood = [_argument(part, version, found) for part in parts]
    return all(understood) and bool(parts)


def _named_dependency(named: dict[str, list[Token]], version: str, found: Pairs) -> bool:
    if "path" in named:
        found.append(("project", value_of(named["path"])))
        return True
    group, name, own = (value_of(named[key]) if key in named else "" for key in _PARTS)
    found.append(("dependency", f"{group}:{name}:{own or version}".rstrip(":")))
    return bool(group and name)


def _named(parts: list[list[Token]]) -> dict[str, list[Token]]:
    """Read `group: 'g'` and `group = "g"`."""
    return {
        part[0].text: part[2:] for part in parts if len(part) > 2 and part[1].text in {":", "="}
    }


def _argument(part: list[Token], version: str, found: Pairs) -> bool:
    head, rest = part[0], part[1:]
    if len(part) == 1 and head.kind in {"[", "("}:
        return _arguments(arguments(head.inner), version, found)
    if head.kind == "string" and (not rest or rest[0].text == "+"):
        return _notation(value_of(part), version, found)
    if head.kind != "word":
        return False
    if rest and rest[0].kind == "(":
        return _call(head.text, rest[0].inner, version, found)
    if not rest:
        return _accessor(head.text, found)
    return False


def _notation(text: str, version: str, found: Pairs) -> bool:
    """Read `g:a`, `g:a:v`, `g:a:v:classifier@extension`."""
    if text.startswith("${") and text.endswith("}") and text.count("$") == 1:
        return _accessor(text[2:-1], found)
    if len(text) > LOCATION_CHARACTERS:
        return False
    parts = re.split(r":(?![^{]*\})", text.partition("@")[0])
    if not 2 <= len(parts) <= 4 or not all(parts[:2]):
        return False
    own = parts[2] if len(parts) > 2 else ""
    found.append(("dependency", ":".join([*parts[:2], version or own]).rstrip(":")))
    return True


def _call(name: str, inner: list[Token], version: str, found: Pairs) -> bool:
    parts = arguments(inner)
    last = name.rpartition(".")[2]
    if last == "get":
        return _accessor(name.removesuffix(".get"), found)
    if name == "project" or name.endswith(".project"):
        return bool(parts) and _project(parts, found)
    if last in _WRAPPING:
        return _arguments(parts, version, found)
    if name == "kotlin" and parts:
        own = [value_of(part) for part in parts[1:]]
        text = ":".join(["org.jetbrains.kotlin", f"kotlin-{value_of(parts[0])}", *own])
        found.append(("dependency", text))
        return True
    return _NOTHING.fullmatch(name) is not None


def _project(parts: list[list[Token]], found: Pairs) -> bool:
    named = _named(parts)
    path = value_of(named["path"]) if "path" in named else value_of(parts[0])
    found.append(("project", path))
    return "$" not in path


def _accessor(text: str, found: Pairs) -> bool:
    name = property_name(text)
    if name == "?":
        return False
    found.append(("accessor", name))
    return True
