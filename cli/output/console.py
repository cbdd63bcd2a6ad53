"""Standard output as it is: a terminal of some width, or a pipe; and standard error for notes."""

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, slots=True)
class Console:
    """Where the answer goes. A pipe gets neither colours nor lines that are cut to a width."""

    is_terminal: bool
    width: int = 80
    has_colours: bool = True

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> "Console":
        """Standard output of this process; NO_COLOR and COLUMNS are obeyed."""
        return cls(
            is_terminal=sys.stdout.isatty() and environ.get("TERM") != "dumb",
            width=shutil.get_terminal_size().columns,
            has_colours=not environ.get("NO_COLOR"),
        )

    def render(self, *renderables: "RenderableType") -> str:
        """Rich's renderables as what a terminal is sent."""
        from rich.console import Console as Rich

        rich = Rich(
            force_terminal=True,
            width=self.width,
            no_color=not self.has_colours,
            markup=False,
            emoji=False,
            highlight=False,
        )
        with rich.capture() as captured:
            for one in renderables:
                rich.print(one)
        return captured.get()

    def as_json(self, answer: Any) -> str:
        """The answer as it came, in ASCII: no character of it commands a terminal."""
        return json.dumps(answer, indent=2 if self.is_terminal else None) + "\n"


def print_stdout(text: str) -> None:
    """Write to standard output; who has gone away (`| head`) has read enough."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # such as a disk that is full
            raise


def print_stderr(*lines: str) -> None:
    """Write lines about the answer, which are no part of it, to standard error."""
    sys.stderr.writelines(f"{line}\n" for line in lines if line)
