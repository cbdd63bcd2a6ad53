"""Gradle's block `dependencies`, in Groovy and in Kotlin."""

import re
from typing import Final

from indexer.ecosystems.maven.scripts import (
    Statement,
    Token,
    arguments,
    property_name,
    statements,
    value_of,
)
from indexer.records.manifests import LOCATION_CHARACTERS

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
