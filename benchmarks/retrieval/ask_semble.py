"""Run by semble's own interpreter: a question on standard input, hits on standard output."""

import json
import sys
from pathlib import Path

from semble import SembleIndex

TOP = 10


def main() -> None:
    """Index each directory once, search each group's together."""
    question = json.load(sys.stdin)
    known: dict[str, SembleIndex] = {}
    answers = []
    for group in question["groups"]:
        for directory in group["directories"]:
            if directory not in known:
                known[directory] = SembleIndex.from_path(directory, model_path=question["model"])
        answers.append(answer(group, known))
    json.dump(answers, sys.stdout)


def answer(group: dict[str, list[str]], known: dict[str, SembleIndex]) -> list[list[list[object]]]:
    """Of each text its hits: (project, path, first line, last line)."""
    directories = group["directories"]
    single = len(directories) == 1
    index = (
        known[directories[0]]
        if single
        else SembleIndex.merge([(directory, known[directory]) for directory in directories])
    )
    answers = []
    for text in group["texts"]:
        hits = []
        for result in index.search(text, top_k=TOP):
            path = result.chunk.file_path
            project = Path(directories[0]).name
            if not single:
                project, _, path = path.partition("/")
            hits.append([project, path, result.chunk.start_line, result.chunk.end_line])
        answers.append(hits)
    return answers


if __name__ == "__main__":
    main()
