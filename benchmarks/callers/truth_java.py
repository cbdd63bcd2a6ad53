"""The truth for Java: javac's own answers, see the program in truth_java/."""

import json
import os
from pathlib import Path

from benchmarks.callers.repositories import Family
from benchmarks.callers.tools import java_packages, run
from benchmarks.callers.truth import Truth, read

PROGRAM = Path(__file__).with_suffix("") / "Truth.java"


def find(family: Family, workspace: Path, cache: Path) -> Truth:
    """Every definition and site below `workspace`, each site with what javac says it means."""
    libraries = sorted(java_packages(family.libraries, cache).glob("*.jar"))
    path = os.pathsep.join(map(str, libraries))
    answer = workspace / "answer.json"
    names = [repository.name for repository in family.repositories]
    run(["java", str(PROGRAM), str(workspace), path, str(answer), *names])
    version = run(["javac", "--version"]).strip()
    return read({"tool": version, **json.loads(answer.read_text(encoding="utf-8"))})
