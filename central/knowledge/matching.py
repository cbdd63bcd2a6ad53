"""Asking ast-grep, in a process with limits: a rule's matches, its validity, and mentions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from central.ast_grep import reason_of
from central.knowledge.mentions import Mention, find_mentions
from central.limited_process import ChildEndedError, LimitedProcess, LimitExceededError

MATCH_CPU_SECONDS: Final = 2.0  # of one file, all policies together
MATCH_SECONDS: Final = 20.0  # of waiting for it
MATCHES_KEPT: Final = 50  # of a policy in a file
MATCH_CHARACTERS: Final = 300
_CHILD: Final = __name__


@dataclass(frozen=True, slots=True)
class Match:
    """A place that a rule matches: lines 1-based and inclusive, `text` cut."""

    start_line: int
    end_line: int
    text: str


class OverLimitError(Exception):
    """The file used up its time or memory; which of the rules is to blame is not known."""


class Matcher:
    """Owns the process. Close it; not for several threads at once."""

    def __init__(self) -> None:
        self._process = LimitedProcess(_CHILD, cpu_seconds=MATCH_CPU_SECONDS, seconds=MATCH_SECONDS)

    def __enter__(self) -> "Matcher":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.close()

    def matches(
        self, text: str, language: str, rules: Mapping[int, Mapping[str, Any]]
    ) -> dict[int, list[Match]]:
        """Matches of each rule, by its key, the first MATCHES_KEPT. Raises OverLimitError."""
        answer = self._ask(["match", text, language, {str(key): rules[key] for key in rules}])
        return {int(key): [Match(*row) for row in found] for key, found in answer.items()}

    def mentions(self, text: str, language: str) -> list[Mention]:
        """`mentions.find_mentions`. Raises OverLimitError."""
        return [Mention(*row) for row in self._ask(["mentions", text, language])]

    def _ask(self, request: list[Any]) -> Any:
        try:
            return self._process.ask(request)
        except (LimitExceededError, ChildEndedError) as exc:
            raise OverLimitError from exc


def answer(request: list[Any]) -> Any:
    """Answer a request in the process: what to do, and its arguments."""
    what, *arguments = request
    return _ANSWERS[what](*arguments)


def _match(
    text: str, language: str, rules: dict[str, Any]
) -> dict[str, list[tuple[int, int, str]]]:
    from ast_grep_py import SgRoot

    root = SgRoot(text, language).root()
    return {
        key: [_place(node) for node in root.find_all(rule)[:MATCHES_KEPT]]
        for key, rule in rules.items()
    }


def _validate(language: str, rule: Any) -> str:
    """Return why ast-grep cannot use a rule; "" if it can."""
    from ast_grep_py import SgRoot

    try:
        SgRoot("", language).root().find_all(rule)
    except MemoryError:
        raise
    except BaseException as exc:  # noqa: BLE001 (a panic of ast-grep is no Exception)
        return reason_of(exc)
    return ""


def _place(node: Any) -> tuple[int, int, str]:
    found = node.range()
    return found.start.line + 1, found.end.line + 1, node.text()[:MATCH_CHARACTERS]


_ANSWERS: Final[Mapping[str, Callable[..., Any]]] = {
    "match": _match,
    "mentions": find_mentions,
    "validate": _validate,
}
