"""Structural patterns, drawn from the calls in indexed code."""

import re
from collections.abc import Sequence
from random import Random

from benchmarks.exact.corpus import IndexedFile
from benchmarks.exact.drawing import SEED

_CALL = re.compile(r"\b([A-Za-z]\w{3,30})\(")
_SHAPES = ("{}($$$)", "$OBJECT.{}($$$)", "{}($ONE)")
_LANGUAGES = ("go", "java", "javascript", "python", "ruby", "rust", "typescript")


def patterns(files: Sequence[IndexedFile], count: int) -> list[str]:
    """Return queries of the mode `structural`, each with its language."""
    random = Random(SEED)  # noqa: S311  (nothing secret)
    by_language = {
        language: [one for one in files if one.language == language and _CALL.search(one.content)]
        for language in _LANGUAGES
    }
    drawn = []
    for number in range(count):
        language = random.choice([one for one in _LANGUAGES if by_language[one]])
        name = random.choice(_CALL.findall(random.choice(by_language[language]).content))
        drawn.append(f"lang:{language} {_SHAPES[number % len(_SHAPES)].format(name)}")
    return drawn
