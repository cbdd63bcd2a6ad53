"""Programs in Java that ask a library about pairs of texts."""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path


def ask(classpath: str, program: str, question: str, pairs: Sequence[tuple[str, str]]) -> list[int]:
    """Return a number for each pair; `program` is a class that is given the question."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "Say.java")
        source.write_text(program, "utf-8")
        found = subprocess.run(
            ["java", "-cp", classpath, source, question],
            input="".join(f"{one}\t{other}\n" for one, other in pairs),
            capture_output=True,
            text=True,
            check=True,
        )
    return [int(line) for line in found.stdout.split()]
