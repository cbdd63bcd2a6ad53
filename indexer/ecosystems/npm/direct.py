"""Direct dependencies in lock files."""

from collections.abc import Iterable, Iterator

from indexer.ecosystems.npm.specifiers import Requested
from indexer.records.manifests import PinUse


def uses_of(user: str, found: Iterable[tuple[Requested, str]]) -> Iterator[PinUse]:
    """Yield what a package uses; by its range where it has one package under several names."""
    versions: dict[str, dict[tuple[str, str], None]] = {}
    for wanted, version in found:
        versions.setdefault(wanted.name, {})[wanted.required, version] = None
    for name, several in versions.items():
        for required, version in several:
            is_only = len({version for _, version in several}) == 1
            yield PinUse(user, name, "" if is_only else required or "*", version)
