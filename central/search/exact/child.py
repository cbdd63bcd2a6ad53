"""What the processes of `limited` answer."""

from collections.abc import Callable
from typing import Any, Final

from central.search.exact.matching import file_matches
from central.search.exact.text_pattern import SlowFileError, TextPattern


def answer(request: list[Any]) -> Any:
    """Answer a request that names what to do, with the content and the most matches."""
    kind, content, most, *pattern = request
    return _KINDS[kind](content, most, *pattern)


def _text(
    content: str, most: int, regions: Any, text: str, is_regex: bool, ignore_case: bool
) -> Any:
    pattern = TextPattern(text, is_regex, ignore_case)
    try:
        found = file_matches(content.encode(), pattern, most=most, regions=regions)
    except SlowFileError:
        return None
    return found.spans, found.is_cut


def _structure(content: str, most: int, pattern: str, language: str) -> Any:
    from ast_grep_py import SgRoot

    from central.ast_grep import reason_of

    try:
        found = SgRoot(content, language).root().find_all(pattern=pattern)
    except RuntimeError as exc:
        return reason_of(exc)
    ranges = [node.range() for node in found[: most + 1]]
    spans = [(range_.start.index, range_.end.index) for range_ in ranges[:most]]
    return spans, len(ranges) > most


def _syntax(texts: list[str], _: int, language: str) -> bool:
    """Return whether one of the texts parses without an error."""
    from ast_grep_py import SgRoot

    return any(SgRoot(text, language).root().find(kind="ERROR") is None for text in texts)


_KINDS: Final[dict[str, Callable[..., Any]]] = {
    "text": _text,
    "structure": _structure,
    "syntax": _syntax,
}
