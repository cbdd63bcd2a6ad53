"""The truth for TypeScript and JavaScript: the compiler's own answers, see truth_typescript.mjs."""

import json
from dataclasses import asdict
from pathlib import Path

from benchmarks.callers.repositories import Family
from benchmarks.callers.tools import node_packages, run
from benchmarks.callers.truth import Truth, read

PROGRAM = Path(__file__).with_suffix(".mjs")
MEMORY_MB = 8000


def find(family: Family, workspace: Path, cache: Path) -> Truth:
    """Every definition and site below `workspace`, each site with what the compiler says."""
    modules = node_packages((*family.tools, *family.libraries), cache) / "node_modules"
    beside = workspace / "node_modules"  # found from every repository, as an installation would be
    beside.unlink(missing_ok=True)
    beside.symlink_to(modules, target_is_directory=True)
    request, answer = workspace / "request.json", workspace / "answer.json"
    request.write_text(
        json.dumps(
            {
                "workspace": str(workspace.resolve()),
                "modules": str(modules),
                "repositories": [asdict(repository) for repository in family.repositories],
            }
        ),
        encoding="utf-8",
    )
    memory = f"--max-old-space-size={MEMORY_MB}"
    run(["node", memory, str(PROGRAM), str(request), str(answer)])
    return read({"tool": " ".join(family.tools), **json.loads(answer.read_text(encoding="utf-8"))})
