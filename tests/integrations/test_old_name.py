"""`integrations` is the old name of `aeterna_code_search.integrations`, for one release."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
from integrations.langchain import CodebaseSearchTool
from aeterna_code_search.integrations import langchain
assert CodebaseSearchTool is langchain.CodebaseSearchTool
import integrations.chunkhound.errors as old
import aeterna_code_search.integrations.chunkhound.errors as new
assert old is new
"""


def test_the_old_name_is_the_same_package_and_says_what_to_import() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    warned = "FutureWarning: Import aeterna_code_search.integrations."
    assert done.stderr.count(warned) == 1
    assert done.stderr.startswith("<string>:2: ")
