"""Members of literals, such as `"a b".slug`, parsed from the text alone."""

import re
from typing import Final

_STRING: Final = r"\"{3}.*?\"{3}|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`"
_NUMBER: Final = r"\d[\d_]*(?:\.\d[\d_]*)?"
_MEMBER: Final = re.compile(
    rf"[$@#]{{0,2}}([A-Za-z]{{0,3}}(?:{_STRING})|{_NUMBER}|\[[^\[\]]*\])#*\s*[?!&]?\.\s*"
    r"([^\W\d]\w*[?!]?)",
    re.DOTALL,
)
STARTS_WITH_LITERAL: Final = re.compile(r"[$@#]{0,2}[A-Za-z]{0,3}[\"'`]|[\d\[{/]")
_SIGN: Final = re.compile(r"[A-Za-z]*.")
_NAME: Final = re.compile(r"\.\s*([^\W\d]\w*[?!]?)$")


def read_literal_member(text: str) -> tuple[str, str] | None:
    """Return the literal's sign and the member's name: `"`, `'`, `` ` ``, `[`, `0` or `0.0`.

    Letters before a quote are part of its sign: `b"`. The sign is "" for a member of anything else
    that begins with a literal; None if nothing does.
    """
    if not STARTS_WITH_LITERAL.match(text):
        return None
    found = _MEMBER.fullmatch(text)
    if found is None:
        name = _NAME.search(text)
        return ("", name[1]) if name else None
    literal = found[1]
    if literal[0].isdigit():
        return ("0.0" if "." in literal else "0"), found[2]
    sign = _SIGN.match(literal)
    return (sign[0] if sign else ""), found[2]
