"""Matches of ast-grep patterns, which a process finds that can be ended.

Patterns are those of https://ast-grep.github.io/guide/pattern-syntax.html, without rules.
"""

import re
from dataclasses import dataclass
from typing import Final

from central.ast_grep import LANGUAGES
from central.errors import InvalidError, UnavailableError
from central.limited_process import LimitExceededError
from central.search.exact.limited import Ask, ask
from central.search.exact.matching import EXACT_MATCHES_OF_FILE, FileMatches
from central.search.exact.text_pattern import SlowFileError

_METAVARIABLE: Final = re.compile(r"\$+[A-Z_][A-Z_0-9]*|\$\$\$")
_ANY_PARTS: Final = re.compile(r"\$\$\$(?:[A-Z_][A-Z_0-9]*)?")
_WORD: Final = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class StructuralPattern:
    """A pattern and the language that it is parsed in."""

    text: str
    language: str

    @property
    def words(self) -> list[str]:
        """Words that every matching file contains."""
        return sorted(set(_WORD.findall(_METAVARIABLE.sub(" ", self.text))))


class StructuralMatcher:
    """Matches one pattern. Raises InvalidError for a language that ast-grep does not know."""

    def __init__(self, pattern: StructuralPattern, *, ask: Ask = ask) -> None:
        if pattern.language not in LANGUAGES:
            known = ", ".join(LANGUAGES)
            has = f"ast-grep has no grammar of {pattern.language}" if pattern.language else ""
            reason = has or "A structural pattern needs its language"
            detail = f"{reason}: add lang: with one of {known}."
            raise InvalidError(detail, errors={"query": [detail]})
        self._pattern = pattern
        self._ask = ask

    def check(self) -> None:
        """Raise InvalidError unless ast-grep can use the pattern in its language.

        Raises UnavailableError if no process is free for some seconds.
        """
        try:
            self.matches(b"")
        except (TimeoutError, SlowFileError) as exc:
            if isinstance(exc.__cause__, LimitExceededError):
                raise _invalid(self._pattern, "it takes too much time or memory.") from exc
            raise UnavailableError(
                "Other searches use all processes. Send the request again in some seconds."
            ) from exc

    def matches(self, content: bytes, *, most: int = EXACT_MATCHES_OF_FILE) -> FileMatches:
        """Return the first `most` places that match.

        Raises SlowFileError, InvalidError; TimeoutError if no process is free for some seconds.
        """
        text = content.decode()
        answer = self._ask(["structure", text, most, self._pattern.text, self._pattern.language])
        if isinstance(answer, str):
            raise _invalid(self._pattern, answer)
        found, is_cut = answer
        return FileMatches(_in_bytes(text, found), is_cut)

    def parses(self) -> bool:
        """Return whether the pattern is whole syntax by itself; True if that is not known."""
        texts = [
            _METAVARIABLE.sub("name", text) + end
            for text in (self._pattern.text, _ANY_PARTS.sub("", self._pattern.text))
            for end in ("", ";")
        ]
        try:
            return bool(self._ask(["syntax", texts, 0, self._pattern.language]))
        except (TimeoutError, SlowFileError):
            return True


def _invalid(pattern: StructuralPattern, reason: str) -> InvalidError:
    detail = (
        f"ast-grep cannot use the pattern in {pattern.language}: {reason} Write one whole "
        "expression or statement, with $NAME for a part and $$$ for any number of parts."
    )
    return InvalidError(detail, errors={"query": [detail]})


def _in_bytes(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Convert spans of characters, in order of their starts, to spans of UTF-8 bytes."""
    if text.isascii():
        return [(start, end) for start, end in spans]
    places = sorted({place for span in spans for place in span})
    offsets: dict[int, int] = {}
    before = size = 0
    for place in places:
        size += len(text[before:place].encode())
        offsets[place], before = size, place
    return [(offsets[start], offsets[end]) for start, end in spans]
