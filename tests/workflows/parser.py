"""GitHub's own parser of workflows and actions."""

import json
import subprocess
from collections.abc import Mapping

from tests.action.github import npm_directory
from tests.workflows.files import PROJECT, REUSABLE, VERSION, short_name, workflow_text

CALLED = {
    f"{PROJECT}/.github/{short_name(path)}@v{VERSION}": workflow_text(path) for path in REUSABLE
}


def parse_errors(files: Mapping[str, str]) -> dict[str, list[str]]:
    """What GitHub finds wrong in each file, {path: text}; actions are named `action.yml`."""
    done = subprocess.run(
        ["node", "parse.mjs"],
        cwd=npm_directory(),
        input=json.dumps({"files": files, "called": CALLED}),
        capture_output=True,
        text=True,
        check=True,
    )
    errors: dict[str, list[str]] = json.loads(done.stdout)
    return errors
