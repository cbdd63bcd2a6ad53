"""Files of requirements that read others (`-r`, `-c`)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from indexer.ecosystems.base import Located
from indexer.ecosystems.bounds import Effort
from indexer.ecosystems.paths import joined, parent
from indexer.records.manifests import MANIFEST_STEPS, Dependency, Manifest, Pin

_READ_STEPS: Final = 3
_MAX_FILES: Final = 50  # that one file reads, also through others


def with_chains(located: Sequence[Located]) -> Iterable[Located]:
    """Yield the manifests with the requirements and pins of the files that they read."""
    by_path = dict(located)
    effort = Effort(MANIFEST_STEPS)
    for path, manifest in located:
        read = list(_read(path, by_path))
        if not read:
            yield path, manifest
            continue
        dependencies: list[Dependency] = [*manifest.dependencies]
        pins: list[Pin] = [*manifest.pins]
        for other, is_required in read:
            if not effort.spend(_READ_STEPS * (len(other.dependencies) + len(other.pins))):
                break
            dependencies += other.dependencies if is_required else ()
            pins += other.pins
        yield path, replace(manifest, dependencies=tuple(dependencies), pins=tuple(pins))


def _read(path: str, by_path: Mapping[str, Manifest]) -> Iterator[tuple[Manifest, bool]]:
    """Yield the files that a file reads, and whether they are required, not constraints alone."""
    waiting = [(path, True)]
    seen = {path}
    while waiting and len(seen) <= _MAX_FILES:
        current, is_required = waiting.pop()
        for key, value in by_path[current].settings:
            other = joined(parent(current), value)
            is_read = key in {"requirements", "constraints"}
            if not is_read or other is None or other in seen or other not in by_path:
                continue
            seen.add(other)
            follows = is_required and key == "requirements"
            yield by_path[other], follows
            waiting.append((other, follows))
