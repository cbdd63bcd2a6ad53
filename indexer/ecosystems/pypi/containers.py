"""PYTHONPATH in containers: what their files call a directory, and where it comes from."""

import json
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Final

from indexer.ecosystems.parsing import strings
from indexer.ecosystems.paths import parent
from indexer.ecosystems.pypi.search_paths import path_manifest, relative_path
from indexer.records.manifests import Manifest

_INSTRUCTION = re.compile(r"[ \t]*([A-Za-z]+)[ \t]+(.{1,10000})")
_OPTIONS = re.compile(r"^(?:--(?!from)\S+[ \t]+)+")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_VALUE = re.compile(r"\bPYTHONPATH[\"']?[ \t]*[=:][ \t]*[\"']?([^\s\"'#]{1,1000})")
_VOLUME = re.compile(r"-[ \t]*[\"']?(\.[\w./-]{0,1000}):(/[\w./-]{1,1000})")
_WORKING = re.compile(r"\bworking_dir:[ \t]*[\"']?(/[\w./-]{1,1000})")
_MAX: Final = 100  # pairs of directories, and entries of PYTHONPATH
_Copied = list[tuple[str, str]]  # directory of the container, directory of the build


def read_dockerfile(text: str, path: str) -> Manifest | None:
    """Read a Dockerfile; None if it adds no directory of the repository.

    It is built from its own directory or from the repository's root, which it does not say.
    """
    stage = _Stage()
    entries: list[str] = []
    for line in text.replace("\\\r\n", " ").replace("\\\n", " ").splitlines():
        if found := _INSTRUCTION.match(line):
            entries += stage.read(found[1].upper(), found[2].strip())
    roots = [parent(path), ""]
    return _manifest(path, roots, entries[:_MAX], stage.copied[:_MAX])


class _Stage:
    """The state of a build after the instructions that were read."""

    def __init__(self) -> None:
        self.copied: _Copied = []
        self._directory = "/"
        self._variables: dict[str, str] = {}

    def read(self, name: str, rest: str) -> Iterator[str]:
        """Read an instruction, and yield the entries of a PYTHONPATH in it."""
        if name in {"ENV", "ARG"}:
            self._variables |= {key: self._replaced(value) for key, value in _assigned(rest)}
        elif name == "WORKDIR":
            self._directory = self._in_container(self._replaced(rest).strip("\"'"))
        elif name in {"COPY", "ADD"}:
            self._copy(self._words(rest))
        if name == "ENV" and "PYTHONPATH" in rest:
            value = self._variables.get("PYTHONPATH", "")
        else:
            found = _VALUE.search(rest)
            value = self._replaced(found[1]) if found else ""
        yield from (self._in_container(path) for path in value.split(":") if path)

    def _replaced(self, text: str) -> str:
        return _VARIABLE.sub(
            lambda reference: self._variables.get(reference[1] or reference[2], ""), text
        )[:1000]

    def _in_container(self, directory: str) -> str:
        return posixpath.normpath(posixpath.join(self._directory, directory))

    def _words(self, rest: str) -> list[str]:
        rest = _OPTIONS.sub("", rest)
        try:
            words = strings(json.loads(rest)) if rest.startswith("[") else rest.split()
        except ValueError:
            words = rest.split()
        return [self._replaced(word) for word in words]

    def _copy(self, words: list[str]) -> None:
        """A directory's content is copied, and a file under its own name."""
        if len(words) < 2 or words[0].startswith("--"):
            return
        *sources, to = words
        for source in sources:
            inside = posixpath.normpath(source.strip("/") or ".")
            if re.search(r"[*?\[]|\.\w+$", posixpath.basename(inside)):
                inside = posixpath.dirname(inside) or "."
            self.copied.append((self._in_container(to), inside))


def _assigned(rest: str) -> Iterator[tuple[str, str]]:
    """Read `A=1 B="2"` and `A 1`."""
    key, space, value = rest.partition(" ")
    if "=" not in key and space:
        yield key, value.strip().strip("\"'")
        return
    try:
        words = shlex.split(rest)
    except ValueError:
        words = rest.split()
    for word in words:
        key, _, value = word.partition("=")
        yield key, value


def read_compose(text: str, path: str) -> Manifest | None:
    """Read the services of Compose: directories are mounted from beside the file."""
    copied = [(posixpath.normpath(to), from_) for from_, to in _VOLUME.findall(text)]
    working = [*_WORKING.findall(text), ""]
    entries = [
        posixpath.normpath(posixpath.join(directory, path))
        for value in _VALUE.findall(text)
        for path in value.split(":")
        for directory in working
        if "$" not in path
    ]
    return _manifest(path, [parent(path)], entries[:_MAX], copied[:_MAX])


def _manifest(
    path: str, roots: Iterable[str], entries: Iterable[str], copied: _Copied
) -> Manifest | None:
    found = [
        relative_path(path, directory)
        for entry in entries
        for inside in _sources(entry, copied)
        for root in roots
        for directory in [posixpath.normpath(posixpath.join(root, inside))]
        if not directory.startswith("..")
    ]
    return path_manifest(found) if found else None


def _sources(entry: str, copied: _Copied) -> Iterator[str]:
    """Yield the directories of the build that an entry is; a relative one is of the file's."""
    if not entry.startswith("/"):
        yield entry
        return
    for to, source in copied:
        if f"{entry}/".startswith(f"{to.rstrip('/')}/"):
            yield posixpath.join(source, entry[len(to) :].strip("/"))
        elif to.startswith(f"{entry.rstrip('/')}/"):
            inside = to[len(entry) :].strip("/")
            if f"/{source}".endswith(f"/{inside}"):
                yield source[: -len(inside)].strip("/") or "."
