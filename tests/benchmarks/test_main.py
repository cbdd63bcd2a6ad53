"""`python -m benchmarks`, in a process that has no Django settings."""

import os
import subprocess
import sys

from scripts.local_service import ROOT


def test_the_benchmarks_start_without_settings() -> None:
    environment = {name: value for name, value in os.environ.items() if "DJANGO" not in name}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--help"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "searching" in done.stdout
