"""Semble on the same files with the same model, in an environment of its own.

Its answers are kept, so that each question is asked once.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from benchmarks.retrieval.index import Place
from indexer.embedding import builtin
from scripts.local_git import git

REQUIREMENTS = Path(__file__).with_name("semble.txt")
_PROGRAM = Path(__file__).with_name("ask_semble.py")
MODEL = Path(builtin.__file__).parent / "model"


def install(directory: Path) -> Path:
    """Install semble.txt unless that is done; return the interpreter of the environment."""
    python = directory / "bin" / "python"
    stamp = directory / "semble.txt"
    wanted = REQUIREMENTS.read_text(encoding="ascii")
    if not stamp.exists() or stamp.read_text(encoding="ascii") != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(directory)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--requirement", str(REQUIREMENTS)], check=True)
        stamp.write_text(wanted, encoding="ascii")
    return python


def ask(
    workspace: Path, groups: Sequence[Sequence[Path]], texts: Sequence[Sequence[str]]
) -> list[list[list[Place]]]:
    """Return the hits of each text of each group of directories, which are searched together.

    What was asked before of the same files is read from `workspace`, and only the rest is asked.
    """
    files = [answers_file(workspace, group) for group in groups]
    known = [json.loads(file.read_text("utf-8")) if file.exists() else {} for file in files]
    missing = [
        list(dict.fromkeys(text for text in own if text not in answered))
        for own, answered in zip(texts, known, strict=True)
    ]
    python = install(workspace / "semble") if any(missing) else None
    for file, answered, group, own in zip(files, known, groups, missing, strict=True):
        if own and python:
            answered.update(_answers(python, group, own, workspace / "semble-home"))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(answered), "utf-8")
    return [
        [[Place(*hit) for hit in answered[text]] for text in own]
        for own, answered in zip(texts, known, strict=True)
    ]


def answers_file(workspace: Path, group: Sequence[Path]) -> Path:
    """Return the file of the answers about a group, for today's program, model and files."""
    parts = [file.read_bytes() for file in (REQUIREMENTS, _PROGRAM, *sorted(MODEL.iterdir()))]
    parts += [f"{one.name} {git(one, 'rev-parse', 'HEAD^{tree}')}".encode() for one in group]
    digest = sha256(b"\0".join(parts)).hexdigest()[:16]
    return workspace / "answers" / f"{digest}.json"


def _answers(
    python: Path, group: Sequence[Path], texts: Sequence[str], home: Path
) -> dict[str, list[list[object]]]:
    question = {
        "model": str(MODEL),
        "groups": [{"directories": [str(one) for one in group], "texts": list(texts)}],
    }
    home.mkdir(parents=True, exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
    done = subprocess.run(
        [str(python), str(_PROGRAM)],
        input=json.dumps(question),
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return dict(zip(texts, json.loads(done.stdout)[0], strict=True))
