"""What every command is told: the environment as it was at the start, and where it was called."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Invocation:
    """Typer's context object."""

    environ: Mapping[str, str] = field(repr=False)
    directory: Path
