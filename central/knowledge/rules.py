"""Rules of policies: YAML as ast-grep takes it, read and validated. Matching is `matching`'s.

The format: https://ast-grep.github.io/reference/rule.html (`rule`, `constraints`, `utils`).
"""

from functools import lru_cache
from typing import Any, Final, cast

import yaml
from ast_grep_py import Config, SgRoot

from central.ast_grep import LANGUAGES, reason_of
from central.errors import InvalidError
from indexer.limits import RULE_BYTES, RULE_DEPTH

_PARTS: Final = frozenset({"rule", "constraints", "utils"})


def parse_rule(text: str) -> dict[str, Any]:
    """The members of a rule's YAML. Raises InvalidError (`invalid_rule`, with `line`, `column`)."""
    if len(text.encode()) > RULE_BYTES:
        raise _invalid(f"A rule has at most {RULE_BYTES:,} bytes.")
    parsed = _load(text)
    if not isinstance(parsed, dict) or "rule" not in parsed:
        raise _invalid("A rule is a mapping with a member 'rule', such as\nrule:\n  pattern: f($A)")
    if unknown := sorted(map(str, set(parsed) - _PARTS)):
        raise _invalid(
            f"Unknown: {', '.join(unknown)[:200]}. A rule has {', '.join(sorted(_PARTS))}; "
            "language, severity and message stand beside it."
        )
    if _depth(parsed) > RULE_DEPTH:
        raise _invalid(f"A rule is at most {RULE_DEPTH} levels deep.")
    if not _is_json(parsed):
        raise _invalid("A rule has text, numbers, true, false, lists and mappings alone.")
    return parsed


def _load(text: str) -> object:
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):  # a few lines of them make gigabytes
                raise _invalid("Write the rule without YAML aliases.", event.start_mark)
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as exc:
        raise _invalid(f"The rule is no YAML: {exc.problem}.", exc.problem_mark) from exc
    except (yaml.YAMLError, RecursionError, ValueError) as exc:
        raise _invalid("The rule is no YAML that can be read.") from exc


def validate_rule(text: str, *, language: str) -> None:
    """Raise InvalidError (`invalid_rule`) unless ast-grep can match the rule in `language`."""
    if language not in LANGUAGES:
        raise _invalid(f"There is no language {language!r:.50}. There are: {', '.join(LANGUAGES)}.")
    members = parse_rule(text)
    try:
        SgRoot("", language).root().find_all(cast("Config", members))
    except Exception as exc:
        raise _invalid(f"ast-grep cannot use the rule: {reason_of(exc)}") from exc


@lru_cache(maxsize=512)
def literal_of(text: str) -> str:
    """The longest word that every match of the rule contains; "" where none is known.

    Known for a bare pattern only: a file without the word need not be parsed.
    """
    rule = parse_rule(text)["rule"]
    pattern = rule.get("pattern") if isinstance(rule, dict) else None
    if not isinstance(pattern, str):
        return ""
    words = [word for word in _words(pattern) if not word.startswith("$")]
    return max(words, key=len, default="")


def _words(pattern: str) -> list[str]:
    spaced = "".join(char if char.isalnum() or char in "_$" else " " for char in pattern)
    return spaced.split()


def _depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(_depth, value), default=0)
    return 0


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
