"""A drawn query, and how the service and zoekt write it."""

import re
from dataclasses import dataclass
from enum import StrEnum

# Languages as both name them, of which the sample has much.
LANGUAGES = {
    "c": "C",
    "cpp": "C++",
    "csharp": "C#",
    "go": "Go",
    "java": "Java",
    "javascript": "JavaScript",
    "kotlin": "Kotlin",
    "markdown": "Markdown",
    "php": "PHP",
    "python": "Python",
    "ruby": "Ruby",
    "rust": "Rust",
    "typescript": "TypeScript",
    "yaml": "YAML",
}


class Kind(StrEnum):
    """What the text of a query is."""

    IDENTIFIER = "identifier"
    LINE = "line"
    PREFIX = "regex"
    START = "regex, anchored at the start"
    END = "regex, anchored at the end"
    CLASSES = "regex with classes"
    ALTERNATIVES = "regex with alternatives"


class Field(StrEnum):
    """What a filter looks at."""

    DIRECTORY = "directory"
    SUFFIX = "suffix"
    LANGUAGE = "language"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of files."""

    field: Field
    value: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A literal or a regular expression beside filters; `case` is `yes`, `no` or `auto`."""

    kind: Kind
    text: str
    case: str
    filters: tuple[Filter, ...] = ()

    @property
    def is_regex(self) -> bool:
        """Whether the text is a regular expression."""
        return self.kind not in {Kind.IDENTIFIER, Kind.LINE}

    @property
    def has_class(self) -> bool:
        """Whether the text is a regular expression with a class of characters."""
        return self.is_regex and re.search(r"\[|\\[wWsS]", self.text) is not None

    @property
    def names_language(self) -> bool:
        """Whether a filter depends on which language a file is in."""
        return any(one.field is Field.LANGUAGE for one in self.filters)

    def for_service(self) -> str:
        """Return it in the service's query language."""
        escaped = self.text.replace("/", r"\/")
        text = f"/{escaped}/" if self.is_regex else _quoted(self.text)
        return " ".join([f"case:{self.case}", *map(_service_filter, self.filters), text])

    def for_zoekt(self) -> str:
        """Return it in zoekt's query language."""
        pattern = self.text if self.is_regex else re.escape(self.text)
        filters = map(_zoekt_filter, self.filters)
        return " ".join([f"case:{self.case}", *filters, f"content:{_quoted(pattern)}"])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _service_filter(one: Filter) -> str:
    written = {
        Field.DIRECTORY: f"file:{_quoted(one.value)}",
        Field.SUFFIX: f"file:*{one.value}",
        Field.LANGUAGE: f"lang:{one.value}",
        Field.PROJECT: f"repo:/^{re.escape(one.value)}$/",
    }[one.field]
    return "-" * one.negated + written


def _zoekt_filter(one: Filter) -> str:
    escaped = re.escape(one.value)
    written = {
        Field.DIRECTORY: f"file:{_quoted(escaped)}",
        Field.SUFFIX: f"file:{_quoted(escaped + '$')}",
        Field.LANGUAGE: f"lang:{_quoted(LANGUAGES.get(one.value, one.value))}",
        Field.PROJECT: f"repo:{_quoted(f'^{escaped}$')}",
    }[one.field]
    return "-" * one.negated + written
