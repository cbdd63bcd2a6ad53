"""An error message as its fixed parts, which a source may hold, and what was filled in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

ERROR_PARTS: Final = 8  # of a pasted error message
ERROR_PART_CHARACTERS: Final = 100
ERROR_READINGS: Final = 12  # of some of its parts


_ENDS: Final = "Error|Exception|Warning|Failure|Fault|Interrupt|Panic|Rejection|Timeout"
_TYPE: Final = re.compile(
    rf"""(?:[Uu]ncaught\s|[Uu]nhandled\s|Caused\sby:\s|Exception\sin\sthread\s"[^"\n]{{0,200}}"\s
        |Unhandled\sexception\.\s|PHP\s)*
    (?P<type>(?:[A-Za-z_][\w$]{{0,100}}(?:\.|::|\\)){{0,12}}(?:[A-Za-z]\w{{0,100}})?(?:{_ENDS})
        |(?:[A-Za-z_][\w$]{{0,100}}(?:\.|::|\\)){{1,12}}[A-Z]\w{{0,100}}
        |(?:Fatal|Parse)\serror)
    (?:\s\[\w{{1,40}}\]|\s\(\w{{1,40}}\)|\(\w{{1,40}}\))?:\s+(?=\S)""",
    re.VERBOSE,
)
_TIME: Final = (
    r"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d[^\s\]]{0,20}\]?|\[?\d\d:\d\d:\d\d[^\s\]]{0,12}\]?"
)
_LEVELS: Final = (
    "ERROR|FATAL|CRITICAL|SEVERE|PANIC|EMERG|ALERT|WARN|WARNING|INFO|DEBUG|TRACE|NOTICE"
)
_LEVEL: Final = re.compile(
    rf"""(?:{_TIME})\s+(?:[\w.\[\]/@-]{{1,100}}\s+)?\[?(?:{_LEVELS})\]?[:\s]\s*
        (?:\[[^\]\n]{{1,100}}\]:?\s+|[\w.]{{1,100}}(?:\s-|:)\s+|-\s+)?
    |\[(?:{_LEVELS}|error|fatal|warn|warning|panic)\]:?\s+
    |(?:{_LEVELS}):\s+
    |(?:npm|pnpm|yarn)\sERR!\s+(?:code\s\w+\s+)?
    |(?:fatal\serror|error|fatal|panic|warning|exception)
        (?:\[\w{{1,20}}\]|\s[A-Z]{{1,6}}\d{{1,6}})?:\s+
    |E\s{{2,}}(?=\S)
    |[EFW]\d{{4}}\s\d\d:\d\d:\d\d\.\d+\s+\d+\s[\w.-]+:\d+\]\s""",
    re.VERBOSE,
)
_LOGGED: Final = re.compile(
    r'(?:[^\s=]{1,60}=(?:"[^"\n]{0,500}"|[^\s"]{0,300})\s+){0,20}level="?(?:error|fatal|panic|warn(?:ing)?)"?\s[^\n]{0,1000}?'
    r'msg="(?P<message>(?:[^"\\\n]|\\.){1,2000})"',
    re.IGNORECASE,
)
_FILLED: Final = re.compile(
    r""""[^"\n]{0,500}"|(?<!\w)'[^'\n]{0,500}'(?!\w)|`[^`\n]{0,500}`
    |“[^”\n]{0,500}”|\u2018[^\u2019\n]{0,500}\u2019
    |\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b
    |\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?[\w.,:+]{0,12})?
    |\b[a-z][a-z+.-]{1,20}://[^\s"'<>]{1,500}
    |[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,100}
    |(?<![\w.])(?:[A-Za-z]:)?[/\\][^\s"':,;()]{1,500}|(?<![\w/])(?:[\w.@-]{1,100}/){1,20}[\w.@-]{1,100}
    |\b0x[0-9a-fA-F]{1,32}\b|\b(?=[a-f]{0,63}\d)[0-9a-f]{7,64}\b
    |\b[\w-]{1,100}(?:\.[\w-]{1,63}){0,10}:\d{2,5}\b
    |\[[^\]\n]{0,200}\]|<[^>\n]{0,200}>|\{[^}\n]{0,200}\}
    |(?<=\w=)[^\s,;)]{1,200}
    |(?<![\w.])[-+]?\d[\w.,%:]{0,30}(?<![.,:])""",
    re.VERBOSE,
)
_EDGES: Final = " \t\n\r:;,.()[]{}<>=\"'`|-\u2013\u2014!?*#"
_QUOTES: Final = frozenset("\"'`“\u2018")
_LETTERS: Final = re.compile(r"[^\W\d_]")
_WORDS: Final = re.compile(r"[^\W_][\w$]*(?:(?:\.|::)[^\W\d]\w*)*")
_WRAPPED: Final = re.compile(r":\s")
_NAME: Final = re.compile(  # a.b, aB, AB, a_b
    r"""\b(?:\w{1,100}(?:\.\w{1,100}){1,20}|[A-Za-z][a-z0-9]{1,100}[A-Z]\w{0,100}
        |[A-Z][A-Z0-9_]{2,100}|[A-Za-z0-9]{1,100}_\w{1,100})\b""",
    re.VERBOSE,
)
_SENTENCE: Final = re.compile(r"[:.!?;]\s|\s\([^()]{0,500}(?:\)|\Z)")
_LEAST_LETTERS: Final = 4  # of a part
_LEAST_LETTERS_ALONE: Final = 10  # of a part that is searched without the others


@dataclass(frozen=True, slots=True)
class ErrorMessage:
    """A pasted error. `type` is the bare name of the exception, "" if none is named.

    `parts` are what was not filled in, in order; `words` are the message without what differs
    each time: numbers, hashes, addresses, times.
    """

    type: str
    parts: tuple[str, ...]
    words: str


def parse_error(text: str) -> ErrorMessage | None:
    """Return the message of a text that begins with an exception's type or a log's level."""
    text = text.strip()
    kind = ""
    if logged := _LOGGED.match(text):
        return _message("", re.sub(r"\\(.)", r"\1", logged["message"]))
    level = _LEVEL.match(text)
    rest = text[level.end() :] if level else text
    if named := _TYPE.match(rest):
        kind = re.split(r"[.:\\]", named["type"])[-1]
        rest = rest[named.end() :]
    if not (level or named) or not rest:
        return None
    return _message("" if " " in kind else kind, rest.partition("\n")[0])


def error_of_trace(text: str) -> ErrorMessage | None:
    """Return the message that a stack trace has: of the first line that is one."""
    for line in text.split("\n"):
        if error := parse_error(line):
            return error
    return None


def fixed_parts(message: str) -> tuple[str, ...]:
    """Return the parts of a message between what looks filled in, in order."""
    return tuple(_parts(message))[:ERROR_PARTS]


def smaller_parts(parts: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return parts that a source may hold where it does not hold all, ERROR_READINGS at most.

    They are the beginnings of wrapped errors, the parts without names of code, each clause or
    sentence, and these without their first or last word: names are filled in without quotes, too,
    a source may break its text between sentences, and fill in what is in parentheses.
    """
    pieces = tuple(_pieces(_WRAPPED, parts))
    found = [pieces[:count] for count in range(len(pieces) - 1, 1, -1)]
    unnamed = tuple(_pieces(_NAME, parts))
    sentences = _pieces(_SENTENCE, parts)
    clauses = sorted({*pieces, *unnamed, *sentences}, key=lambda clause: (-len(clause), clause))
    without_ends = (
        shorter
        for clause in clauses
        for shorter in (clause.partition(" ")[2], clause.rpartition(" ")[0].strip(_EDGES))
    )
    found += [unnamed] if len(unnamed) > 1 else []
    found += [(clause,) for clause in (*clauses, *without_ends) if _is_telling(clause)]
    return [chosen for chosen in dict.fromkeys(found) if chosen != parts][:ERROR_READINGS]


def _pieces(separator: re.Pattern[str], parts: tuple[str, ...]) -> Iterator[str]:
    for part in parts:
        for piece in separator.split(part):
            text = piece.strip(_EDGES)
            if len(_LETTERS.findall(text)) >= _LEAST_LETTERS:
                yield text


def _is_telling(clause: str) -> bool:
    return " " in clause and len(_LETTERS.findall(clause)) >= _LEAST_LETTERS_ALONE


def _message(kind: str, message: str) -> ErrorMessage:
    kept = _FILLED.sub(lambda found: f" {_named_in(found[0])} ", message)
    words = " ".join(_WORDS.findall(kept))
    return ErrorMessage(kind, fixed_parts(message), f"{kind} {words}".strip())


def _named_in(filled: str) -> str:
    """Return what was filled in if it may be a name of code, else nothing."""
    inner = filled[1:-1] if filled[0] in _QUOTES else ""
    return inner if re.fullmatch(r"[^\W\d][\w.]{0,100}", inner) else ""


def _parts(message: str) -> Iterator[str]:
    for part in _FILLED.split(message):
        text = " ".join(part.split()).strip(_EDGES)[:ERROR_PART_CHARACTERS]
        if len(_LETTERS.findall(text)) >= _LEAST_LETTERS:
            yield text
