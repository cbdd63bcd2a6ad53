"""*.gemspec, Gemfile and Gemfile.lock. The first two are programs: only literals are read."""

import re
from collections.abc import Iterator

from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin

_QUOTED = r"[\"']([^\"'#\n]{1,300})[\"']"
_NAME = re.compile(rf"^[ \t]*\w{{1,40}}\.name[ \t]*=[ \t]*{_QUOTED}", re.MULTILINE)
_VERSION = re.compile(rf"^[ \t]*\w{{1,40}}\.version[ \t]*=[ \t]*{_QUOTED}", re.MULTILINE)
_DEPENDENCY = re.compile(
    rf"^[ \t]*\w{{1,40}}\.add_(?:runtime_|development_)?dependency[ \t]*\(?[ \t]*{_QUOTED}"
    r"(?P<rest>[^\n]{0,500})",
    re.MULTILINE,
)
_GEM = re.compile(rf"^[ \t]*gem[ \t]*\(?[ \t]*{_QUOTED}(?P<rest>[^\n]{{0,500}})", re.MULTILINE)
_REQUIRED = re.compile(r"[ \t]*,[ \t]*\[?[ \t]*[\"']([^\"'\n]{1,100})[\"']")
_EXACT = re.compile(r"=?\s*(\d[\w.]*)")
_LOCKED = re.compile(r" {4}(?P<name>[^\s(]+) \((?P<version>[^\s)]+)\)")


def read_gemspec(text: str, _path: str) -> Manifest:
    """Read a gemspec. A version that is a constant is unknown."""
    name, version = _NAME.search(text), _VERSION.search(text)
    return _manifest(
        list(_dependencies(_DEPENDENCY, text)),
        name=name[1] if name else "",
        version=version[1] if version else "",
    )


def read_gemfile(text: str, _path: str) -> Manifest:
    """Read a Gemfile: a root without a name."""
    return _manifest(list(_dependencies(_GEM, text)))


def read_gemfile_lock(text: str, _path: str) -> Manifest:
    """Read gems of all sources; omits the platform at the end of a version."""
    found = (_LOCKED.fullmatch(line) for line in text.splitlines())
    pins = (Pin(one["name"], one["version"].partition("-")[0]) for one in found if one)
    return Manifest(Ecosystem.RUBYGEMS, pins=tuple(pins))


def _manifest(dependencies: list[Dependency], name: str = "", version: str = "") -> Manifest:
    return Manifest(
        Ecosystem.RUBYGEMS,
        name=name,
        version=version,
        dependencies=tuple(dependencies),
        pins=tuple(
            Pin(one.name, found[1])
            for one in dependencies
            if (found := _EXACT.fullmatch(one.required))
        ),
    )


def _dependencies(pattern: re.Pattern[str], text: str) -> Iterator[Dependency]:
    for found in pattern.finditer(text):
        yield Dependency(found[1], ", ".join(_requirements(found["rest"])))


def _requirements(rest: str) -> Iterator[str]:
    """Yield the leading strings of `, ">= 1.0", "< 2", require: false`."""
    offset = 0
    while found := _REQUIRED.match(rest, offset):
        yield found[1]
        offset = found.end()
