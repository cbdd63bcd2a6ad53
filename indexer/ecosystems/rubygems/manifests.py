"""*.gemspec, Gemfile (gems.rb) and Gemfile.lock (gems.locked).

The first two are programs: only literals are read.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from indexer.ecosystems.parsing import exact_pins
from indexer.records.manifests import Dependency, Ecosystem, Manifest, ManifestProblem, Pin

_QUOTED = r"[\"']([^\"'#\n]{1,300})[\"']"
_PERCENT = re.compile(r"%[qQ]?(?:\(([^()\"'\n]{1,300})\)|\{([^{}\"'\n]{1,300})\})")
_OPEN = r"[ \t]*+(?:\([ \t]*+)?"
_START = r"(?:^|[;{])[ \t]*"
_SET = rf"[ \t]*=[ \t]*+(?:Gem::Version\.new)?{_OPEN}{_QUOTED}"
_NAME = re.compile(rf"{_START}\w{{1,40}}\.name{_SET}", re.MULTILINE)
_VERSION = re.compile(rf"{_START}\w{{1,40}}\.version{_SET}", re.MULTILINE)
# The arguments after the first: a comma at the end of a line continues them.
_REST = r"(?P<rest>(?:[^\n,;]|,(?:\s|#[^\n]{0,500}\n){0,100}){0,500})"
_DEPENDENCY = re.compile(
    rf"{_START}\w{{1,40}}\.add_(?:runtime_|development_)?dependency{_OPEN}{_QUOTED}{_REST}",
    re.MULTILINE,
)
_GEM = re.compile(rf"{_START}gem{_OPEN}{_QUOTED}{_REST}", re.MULTILINE)
_REQUIRED = re.compile(r"[ \t]*,(?:\s|#[^\n]{0,500}\n){0,100}\[?[ \t]*[\"']([^\"'\n]{1,100})[\"']")
# What a Gemfile takes from elsewhere, or computes.
_UNREAD = re.compile(
    rf"{_START}(?:gem[ \t]++[^\"'%\s=(]|gem[ \t]*+\([ \t]*+[^\"'%\s]|eval_gemfile\b"
    rf"|gem{_OPEN}\"[^\"\n]{{0,300}}#\{{)",
    re.MULTILINE,
)
_EXACT = re.compile(r"=?\s*(\d[\w.]*)")
_LOCKED = re.compile(r" {4}(?P<name>[^\s(]+) \((?P<version>[^\s)]+)\)")


def read_gemspec(text: str, _path: str) -> Manifest:
    """Read a gemspec. A version that is a constant is unknown."""
    text = _quoted(text)
    name, version = _NAME.search(text), _VERSION.search(text)
    return _manifest(
        list(_dependencies(_DEPENDENCY, text)),
        name=name[1] if name else "",
        version=version[1] if version else "",
    )


def read_gemfile(text: str, _path: str) -> Manifest:
    """Read a Gemfile: a root without a name. It is partial if another file or code says more."""
    text = _quoted(text)
    found = _manifest(list(_dependencies(_GEM, text)))
    return replace(found, problem=ManifestProblem.PARTIAL) if _UNREAD.search(text) else found


def read_gemfile_lock(text: str, _path: str) -> Manifest:
    """Read gems of all sources; omits the platform at the end of a version."""
    found = (_LOCKED.fullmatch(line) for line in text.splitlines())
    pins = (Pin(match["name"], match["version"].partition("-")[0]) for match in found if match)
    return Manifest(Ecosystem.RUBYGEMS, pins=tuple(pins))


def _quoted(text: str) -> str:
    """Return the text with `"a"` for `%q(a)`."""
    return _PERCENT.sub(lambda found: f'"{found[1] or found[2]}"', text)


def _manifest(dependencies: list[Dependency], name: str = "", version: str = "") -> Manifest:
    return Manifest(
        Ecosystem.RUBYGEMS,
        name=name,
        version=version,
        dependencies=tuple(dependencies),
        pins=exact_pins(dependencies, _EXACT),
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
