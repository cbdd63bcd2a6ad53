"""What docs/tutorial/on-your-machine.md says to type runs, and prints what is shown there."""

import os
import re
import subprocess
import sys
from pathlib import Path

from scripts.local_service import ROOT, clean_environment, running_service
from tests.e2e.conftest import prepared_data_directory

TUTORIAL = (ROOT / "docs/tutorial/on-your-machine.md").read_text(encoding="utf-8")
SETUP = ("make setup", "export PATH=")


def blocks(language: str) -> str:
    return "".join(re.findall(rf"^```{language}\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL))


def test_the_tutorial(tmp_path: Path) -> None:
    typed = [line for line in blocks("sh").splitlines() if not line.startswith(SETUP)]
    (tmp_path / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    with prepared_data_directory() as directory, running_service(directory):
        environment = clean_environment(
            {
                "HOME": str(tmp_path),
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                "AETERNA_DATA_DIR": str(directory),
            }
        )
        done = subprocess.run(
            ["bash", "-ex", "-c", "\n".join(typed)],
            cwd=ROOT,
            check=False,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    shown = blocks("text").splitlines()
    assert [line for line in shown if line.strip() not in done.stdout] == []
    assert len(shown) == 7
