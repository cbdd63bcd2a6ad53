"""Run by the interpreter of o200k.txt: texts as JSON on standard input, their tokens on output."""

import json
import sys

from bpe_openai import get_encoding


def main() -> None:
    """Count the tokens of each text by OpenAI's encoding o200k_base."""
    encoding = get_encoding("o200k_base")
    json.dump([len(encoding.encode(text)) for text in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
