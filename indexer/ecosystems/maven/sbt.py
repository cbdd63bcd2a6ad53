"""build.sbt and project/Dependencies.scala: programs, of which what is written out is read.

Settings are `organization`, `name`, `moduleName`, `version`, `dependency` (g:a:v), and of values
`property:NAME` and `library:NAME`. Those of a project begin with `project:ID:`, where `directory`
and `project` (the id of one that it requires) may be too; those of `ThisBuild` with `all:`.
Artifacts are named without the version of Scala, as `%%` names them.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from indexer.ecosystems.maven.scripts import (
    UNKNOWN,
    Statement,
    Token,
    arguments,
    parse_script,
    statements,
    value_of,
)
from indexer.records.manifests import Ecosystem, Manifest, ManifestProblem

_KEYS: Final = {"organization", "name", "moduleName", "version"}
_INTERPOLATING: Final = {"s", "f", "raw"}
_SETS: Final = {":=", "+=", "++="}
_JOINS: Final = {"%", "%%", "%%%"}
_VALUES: Final = {"val", "def"}
_MAX_DEPTH: Final = 8
_MAX_NAMED: Final = 5_000  # uses of values that are followed
_Pair = tuple[str, str]


def read_build_sbt(text: str, _path: str) -> Manifest:
    """Read build.sbt, version.sbt and others. Raises ValueError."""
    build = _Build(list(statements(parse_script(text, dotted=False))))
    settings = tuple(build.settings())
    return Manifest(
        Ecosystem.MAVEN,
        settings=settings,
        problem=ManifestProblem.PARTIAL if build.is_partial else None,
    )


def read_dependencies_scala(text: str, _path: str) -> Manifest:
    """Read the values of project/Dependencies.scala. Raises ValueError."""
    build = _Build(list(statements(parse_script(text, dotted=False))))
    return Manifest(Ecosystem.MAVEN, settings=tuple(build.values()))


class _Build:
    """The statements of a build, with the values that they define."""

    def __init__(self, listed: Sequence[Statement]) -> None:
        self._statements = listed
        self._values = dict(_values(listed))
        self.is_partial = False
        self._named = 0

    def values(self) -> Iterator[_Pair]:
        for name, value in self._values.items():
            modules = list(self._modules(value))
            for module in modules:
                yield f"library:{name}", module
            if not modules and len(value) == 1 and value[0].kind == "string":
                yield f"property:{name}", value[0].text

    def settings(self) -> Iterator[_Pair]:
        yield from self.values()
        for statement in self._statements:
            if any(two.text in _SETS for two in statement):
                yield from self._setting(statement, "")
            elif statement[0].text in {"inThisBuild", "ThisBuild"}:
                yield from self._all(statement[1:], "all:")
        for name, value in self._values.items():
            if _is_project(value):
                yield from self._project(name, value)

    def _project(self, name: str, value: Sequence[Token]) -> Iterator[_Pair]:
        scope = f"project:{name}:"
        yield scope + "directory", _directory(value) or name
        called = ""
        for token in _flat(value):
            if token.kind == "word":
                called = token.text.rpartition(".")[2]
            elif token.kind == "(" and called == "dependsOn":
                for part in arguments(token.inner):
                    yield scope + "project", part[0].text
            elif token.kind == "(" and called in {"settings", "inThisBuild"}:
                yield from self._all([token], scope)

    def _all(self, tokens: Sequence[Token], scope: str, depth: int = 0) -> Iterator[_Pair]:
        """Yield the settings of an argument list, of lists in it and of values that it names."""
        for group in tokens:
            for part in arguments(group.inner) if group.kind in {"(", "{"} else ():
                if any(two.text in _SETS for two in part):
                    yield from self._setting(part, scope)
                elif depth < _MAX_DEPTH:
                    known = self._value(part[0])
                    yield from self._all([*known, *part], scope, depth + 1)

    def _setting(self, definition: Statement, scope: str) -> Iterator[_Pair]:
        at = next(index for index, two in enumerate(definition) if two.text in _SETS)
        left, right = [two.text for two in definition[:at]], definition[at + 1 :]
        if "ThisBuild" in left and not scope:
            scope = "all:"
        key = next((text for text in left if text in _KEYS | {"libraryDependencies"}), "")
        if key == "libraryDependencies":
            found = list(self._modules(right))
            self.is_partial = self.is_partial or not found
            yield from ((scope + "dependency", module) for module in found)
            yield from ((scope + "accessor", word) for word in self._unknown(right))
        elif key:
            value = value_of(right)
            self.is_partial = self.is_partial or UNKNOWN in value
            yield scope + key, value

    def _unknown(self, tokens: Sequence[Token]) -> Iterator[str]:
        """Yield names that may be values of project/Dependencies.scala."""
        for token in tokens:
            if token.kind == "word" and _short(token.text) not in self._values:
                yield _qualified(token.text)
            yield from self._unknown(token.inner)

    def _modules(self, tokens: Sequence[Token], depth: int = 0) -> Iterator[str]:
        """Yield g:a:v of each `"g" %% "a" % "v"`, also in the values that are named."""
        for index, token in enumerate(tokens):
            texts = [two.text for two in tokens[index + 1 : index + 5]]
            is_first = index == 0 or tokens[index - 1].text not in _JOINS
            if is_first and len(texts) > 1 and texts[0] in _JOINS:
                group, artifact = value_of([token]), value_of([tokens[index + 2]])
                has_version = len(texts) == 4 and texts[2] == "%"
                version = self._version(tokens[index + 4 : index + 6]) if has_version else ""
                yield f"{group}:{artifact}:{version}".rstrip(":")
            elif token.kind == "word" and depth < _MAX_DEPTH:
                yield from self._modules(self._value(token), depth + 1)
            if token.inner and depth < _MAX_DEPTH:
                yield from self._modules(token.inner, depth + 1)

    def _value(self, word: Token) -> Sequence[Token]:
        """Return the tokens of the value that a word names, within a bound of the file."""
        names = word.text, _qualified(word.text)
        found = next((self._values[name] for name in names if name in self._values), ())
        self._named += bool(found)
        self.is_partial = self.is_partial or self._named > _MAX_NAMED
        return found if self._named <= _MAX_NAMED else ()

    def _version(self, tokens: Sequence[Token]) -> str:
        """Return a string, s"…" too, or `${name}` of the value that is named."""
        first = tokens[0]
        if first.text in _INTERPOLATING and len(tokens) > 1 and tokens[1].kind == "string":
            return tokens[1].text
        if first.kind == "word":
            name = _qualified(first.text)
            own = name not in self._values and _short(name) in self._values
            return f"${{{_short(name) if own else name}}}"
        return value_of(first.inner if first.kind == "(" else [first])


def _values(given: Iterable[Statement], owner: str = "") -> Iterator[tuple[str, Sequence[Token]]]:
    """Yield names and values; those in an object under its name too, those outside last."""
    listed = list(given)
    for definition in listed:
        texts = [two.text for two in definition]
        if "object" in texts[:2] and definition[-1].kind == "{" and len(texts) > 2:
            called = texts[texts.index("object") + 1]
            yield from _values(statements(definition[-1].inner), called)
    for statement in listed:
        for name, value in _defined(statement):
            yield name, value
            if owner:
                yield f"{owner}.{name}", value


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _qualified(name: str) -> str:
    """Return the name with its object's, if it has any."""
    return ".".join(name.split(".")[-2:])


def _defined(definition: Statement) -> Iterator[tuple[str, Sequence[Token]]]:
    """Yield name and value of `lazy val x = …`, `def x = …`."""
    texts = [two.text for two in definition]
    at = next((index for index, text in enumerate(texts) if text in _VALUES), -1)
    if at >= 0 and at <= 2 and "=" in texts[at + 1 :] and len(texts) > at + 1:
        yield texts[at + 1], definition[texts.index("=", at) + 1 :]


def _flat(value: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens; `(project in file("a"))` as what is inside."""
    for token in value[:1]:
        yield from token.inner if token.kind == "(" else [token]
    yield from value[1:]


def _is_project(value: Sequence[Token]) -> bool:
    first: Iterable[Token] = _flat(value)
    return any(
        token.kind == "word" and token.text.split(".")[0] in {"project", "crossProject", "Project"}
        for token in list(first)[:1]
    )


def _directory(value: Sequence[Token]) -> str:
    """Return the text of the first `file("…")`."""
    tokens = list(_flat(value))
    for index, token in enumerate(tokens[:-1]):
        if token.text == "file" and tokens[index + 1].kind == "(":
            return value_of(tokens[index + 1].inner)
        if token.text.endswith("in") and tokens[index + 1].kind == "(":
            return _directory([Token("word", ""), *tokens[index + 1].inner])
    return ""
