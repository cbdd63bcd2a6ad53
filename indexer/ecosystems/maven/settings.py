"""settings.gradle(.kts), the projects of a build and its version catalogues; gradle.properties.

Settings are `name:PATH` and `directory:PATH` of projects, `catalog:NAME` (a file), `build:` (the
directory of an included build), `build:DIRECTORY MODULE` (its project that replaces a module), and
for catalogues that are written here their settings, with the name before each alias. Those, also
of `*.versions.toml`, are `library:ALIAS` (g:a:v), `bundle:ALIAS` (aliases) and `version:ALIAS`. An
alias is as in accessors: `acme-kit` is `acme.kit`.
"""

import re
from collections.abc import Iterator
from typing import Final

from indexer.ecosystems.maven.scripts import (
    UNKNOWN,
    Statement,
    Token,
    arguments,
    mentions,
    parse_script,
    statements,
    value_of,
    within,
)
from indexer.ecosystems.parsing import Table, read_toml, string, strings, table
from indexer.ecosystems.paths import joined, parent
from indexer.records.manifests import Ecosystem, Manifest, ManifestProblem


def accessor(alias: str) -> str:
    """Return the accessor of an alias."""
    return re.sub(r"[-_.]", ".", alias)


def read_version_catalog(text: str, _path: str) -> Manifest:
    """Read `*.versions.toml`. Raises ValueError and RecursionError."""
    return Manifest(Ecosystem.MAVEN, settings=tuple(_settings(read_toml(text))))


def _settings(document: Table) -> Iterator[tuple[str, str]]:
    versions = table(document, "versions")
    for alias, wanted in table(document, "libraries").items():
        library = _library(wanted, versions)
        if library:
            yield f"library:{accessor(alias)}", library
    for alias, members in table(document, "bundles").items():
        yield f"bundle:{accessor(alias)}", " ".join(map(accessor, strings(members)))
    for alias, version in versions.items():
        yield f"version:{accessor(alias)}", _version(version)


def _library(wanted: object, versions: Table) -> str:
    """Read `"g:a:1"`, `{module = "g:a", version = "1"}` or `{group, name, version.ref}`."""
    settings = table(wanted)
    named = string(wanted) or string(settings.get("module"))
    group, _, rest = named.partition(":")
    artifact, _, version = rest.partition(":")
    group = group or string(settings.get("group"))
    artifact = artifact or string(settings.get("name"))
    declared = settings.get("version", version)
    declared = versions.get(string(table(declared).get("ref")), declared)
    return f"{group}:{artifact}:{_version(declared)}" if group and artifact else ""


def _version(declared: object) -> str:
    rich = table(declared)
    found = (string(rich.get(key)) for key in ("strictly", "require", "prefer"))
    return string(declared) or next(filter(None, found), "")


_INCLUDED: Final = "build:"
_PROPERTY: Final = re.compile(r"[ \t]*([^\s#!=:][^\s=:]{0,199})[ \t]*[=:][ \t]*(.*)")


def read_gradle_properties(text: str, _path: str) -> Manifest:
    """Read gradle.properties."""
    found = (
        (f"property:{match[1]}", match[2].strip())
        for match in map(_PROPERTY.fullmatch, text.splitlines())
        if match and not match[1].startswith("org.gradle.")
    )
    return Manifest(Ecosystem.MAVEN, settings=tuple(found))


def read_settings_gradle(text: str, path: str) -> Manifest:
    """Read the root project's artifact, the build's projects and catalogues. Raises ValueError."""
    tokens = parse_script(text, dotted=not path.endswith(".kts"))
    members: list[str] = []
    settings: list[tuple[str, str]] = []
    name = ""
    for statement in statements(tokens):
        texts = [two.text for two in statement]
        if texts[0] == "include":
            listed = (
                statement[1].inner
                if len(statement) == 2 and statement[1].kind == "("
                else statement[1:]
            )
            members += [value_of(part).strip(":") for part in arguments(list(listed))]
        elif texts[0] == "rootProject.name" and len(statement) > 2:
            name = value_of(statement[2:])
        elif texts[0] == "project" and len(statement) > 4 and statement[1].kind == "(":
            settings += _project_setting(statement)
        elif texts[0] == "includeBuild" and len(statement) > 1:
            settings += _included_build(statement)
    settings += _catalogs(tokens)
    is_partial = any("$" in member for member in [*members, name]) or _mentions_loop(tokens)
    return Manifest(
        Ecosystem.MAVEN,
        name="" if "$" in name else name,
        members=tuple(member.replace(":", "/") for member in members if "$" not in member),
        settings=tuple(settings),
        problem=ManifestProblem.PARTIAL if is_partial else None,
    )


def included(path: str, settings: Manifest) -> dict[str, dict[str, str]]:
    """Return directories of included builds, with declared replacements: projects by module.

    Those outside of the repository are left out.
    """
    found: dict[str, dict[str, str]] = {}
    for key, value in settings.settings:
        written, _, module = key.removeprefix(_INCLUDED).partition(" ")
        directory = joined(parent(path), written or value) if key.startswith(_INCLUDED) else None
        if directory is not None:
            found.setdefault(directory, {}).update({module: value} if module else {})
    return found


def _included_build(inclusion: Statement) -> Iterator[tuple[str, str]]:
    """Read `includeBuild("x") { dependencySubstitution { substitute(…).using(…) } }`."""
    closure = inclusion[-1] if inclusion[-1].kind == "{" else None
    rest = list(inclusion[1:-1] if closure else inclusion[1:])
    parts = arguments(rest[0].inner if rest and rest[0].kind == "(" else rest)
    if parts and parts[-1][-1].kind == "{":
        closure = parts.pop()[-1]
    directory = value_of(parts[0]) if parts else UNKNOWN
    yield _INCLUDED, directory
    for statement in within(closure.inner) if closure else ():
        if statement[0].text == "substitute":
            texts = [two.text for two in _strings(list(statement))]
            if len(texts) == 2 and "$" not in "".join(texts):
                yield f"{_INCLUDED}{directory} {texts[0]}", texts[1]


def _mentions_loop(tokens: list[Token]) -> bool:
    """Whether projects are included by a program."""
    return any(
        statement[-1].kind == "{" and mentions(statement[-1].inner, "include")
        for statement in statements(tokens)
    )


def _project_setting(inclusion: Statement) -> Iterator[tuple[str, str]]:
    """Read `project(":a").projectDir = file("x")` and `project(":a").name = "b"`."""
    project, value = value_of(inclusion[1].inner).strip(":"), list(inclusion[4:])
    if inclusion[2].text == ".name":
        yield f"name:{project}", value_of(value)
    elif inclusion[2].text == ".projectDir" and value[-1].kind == "(":
        parts = arguments(value[-1].inner)
        yield f"directory:{project}", value_of(parts[-1]) if parts else UNKNOWN


def _catalogs(tokens: list[Token]) -> Iterator[tuple[str, str]]:
    """Read `versionCatalogs { create("deps") { … } }`, in Groovy `deps { … }`."""
    for inclusion in within(tokens):
        if inclusion[0].text == "versionCatalogs" and inclusion[-1].kind == "{":
            for catalog in statements(inclusion[-1].inner):
                if catalog[-1].kind == "{":
                    called = len(catalog) > 2 and catalog[1].kind == "("
                    name = value_of(catalog[1].inner) if called else catalog[0].text
                    yield from _catalog(name, catalog[-1].inner)


def _catalog(name: str, tokens: list[Token]) -> Iterator[tuple[str, str]]:
    versions: dict[str, str] = {}
    for statement in statements(tokens):
        parts = (
            [value_of(part) for part in arguments(statement[1].inner)] if len(statement) > 1 else []
        )
        if not parts or statement[1].kind != "(":
            continue
        chained = {
            statement[at].text: statement[at + 1].inner for at in range(2, len(statement) - 1)
        }
        if statement[0].text == "from":
            files = [two.inner for two in statement[1].inner if two.kind == "("]
            yield f"catalog:{name}", value_of(files[0]) if files else UNKNOWN
        elif statement[0].text == "version" and len(parts) == 2:
            versions[parts[0]] = parts[1]
            yield f"version:{name}.{accessor(parts[0])}", parts[1]
        elif statement[0].text in {"library", "alias"}:
            named = [
                *parts[1:],
                *(value_of(inner) for key, inner in chained.items() if key == ".to"),
            ]
            version = value_of(chained[".version"]) if ".version" in chained else ""
            version = versions.get(value_of(chained.get(".versionRef", [])), version)
            library = ":".join([*named, *([version] if version else [])])
            yield f"library:{name}.{accessor(parts[0])}", library
        elif statement[0].text == "bundle":
            listed = [two.text for two in _strings(statement[1].inner)][1:]
            yield f"bundle:{name}.{accessor(parts[0])}", " ".join(map(accessor, listed))


def _strings(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        if token.kind == "string":
            yield token
        yield from _strings(token.inner)
