"""Standard output, a terminal or a pipe, and standard error for notes."""

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
    """The destination of an answer. A pipe gets no colours, and lines are not wrapped."""

    is_terminal: bool
    width: int = 80
    has_colours: bool = True

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> "Console":
        """Describe standard output, with NO_COLOR and COLUMNS of the environment."""
        return cls(
            is_terminal=sys.stdout.isatty() and environ.get("TERM") != "dumb",
            width=shutil.get_terminal_size().columns,
            has_colours=not environ.get("NO_COLOR"),
        )

    def render(self, *renderables: "RenderableType") -> str:
        """Render rich's renderables for a terminal."""
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
            for renderable in renderables:
                rich.print(renderable)
        return captured.get()

    def as_json(self, answer: Any) -> str:
        """Format the unchanged answer as ASCII, so that it cannot control a terminal."""
        return json.dumps(answer, indent=2 if self.is_terminal else None) + "\n"


def print_stdout(text: str) -> None:
    """Write to standard output; ignore a reader that has closed it (`| head`)."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # such as a full disk
            raise


def print_stderr(*lines: str) -> None:
    """Write notes, which are not part of the answer, to standard error."""
    sys.stderr.writelines(f"{line}\n" for line in lines if line)


def confirm(question: str) -> bool:
    """Ask on standard error; y and yes agree, anything else does not."""
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
