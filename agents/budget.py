"""How much of an answer an agent is given: `max_tokens`, estimated from the size of the JSON.

Of a result's two forms the JSON is the longer, and some clients hand that to the model, not the
text (anthropics/claude-code#55677, microsoft/vscode#290063): so it is the JSON that has to fit,
and both forms have the same rows.
"""

import json
from collections.abc import Iterable
from typing import Any, Final, TypeVar

Row = TypeVar("Row")

DEFAULT_TOKENS: Final = 8_000  # Claude Code warns of outputs above 10,000
MIN_TOKENS: Final = 500
MAX_TOKENS: Final = 50_000
BYTES_PER_TOKEN: Final = 4
"""OpenAI's rule of thumb, "one token is about four characters of common English text"
(https://platform.openai.com/tokenizer); code has more tokens a line, so take it as a scale."""


def tokens_of(value: Any) -> int:
    """The estimated size of a text, or of any other value as compact JSON."""
    text = (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    )
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


class Budget:
    """Tokens that are left to spend; what does not fit costs nothing."""

    def __init__(self, tokens: int) -> None:
        self.left = tokens

    def takes(self, *values: Any) -> bool:
        """Spend on all of `values`, or, if they do not fit, on none."""
        cost = sum(tokens_of(value) for value in values)
        if cost > self.left:
            return False
        self.left -= cost
        return True

    def first(self, rows: Iterable[Row]) -> list[Row]:
        """The rows up to the first that does not fit."""
        kept = []
        for row in rows:
            if not self.takes(row):
                break
            kept.append(row)
        return kept
