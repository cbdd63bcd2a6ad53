"""Rules of policies: YAML as ast-grep takes it, read within bounds and validated.

Matching is `matching`'s. The format: https://ast-grep.github.io/reference/rule.html (`rule`,
`constraints`, `utils`).
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import yaml

from central.ast_grep import LANGUAGES
from central.errors import InvalidError
from central.http.turns import current, too_busy
from central.limited_process import ChildEndedError, LimitedProcesses, LimitExceededError
from indexer.limits import RULE_BYTES

RULE_DEPTH: Final = 20
RULE_VALUES: Final = 500  # patterns, kinds and others; 99 % of published rules have up to 340
RULE_REGEXES: Final = 100
RULE_VALUE_CHARACTERS: Final = 2_000  # of a pattern or a regular expression
RULE_CPU_SECONDS: Final = 1.0  # to validate it; published rules take up to 0.01
RULE_SECONDS: Final = 10.0  # of waiting for a process that is free, and for its answer
RULE_PROCESSES: Final = 1  # of a server
_PARTS: Final = frozenset({"rule", "constraints", "utils"})

# ast-grep compiles a rule for seconds, or in gigabytes, and no thread runs meanwhile.
processes: Final = LimitedProcesses(
    "central.knowledge.matching",
    RULE_PROCESSES,
    cpu_seconds=RULE_CPU_SECONDS,
    seconds=RULE_SECONDS,
)


@lru_cache(maxsize=256)
def parse_rule(text: str) -> Mapping[str, Any]:
    """The members of a rule's YAML. Raises InvalidError (`invalid_rule`, with `line`, `column`)."""
    if len(text.encode()) > RULE_BYTES:
        raise _invalid(f"A rule has at most {RULE_BYTES:,} bytes. Divide it into several policies.")
    parsed = _load(text)
    if not isinstance(parsed, dict) or "rule" not in parsed:
        raise _invalid("A rule is a mapping with a member 'rule', such as\nrule:\n  pattern: f($A)")
    if unknown := sorted(map(str, set(parsed) - _PARTS)):
        raise _invalid(
            f"Unknown: {', '.join(unknown)[:200]}. A rule has {', '.join(sorted(_PARTS))}; "
            "language, severity and message stand beside it."
        )
    if not _is_json(parsed):
        raise _invalid("A rule has text, numbers, true, false, lists and mappings alone.")
    _require_bounds(list(_values(parsed)))
    return parsed


def _load(text: str) -> object:
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 (it is a safe one)
    except yaml.MarkedYAMLError as exc:
        raise _invalid(f"The rule is no YAML: {exc.problem}.", exc.problem_mark) from exc
    except (yaml.YAMLError, RecursionError, ValueError) as exc:
        raise _invalid("The rule is no YAML that can be read.") from exc


class _Loader(yaml.SafeLoader):
    """Refuses what takes long to read or becomes large, before it is read."""

    _depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Read a value or a key."""
        if self.check_event(yaml.AliasEvent):  # a few lines of them make gigabytes
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call] # in its stubs
            raise _invalid("Write the rule without YAML aliases.", mark)
        if self._depth == RULE_DEPTH and self.check_event(yaml.CollectionStartEvent):
            raise _invalid(f"A rule is at most {RULE_DEPTH} levels deep.")
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def _values(parsed: object, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value that is no list or mapping, with its key or that of its list."""
    if isinstance(parsed, dict):
        for name, inner in parsed.items():
            yield from _values(inner, name)
    elif isinstance(parsed, list):
        for inner in parsed:
            yield from _values(inner, key)
    else:
        yield key, parsed


def _require_bounds(values: list[tuple[str, Any]]) -> None:
    divide = "Divide it into several policies."
    if len(values) > RULE_VALUES:
        raise _invalid(
            f"A rule has at most {RULE_VALUES:,} patterns, kinds and other values; "
            f"this one has {len(values):,}. {divide}"
        )
    regexes = sum(key == "regex" for key, _ in values)
    if regexes > RULE_REGEXES:
        raise _invalid(
            f"A rule has at most {RULE_REGEXES:,} regular expressions; this one has "
            f"{regexes:,}. Join some with |, or divide it into several policies."
        )
    longest = max((len(value) for _, value in values if isinstance(value, str)), default=0)
    if longest > RULE_VALUE_CHARACTERS:
        raise _invalid(
            f"A pattern or a regular expression has at most {RULE_VALUE_CHARACTERS:,} "
            "characters. Shorten it, or write it as `any` of several."
        )


def why_not_run(text: str) -> str:
    """Return why a stored rule is not run: it is beyond bounds that came later. "": it is run."""
    try:
        parse_rule(text)
    except InvalidError as exc:
        return f"{exc.message} It is not run until it is changed."
    return ""


def validate_rule(text: str, *, language: str) -> None:
    """Raise InvalidError (`invalid_rule`) unless ast-grep can match the rule in `language`.

    Raises UnavailableError (`too_busy`) if no process is free, or none answers, for some seconds.
    """
    if language not in LANGUAGES:
        raise _invalid(f"There is no language {language!r:.50}. There are: {', '.join(LANGUAGES)}.")
    request = ["validate", language, parse_rule(text)]
    try:
        reason = processes.ask(request, caller=current.get().name)
    except LimitExceededError as exc:
        raise _invalid(
            "ast-grep needs too much time or memory for this rule. Shorten it: write fewer or "
            "simpler regular expressions, with small repetitions."
        ) from exc
    except (TimeoutError, ChildEndedError) as exc:
        raise too_busy() from exc
    if reason:
        raise _invalid(f"ast-grep cannot use the rule: {reason}")


def literal_of(rule: object) -> str:
    """The longest word that every match of the member `rule` contains; "" where none is known.

    Known for a bare pattern only: a file without the word need not be parsed.
    """
    pattern = rule.get("pattern") if isinstance(rule, dict) else None
    if not isinstance(pattern, str):
        return ""
    words = [word for word in _words(pattern) if not word.startswith("$")]
    return max(words, key=len, default="")


def _words(pattern: str) -> list[str]:
    spaced = "".join(char if char.isalnum() or char in "_$" else " " for char in pattern)
    return spaced.split()


def _is_json(value: object) -> bool:
    """Whether it is what the matching process is sent: no bytes, dates or sets of YAML."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(map(_is_json, value))
    return value is None or isinstance(value, str | int | float)


def _invalid(message: str, mark: Any = None) -> InvalidError:
    if mark is None:
        return InvalidError(message, code="invalid_rule")
    line, column = mark.line + 1, mark.column + 1
    return InvalidError(
        f"{message} At line {line}, column {column}.", code="invalid_rule", line=line, column=column
    )
