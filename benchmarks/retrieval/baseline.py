"""Semble on the same files with the same model, in an environment of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.retrieval.index import Place
from indexer.embedding import builtin

REQUIREMENTS = Path(__file__).with_name("semble.txt")
_PROGRAM = Path(__file__).with_name("ask_semble.py")
_MODEL = Path(builtin.__file__).parent / "model"


def install(directory: Path) -> Path:
    """An environment with semble.txt in it, kept while that is the same; its interpreter."""
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
    python: Path, groups: Sequence[Sequence[Path]], texts: Sequence[Sequence[str]], home: Path
) -> list[list[list[Place]]]:
    """For each group of directories, searched together, the hits of each of its texts."""
    question = {
        "model": str(_MODEL),
        "groups": [
            {"directories": [str(one) for one in group], "texts": list(own)}
            for group, own in zip(groups, texts, strict=True)
        ],
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
    answers = json.loads(done.stdout)
    return [[[Place(*hit) for hit in hits] for hits in group] for group in answers]
