"""The texts of commits that are searched: messages, and the changed lines of files. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from aeterna_code_search.contract.search import MatchedLine, Side
from central.query.evaluate import MatchedTerms, Term
from central.query.syntax import ContentTerm, Literal, Regex
from central.search.exact.limited import find_matches
from central.search.exact.matching import EXACT_MATCHES_OF_FILE, Lines, matched_lines
from central.search.exact.text_pattern import Span, TextPattern
from indexer.records.hunks import parse_hunks


class ChangedLine(NamedTuple):
    """A line that a commit added or removed, with its number in that file."""

    side: Side
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A text of a commit: the changed lines of a path, or its message, whose path is "".

    `runs`: where lines of one side that follow one another are, in bytes; of a message, None.
    """

    path: str
    content: bytes
    lines: Sequence[ChangedLine] = ()
    runs: Sequence[Span] | None = None

    def shown(self, spans: Sequence[Span], limit: int) -> list[MatchedLine]:
        """Return at most `limit` lines that match; without a match to show, the first ones."""
        of_text = Lines(self.content)
        asked = spans or ([(0, len(self.content))] if self.lines else ())
        found, _ = matched_lines(of_text, asked, limit=limit)
        if not spans:
            found = [replace(line, ranges=[]) for line in found]
        return [self._placed(line) for line in found] if self.lines else found

    def _placed(self, line: MatchedLine) -> MatchedLine:
        changed = self.lines[line.line - 1]
        return replace(line, line=changed.number, side=changed.side)


def message(subject: str, body: str) -> Document:
    """Return a commit's message."""
    return Document("", f"{subject}\n{body}".rstrip("\n").encode())


def changed_lines(path: str, hunks: str) -> Document:
    """Return the changed lines of a path, of each hunk those that are gone, then the new ones."""
    lines: list[ChangedLine] = []
    runs: list[Span] = []
    parts: list[bytes] = []
    size = 0
    for hunk in parse_hunks(hunks):
        for side, own in ((Side.REMOVED, hunk.removed), (Side.ADDED, hunk.added)):
            if not own:
                continue
            start = size
            for number, text in own:
                lines.append(ChangedLine(side, number, text))
                part = text.encode()
                parts.append(part)
                size += len(part) + 1
            runs.append((start, size))
    return Document(path, b"".join(part + b"\n" for part in parts), lines, runs)


@dataclass(frozen=True, slots=True)
class TextMatches:
    """Which terms occur in a text, and where those are that are shown."""

    found: MatchedTerms
    spans: Sequence[Span]
    is_cut: bool


def text_matches(
    document: Document,
    patterns: Mapping[Literal | Regex, TextPattern],
    shown: Sequence[ContentTerm],
) -> TextMatches:
    """Look for each pattern in a text. Raises SlowFileError; TimeoutError if no process is free."""
    found: dict[Term, bool] = {}
    spans: set[Span] = set()
    is_cut = False
    for term, pattern in patterns.items():
        matches = find_matches(
            document.content, pattern, most=EXACT_MATCHES_OF_FILE, regions=document.runs
        )
        found[term] = bool(matches.spans)
        if term in shown:
            spans.update(matches.spans)
            is_cut = is_cut or matches.is_cut
    return TextMatches(found, sorted(spans), is_cut)
