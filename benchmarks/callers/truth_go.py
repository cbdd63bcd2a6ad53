"""The truth for Go: what go/types answers, see the program in truth_go/."""

import json
import os
from collections import Counter
from pathlib import Path

from benchmarks.callers.repositories import Family
from benchmarks.callers.tools import run
from benchmarks.callers.truth import Truth, read

PROGRAM = Path(__file__).with_suffix("")
NO_MODULES = frozenset({"assets", "testdata", "tools", "tutorials", "vendor"})


def _module(file: Path) -> str:
    return file.read_text(encoding="utf-8").partition("module ")[2].partition("\n")[0].strip()


def find(family: Family, workspace: Path, cache: Path) -> Truth:
    """Every definition and site below `workspace`, each site with what go/types says it means.

    The modules are joined to one Go workspace, so that each sees the others' sources; what else
    they need comes from the module proxy.
    """
    program = cache / "truth_go"
    run(["go", "build", "-C", str(PROGRAM), "-o", str(program), "."])
    files = [
        file
        for repository in family.repositories
        for file in sorted((workspace / repository.name).rglob("go.mod"))
        if not NO_MODULES & {*file.parts}
    ]
    named = Counter(map(_module, files))  # of several with one name a workspace takes none
    modules = [
        file.parent.relative_to(workspace).as_posix() for file in files if named[_module(file)] == 1
    ]
    joined = workspace / "go.work"
    joined.unlink(missing_ok=True)
    environment = {**os.environ, "GOWORK": str(joined), "GOFLAGS": "-mod=readonly -buildvcs=false"}
    run(["go", "-C", str(workspace), "work", "init", *modules], environment)
    request, answer = workspace / "request.json", workspace / "answer.json"
    asked = {"workspace": str(workspace.resolve()), "modules": modules}
    request.write_text(json.dumps(asked), encoding="utf-8")
    run([str(program), str(request), str(answer)], environment)
    version = run(["go", "env", "GOVERSION"]).strip()
    content = json.loads(answer.read_text(encoding="utf-8"))
    return read({"tool": f"go/types of {version}", **content})
