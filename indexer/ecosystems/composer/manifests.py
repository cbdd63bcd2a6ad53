"""composer.json and composer.lock. Names are in lower case."""

import re
from collections.abc import Iterator

from indexer.ecosystems.parsing import Table, array, exact_pins, read_json, string, table
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin

_EXACT = re.compile(r"[=v]*(\d+(?:\.\d+)*(?:-[\w.]+)?)")


def read_composer_json(text: str, _path: str) -> Manifest:
    """Read composer.json without PHP and its extensions. Raises ValueError, RecursionError."""
    document = read_json(text)
    dependencies = tuple(_dependencies(document))
    return Manifest(
        Ecosystem.COMPOSER,
        name=string(document.get("name")).lower(),
        version=string(document.get("version")),
        dependencies=dependencies,
        pins=exact_pins(dependencies, _EXACT),
    )


def read_composer_lock(text: str, _path: str) -> Manifest:
    """Read composer.lock. Raises ValueError and RecursionError."""
    document = read_json(text)
    locked = [*array(document.get("packages")), *array(document.get("packages-dev"))]
    return Manifest(
        Ecosystem.COMPOSER,
        pins=tuple(
            Pin(
                string(table(entry).get("name")).lower(),
                string(table(entry).get("version")).removeprefix("v"),
            )
            for entry in locked
        ),
    )


def _dependencies(document: Table) -> Iterator[Dependency]:
    for section in ("require", "require-dev"):
        for name, wanted in table(document, section).items():
            if "/" in name:
                required = string(wanted)
                yield Dependency(name.lower(), "" if required == "*" else required)
