"""Answers cut to a budget of tokens, best first."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

_T = TypeVar("_T")

DEFAULT_TOKENS: Final = 8_000  # Claude Code warns of outputs above 10,000
MIN_TOKENS: Final = 500
MAX_TOKENS: Final = 50_000
BYTES_PER_TOKEN: Final = 4
"""OpenAI's rule of thumb, "one token is about four characters of common English text"
(https://platform.openai.com/tokenizer); code has more tokens a line, so take it as a scale."""


def estimate_tokens(value: Any) -> int:
    """The estimated size of a text, or of any other value as compact JSON."""
    text = (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    )
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


class Budget:
    """Tokens that are left to spend; what does not fit costs nothing."""

    def __init__(self, tokens: int) -> None:
        self.left = tokens

    def fits(self, *values: Any) -> bool:
        """Spend on all of `values`, or, if they do not fit, on none."""
        cost = sum(estimate_tokens(value) for value in values)
        if cost > self.left:
            return False
        self.left -= cost
        return True

    def first(self, rows: Iterable[_T]) -> list[_T]:
        """The rows up to the first that does not fit."""
        kept = []
        for row in rows:
            if not self.fits(row):
                break
            kept.append(row)
        return kept


Answer = dict[str, Any]
Row = dict[str, Any]

_LISTS: Final = (
    *("results", "definitions", "callers", "callees", "nodes", "edges"),
    *("roots", "violations", "code", "related", "decisions", "policies", "memories"),
)
_NOTE_TOKENS: Final = 120  # of `left_out` itself


def truncate_search(answer: Answer, max_tokens: int) -> Answer:
    """The best results that fit."""

    def cut(kept: "TruncatedAnswer") -> None:
        kept.rows("results", kept.budget.first(answer["results"]))
        kept.count("results")

    return truncate(answer, max_tokens, cut, "ask for fewer with limit and follow next_cursor")


def truncate_code(answer: Answer, max_tokens: int) -> Answer:
    """The same of `search_code`; where not even the best fits, the beginning of its text."""

    def cut(kept: "TruncatedAnswer") -> None:
        rows = kept.budget.first(answer["results"])
        if answer["results"] and not rows:
            rows = _shortened(answer["results"][0], kept.budget)
        kept.rows("results", rows)
        kept.answer["totalResults"] = len(kept.answer["results"])

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
    """The first links that fit, with the definitions that they point at, then other definitions."""
    definitions: Sequence[Row] = answer["definitions"]

    def cut(kept: "TruncatedAnswer") -> None:
        links, targets = [], set[int]()
        for link in answer[what]:
            target = int(link["target"])
            needed = [] if target in targets else [definitions[target]]
            if not kept.budget.fits(link, *needed):
                break
            links.append(link)
            targets.add(target)
        for index, definition in enumerate(definitions):
            if index not in targets and kept.budget.fits(definition):
                targets.add(index)
        order = {old: new for new, old in enumerate(sorted(targets))}
        kept.rows("definitions", [definitions[index] for index in order])
        kept.rows(what, [{**link, "target": order[int(link["target"])]} for link in links])
        kept.count(what)

    advice = "name project or file, or ask for fewer with limit and follow next_cursor"
    return truncate(answer, max_tokens, cut, advice)


def truncate_graph(answer: Answer, max_tokens: int) -> Answer:
    """The nodes nearest to the roots, and the edges among them."""
    nodes: Sequence[Row] = sorted(answer["nodes"], key=lambda node: int(node["distance"]))

    edges_at: dict[str, list[Row]] = {}
    for edge in answer["edges"]:
        for end in {edge["caller"], edge["callee"]}:
            edges_at.setdefault(end, []).append(edge)

    def cut(kept: "TruncatedAnswer") -> None:
        near: set[str] = set()
        for node in nodes:
            reached = near | {node["id"]}
            edges = [edge for edge in edges_at.get(node["id"], ()) if _is_among(edge, reached)]
            if not kept.budget.fits(node, *edges):
                break
            near = reached
        kept.rows("nodes", [node for node in answer["nodes"] if node["id"] in near])
        kept.rows("edges", [edge for edge in answer["edges"] if _is_among(edge, near)])
        kept.answer["root"] = [root for root in answer["root"] if root in near]
        if kept.counts:
            kept.answer.update(truncated=True, truncated_reason="max_tokens")

    return truncate(answer, max_tokens, cut, "lower depth, or name project or file")


def truncate_status(answer: Answer, max_tokens: int) -> Answer:
    """The first projects that fit."""

    def cut(kept: "TruncatedAnswer") -> None:
        kept.rows("projects", kept.budget.first(answer["projects"]))

    return truncate(answer, max_tokens, cut, "name a project")


def _is_among(edge: Row, nodes: set[str]) -> bool:
    return edge["caller"] in nodes and edge["callee"] in nodes


def _project(row: Any) -> Any:
    """Of a row, or of the node that it is about."""
    if not isinstance(row, Mapping):
        return None
    return row.get("project") or _project(row.get("node") or row.get("code"))


class TruncatedAnswer:
    """What is kept of an answer, and how many rows of it are not."""

    def __init__(self, answer: Answer, max_tokens: int) -> None:
        self._whole = answer
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
        self._count_omitted(name, len(self._whole[name]) - len(rows))

    def count(self, name: str) -> None:
        """The page ends with what is kept of the list `name`."""
        if name in self.counts:
            self.answer["count"] = len(self.answer[name])
            if "next_cursor" in self.answer:
                self.answer["next_cursor"] = None

    def receipt(self) -> None:
        """Keep of the receipt what fits, the projects of the rows that are kept first."""
        budget = Budget(self.budget.left + self._for_receipt)
        whole, receipt = self._whole["receipt"], self.answer["receipt"]
        shown = {_project(row) for name in _LISTS for row in self.answer.get(name, ())}
        receipt["missing"] = budget.first(whole["missing"])
        receipt["projects"] = budget.first(
            sorted(whole["projects"], key=lambda row: row["project"] not in shown)
        )
        for name in ("missing", "projects"):
            self._count_omitted(f"receipt.{name}", len(whole[name]) - len(receipt[name]))
        if "unresolved" in whole:
            sample = whole["unresolved"]["sample"]
            receipt["unresolved"]["sample"] = budget.first(sample)
            left = len(sample) - len(receipt["unresolved"]["sample"])
            self._count_omitted("receipt.unresolved.sample", left)

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
    """`answer` if it fits, else what `cut` keeps of it; `otherwise` ends the advice."""
    whole = estimate_tokens(answer)
    if whole <= max_tokens:
        return answer
    kept = TruncatedAnswer(answer, max_tokens)
    cut(kept)
    if "receipt" in answer:
        kept.receipt()
    advice = f"max_tokens={max_tokens} is too little for about {whole} tokens: "
    if whole <= MAX_TOKENS:
        advice += f"raise it to {whole}, or "
    if kept.counts:
        kept.answer["left_out"] = {"counts": kept.counts, "advice": f"{advice}{otherwise}."}
    return kept.answer
