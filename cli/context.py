"""What every command is told: the environment as it was at the start, and where it was called."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli.api import Asks


@dataclass(frozen=True, slots=True)
class Invocation:
    """Typer's context object."""

    environ: Mapping[str, str] = field(repr=False)
    directory: Path

    @contextmanager
    def asks(self) -> Iterator["Asks"]:
        """Who answers here, for as long as it is asked. Raises IndexerError."""
        # Imported here: --help and a wrong argument answer at once.
        from cli.api import Api
        from cli.place import open_place
        from cli.shadow.asking import shadowed

        with open_place(self.environ, self.directory) as place:
            yield shadowed(Api(place.transport(), place.organization), place)
