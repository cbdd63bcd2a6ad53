"""The shells' completion of project names."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.local_service import clean_environment, free_address

# As a shell starts it, but a busy machine may take its time.
PROGRAM = (
    "import sys; from aeterna_code_search.cli.commands import completion\n"
    "from aeterna_code_search.cli.main import main_codesearch\n"
    "completion.WAIT_SECONDS = 60.0; sys.argv = ['codesearch']; main_codesearch()"
)


def completed(typed: str, directory: Path, environ: dict[str, str]) -> list[str]:
    asked = {
        "_CODESEARCH_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split(" ")) - 1),
        **environ,
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=directory,
        env=clean_environment(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("codesearch search x -p ", ["auth-service", "common-utils"]),
        ("codesearch search x --project aut", ["auth-service"]),
        ("codesearch search x --exclude-project com", ["common-utils"]),
        ("codesearch trace callers x -p c", ["common-utils"]),
        ("codesearch trace callers x --caller-project a", ["auth-service"]),
        ("codesearch ls a", ["auth-service"]),
        ("codesearch status -p zzz", []),
    ],
)
def test_names_are_those_of_the_service(
    typed: str, names: list[str], acme_environ: dict[str, str], tmp_path: Path
) -> None:
    assert completed(typed, tmp_path, acme_environ) == names


def test_without_a_running_service_they_are_those_indexed_here(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "projects.json").write_text(json.dumps({"shop": "/src/shop", "mail": "/src/mail"}))
    environ = {"AETERNA_DATA_DIR": str(data)}
    assert completed("codesearch search x -p ", tmp_path, environ) == ["mail", "shop"]
    assert not (data / "server.log").exists()  # none was started


@pytest.mark.parametrize("token", ["aet_wrong", ""])
def test_a_service_that_does_not_answer_offers_nothing(token: str, tmp_path: Path) -> None:
    environ = {"AETERNA_URL": f"http://{free_address()}", "AETERNA_ORGANIZATION": "acme"}
    if token:
        environ["AETERNA_TOKEN"] = token
    assert completed("codesearch search x -p ", tmp_path, environ) == []
