"""The number of values in a JSON text, counted before they are held in memory."""

import re
from itertools import islice
from typing import Final

# Each match is one mark between values and everything before it that is none, such as strings. It
# always matches, so that any text is scanned once.
_MARK: Final = re.compile(
    rb'(?:"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[^\[{,"]++)*+(?:[\[{,]|\Z)', re.DOTALL
)


def has_more_values(text: bytes, most: int) -> bool:
    """Whether `text` holds more than `most` objects, arrays, members and items.

    The result is exact within two. All marks are counted first, including those in strings: that is
    20 times as fast. In invalid JSON everything before the error is counted.
    """
    marks = text.count(b",") + text.count(b"[") + text.count(b"{")
    return marks > most and next(islice(_MARK.finditer(text), most, None), None) is not None
