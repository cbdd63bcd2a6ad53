"""Checks of a benchmark's command line, made before anything is started."""

import argparse
import shutil
from collections.abc import Iterable


def positive(text: str) -> int:
    """Parse a whole number of at least 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return number


def require_programs(parser: argparse.ArgumentParser, programs: Iterable[str]) -> None:
    """End with exit code 2 and a message that names the programs which are not installed."""
    if missing := [program for program in programs if not shutil.which(program)]:
        parser.error(f"not installed: {', '.join(missing)}. Install it, then start again")
