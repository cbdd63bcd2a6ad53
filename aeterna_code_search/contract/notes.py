"""What a record says of a field beside its type, in `Annotated`.

A text is the field's description; an enumeration, or members of one, are its values.
"""

from enum import Enum, auto


class Note(Enum):
    """`YOUNGER`: servers of older versions do not send it. `PAGES`: only pages ask for it."""

    YOUNGER = auto()
    PAGES = auto()


YOUNGER = Note.YOUNGER
PAGES = Note.PAGES
