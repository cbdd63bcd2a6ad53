"""Comments, strings and names of a language, for a scan of what its grammar does not understand."""

import re
from dataclasses import dataclass
from typing import Final

SLASH_COMMENTS: Final = rb"//[^\n]*|/\*(?:(?s:.{0,1000}?)\*/)?"
HASH_COMMENTS: Final = rb"#[^\n]*"
DASH_COMMENTS: Final = rb"--[^\n]*"
_STRING: Final = rb'"(?:[^"\\\n]|\\.)*"'
_SINGLE_QUOTED: Final = rb"'(?:[^'\\\n]|\\.)*'"
_ESCAPED_QUOTE: Final = rb"\\[\"']"  # or a line of these would be read again from each
_CHARACTER: Final = rb"'(?:[^'\\\n]|\\[^\n']{1,8})'"
_NAME: Final = rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*"


@dataclass(frozen=True, slots=True)
class Lexis:
    """The patterns of a language's comments, and what differs in its strings and names.

    `quotes_characters`: an apostrophe quotes one character, no string. `marks_methods`: a name may
    end in `?` or `!`.
    """

    comments: tuple[bytes, ...]
    quotes_characters: bool = False
    marks_methods: bool = False

    @property
    def token(self) -> re.Pattern[bytes]:
        """The pattern of a comment, a string of one line, or a name: the group `name`."""
        quoted = _CHARACTER if self.quotes_characters else _SINGLE_QUOTED
        name = _NAME + (rb"[?!]?" if self.marks_methods else b"")
        named = b"(?P<name>%s)" % name
        return re.compile(b"|".join([*self.comments, _STRING, quoted, _ESCAPED_QUOTE, named]))


C_LEXIS: Final = Lexis((SLASH_COMMENTS,), quotes_characters=True)
