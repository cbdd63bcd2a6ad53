"""The truth for C++: libclang's own answers, see the program in truth_cpp/."""

import json
from pathlib import Path

from benchmarks.callers.repositories import Family
from benchmarks.callers.tools import python_packages, run
from benchmarks.callers.truth import Truth, read

PROGRAM = Path(__file__).with_suffix("") / "list_uses.py"


def find(family: Family, workspace: Path, cache: Path) -> Truth:
    """Every function below `workspace` and each use, with what clang says it means."""
    python = python_packages(family.tools, cache) / "bin" / "python"
    names = [repository.name for repository in family.repositories]
    answer = run([str(python), str(PROGRAM), str(workspace), *names])
    return read({"tool": family.tools[0], **json.loads(answer)})
