"""Run by semble's interpreter: a question on standard input, its tool's answers on output."""

import json
import sys

from semble import SembleIndex
from semble.utils import format_results

TOP, LINES = 5, 10  # the defaults of its tool `search`


def main() -> None:
    """Answer each query as `semble.mcp` does."""
    question = json.load(sys.stdin)
    index = SembleIndex.from_path(question["directory"], model_path=question["model"])
    answers = []
    for query in question["queries"]:
        results = index.search(query, top_k=TOP, max_snippet_lines=LINES)
        answers.append(json.dumps(format_results(query, results, LINES)))
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
