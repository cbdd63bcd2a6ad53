"""GitHub's own programs for actions and workflows, from npm by hash, and its evaluator."""

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from tests.npm import installed_packages

HERE = Path(__file__).parent


def npm_directory() -> Path:
    """The directory with the packages and the `.mjs` files of this one.

    Node looks for packages beside the program.
    """
    directory = installed_packages(HERE)
    for program in HERE.glob("*.mjs"):
        shutil.copy(program, directory)
    return directory


class EvaluationError(Exception):
    """GitHub would refuse the expression; the message is its own."""


class Evaluator:
    """`${{ }}` and `if:` as GitHub evaluates them, by one node process for many questions."""

    def __init__(self) -> None:
        self._node = subprocess.Popen(
            ["node", "evaluate.mjs"],
            cwd=npm_directory(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._node.communicate(timeout=30)  # the end of its input ends it

    def fill(
        self, templates: Sequence[str], contexts: Mapping[str, Any], *, status: str = "success"
    ) -> list[str]:
        """Texts with every `${{ … }}` replaced. Raises EvaluationError."""
        answers: list[str] = self._ask("templates", templates, contexts, status)
        return answers

    def holds(
        self, condition: str, contexts: Mapping[str, Any], *, status: str = "success"
    ) -> bool:
        """Whether what stands after `if:` is true. Raises EvaluationError."""
        return bool(self._ask("conditions", [condition], contexts, status)[0])

    def _ask(
        self, kind: str, texts: Sequence[str], contexts: Mapping[str, Any], status: str
    ) -> list[Any]:
        request = {kind: list(texts), "contexts": contexts, "status": status}
        assert self._node.stdin
        assert self._node.stdout
        self._node.stdin.write(json.dumps(request) + "\n")
        self._node.stdin.flush()
        answer = json.loads(self._node.stdout.readline())
        if "error" in answer:
            raise EvaluationError(answer["error"])
        answers: list[Any] = answer[kind]
        return answers
