"""Truncation of answers to a budget of tokens, best rows first."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

_T = TypeVar("_T")

DEFAULT_TOKENS: Final = 8_000  # Claude Code warns about outputs above 10,000
MIN_TOKENS: Final = 500
MAX_TOKENS: Final = 50_000
BYTES_PER_TOKEN: Final = 4
"""OpenAI's rule of thumb, "one token is about four characters of common English text"
(https://platform.openai.com/tokenizer); code has more tokens a line, so take it as a scale."""


def estimate_tokens(value: Any) -> int:
    """Estimate the tokens of a text, or of any other value as compact JSON."""
    text = (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    )
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


class Budget:
    """Remaining tokens; a value that does not fit costs nothing."""

    def __init__(self, tokens: int) -> None:
        self.remaining = tokens

    def fits(self, *values: Any) -> bool:
        """Spend on all of `values`, or, if they do not fit, on none."""
        cost = sum(estimate_tokens(value) for value in values)
        if cost > self.remaining:
            return False
        self.remaining -= cost
        return True

    def first(self, rows: Iterable[_T]) -> list[_T]:
        """Return the rows before the first that does not fit."""
        result = []
        for row in rows:
            if not self.fits(row):
                break
            result.append(row)
        return result


Answer = dict[str, Any]
Row = dict[str, Any]

_LISTS: Final = (
    *("results", "definitions", "callers", "callees", "nodes", "edges"),
    *("roots", "violations", "code", "related", "decisions", "policies", "memories"),
)
_NOTE_TOKENS: Final = 120  # reserved for `left_out` itself


def truncate_search(answer: Answer, max_tokens: int) -> Answer:
    """Keep the best results that fit."""

    def cut(result: "TruncatedAnswer") -> None:
        result.rows("results", result.budget.first(answer["results"]))
        result.count("results")

    return truncate(answer, max_tokens, cut, "ask for fewer with limit and follow next_cursor")


def truncate_code(answer: Answer, max_tokens: int) -> Answer:
    """Truncate `search_code`; if not even the best hit fits, keep the beginning of its text."""

    def cut(result: "TruncatedAnswer") -> None:
        rows = result.budget.first(answer["results"])
        if answer["results"] and not rows:
            rows = _shortened(answer["results"][0], result.budget)
        result.rows("results", rows)
        result.answer["totalResults"] = len(result.answer["results"])

    return truncate(answer, max_tokens, cut, "ask for fewer with top_k")


def _shortened(result: Row, budget: Budget) -> list[Row]:
    text = str(result["text"])
    while text:
        text = text[: len(text) // 2]
        row = {**result, "text": text, "truncated": True}
        if budget.fits(row):
            return [row]
    return []


def truncate_links(answer: Answer, what: str, max_tokens: int) -> Answer:
    """Keep the first links that fit with their definitions, then other definitions."""
    definitions: Sequence[Row] = answer["definitions"]

    def cut(result: "TruncatedAnswer") -> None:
        links, targets = [], set[int]()
        for link in answer[what]:
            target = int(link["target"])
            needed = [] if target in targets else [definitions[target]]
            if not result.budget.fits(link, *needed):
                break
            links.append(link)
            targets.add(target)
        for index, definition in enumerate(definitions):
            if index not in targets and result.budget.fits(definition):
                targets.add(index)
        order = {old: new for new, old in enumerate(sorted(targets))}
        result.rows("definitions", [definitions[index] for index in order])
        result.rows(what, [{**link, "target": order[int(link["target"])]} for link in links])
        result.count(what)

    advice = "name project or file, or ask for fewer with limit and follow next_cursor"
    return truncate(answer, max_tokens, cut, advice)


def truncate_graph(answer: Answer, max_tokens: int) -> Answer:
    """Keep the nodes nearest to the roots, and the edges among them."""
    nodes: Sequence[Row] = sorted(answer["nodes"], key=lambda node: int(node["distance"]))

    edges_at: dict[str, list[Row]] = {}
    for edge in answer["edges"]:
        for end in {edge["caller"], edge["callee"]}:
            edges_at.setdefault(end, []).append(edge)

    def cut(result: "TruncatedAnswer") -> None:
        near: set[str] = set()
        for node in nodes:
            reached = near | {node["id"]}
            edges = [edge for edge in edges_at.get(node["id"], ()) if _is_among(edge, reached)]
            if not result.budget.fits(node, *edges):
                break
            near = reached
        result.rows("nodes", [node for node in answer["nodes"] if node["id"] in near])
        result.rows("edges", [edge for edge in answer["edges"] if _is_among(edge, near)])
        result.answer["root"] = [root for root in answer["root"] if root in near]
        if result.counts:
            result.answer.update(truncated=True, truncated_reason="max_tokens")

    return truncate(answer, max_tokens, cut, "lower depth, or name project or file")


def truncate_status(answer: Answer, max_tokens: int) -> Answer:
    """Keep the first projects that fit."""

    def cut(result: "TruncatedAnswer") -> None:
        result.rows("projects", result.budget.first(answer["projects"]))

    return truncate(answer, max_tokens, cut, "name a project")


def _is_among(edge: Row, nodes: set[str]) -> bool:
    return edge["caller"] in nodes and edge["callee"] in nodes


def _project(row: Any) -> Any:
    """Return the project of a row, or of its node."""
    if not isinstance(row, Mapping):
        return None
    return row.get("project") or _project(row.get("node") or row.get("code"))


class TruncatedAnswer:
    """A truncated answer, and the counts of its omitted rows."""

    def __init__(self, answer: Answer, max_tokens: int) -> None:
        self._original = answer
        self.counts: dict[str, int] = {}
        empty: Answer = {name: [] for name in _LISTS if name in answer}
        self.answer: Answer = {**answer, **empty}
        if "receipt" in answer:
            self.answer["receipt"] = _empty_receipt(answer["receipt"])
        elif "projects" in answer:
            self.answer["projects"] = []
        free = max(0, max_tokens - estimate_tokens(self.answer) - _NOTE_TOKENS)
        for_receipt = min(estimate_tokens(answer.get("receipt", "")), free // 4)
        self._for_receipt = for_receipt
        self.budget = Budget(free - for_receipt)

    def rows(self, name: str, rows: list[Row]) -> None:
        """Keep `rows` of the list `name`."""
        self.answer[name] = rows
        self._count_omitted(name, len(self._original[name]) - len(rows))

    def count(self, name: str) -> None:
        """End the page with the last row of the list `name`."""
        if name in self.counts:
            self.answer["count"] = len(self.answer[name])
            if "next_cursor" in self.answer:
                self.answer["next_cursor"] = None

    def receipt(self) -> None:
        """Fill the receipt as far as it fits, starting with the projects of the rows."""
        budget = Budget(self.budget.remaining + self._for_receipt)
        original, receipt = self._original["receipt"], self.answer["receipt"]
        shown = {_project(row) for name in _LISTS for row in self.answer.get(name, ())}
        receipt["missing"] = budget.first(original["missing"])
        receipt["projects"] = budget.first(
            sorted(original["projects"], key=lambda row: row["project"] not in shown)
        )
        for name in ("missing", "projects"):
            self._count_omitted(f"receipt.{name}", len(original[name]) - len(receipt[name]))
        if "unresolved" in original:
            sample = original["unresolved"]["sample"]
            receipt["unresolved"]["sample"] = budget.first(sample)
            omitted = len(sample) - len(receipt["unresolved"]["sample"])
            self._count_omitted("receipt.unresolved.sample", omitted)

    def _count_omitted(self, name: str, number: int) -> None:
        if number:
            self.counts[name] = number


def _empty_receipt(receipt: Mapping[str, Any]) -> Answer:
    bare = {**receipt, "projects": [], "missing": []}
    if "unresolved" in receipt:
        bare["unresolved"] = {**receipt["unresolved"], "sample": []}
    return bare


def truncate(
    answer: Answer, max_tokens: int, cut: Callable[[TruncatedAnswer], None], otherwise: str
) -> Answer:
    """Return `answer` if it fits, else the part that `cut` keeps; `otherwise` ends the advice."""
    size = estimate_tokens(answer)
    if size <= max_tokens:
        return answer
    result = TruncatedAnswer(answer, max_tokens)
    cut(result)
    if "receipt" in answer:
        result.receipt()
    advice = f"max_tokens={max_tokens} is too little for about {size} tokens: "
    if size <= MAX_TOKENS:
        advice += f"raise it to {size}, or "
    if result.counts:
        result.answer["left_out"] = {"counts": result.counts, "advice": f"{advice}{otherwise}."}
    return result.answer
