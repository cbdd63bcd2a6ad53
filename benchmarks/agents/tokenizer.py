"""Counts of o200k_base, by a package in an environment of its own: it is of the benchmark only."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("o200k.txt")
_PROGRAM = Path(__file__).with_name("count_o200k.py")


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """The encoding, by the interpreter that has it."""

    python: Path

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text."""
        done = subprocess.run(
            [self.python, _PROGRAM],
            input=json.dumps(texts),
            capture_output=True,
            text=True,
            check=True,
        )
        counts: list[int] = json.loads(done.stdout)
        return counts


def installed_tokenizer(workspace: Path) -> Tokenizer:
    """Install o200k.txt in `workspace` unless it is there."""
    python = workspace / "o200k" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(workspace / "o200k")], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--requirement", str(REQUIREMENTS)], check=True)
    return Tokenizer(python)
