"""Call sites as other parsers see them: ast-grep for each language, and Python's own for Python.

ast-grep has grammars of its own builds and releases; of the product only their names are used.
"""

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from ast_grep_py import SgNode, SgRoot

# Kinds of nodes that call, and the field with what is called; "" for the first child.
_CALLS: Final = {
    "python": {"call": "function"},
    "javascript": {"call_expression": "function", "new_expression": "constructor"},
    "typescript": {"call_expression": "function", "new_expression": "constructor"},
    "tsx": {"call_expression": "function", "new_expression": "constructor"},
    "go": {"call_expression": "function"},
    "java": {"method_invocation": "name", "object_creation_expression": "type"},
    "c": {"call_expression": "function"},
    "cpp": {"call_expression": "function", "new_expression": "type"},
    "csharp": {"invocation_expression": "function", "object_creation_expression": "type"},
    "ruby": {"call": "method"},
    "rust": {"call_expression": "function", "macro_invocation": "macro"},
    "kotlin": {"call_expression": ""},
    "scala": {"call_expression": "function"},
    "swift": {"call_expression": ""},
    "php": {
        "function_call_expression": "function",
        "member_call_expression": "name",
        "nullsafe_member_call_expression": "name",
        "scoped_call_expression": "name",
    },
    "elixir": {"call": "target"},
    "lua": {"function_call": "name"},
}
# What else holds of a node that calls. In Elixir fields, attributes and heads of definitions are
# calls to the grammar.
_HEAD: Final = {"kind": "arguments", "inside": {"has": {"field": "target", "regex": "^def"}}}
_RULES: Final[dict[str, Any]] = {
    "elixir": {
        "has": {"kind": "arguments"},
        "not": {
            "any": [
                {"inside": {"kind": "unary_operator", "regex": "^@", "stopBy": "end"}},
                {"inside": _HEAD},
                {"inside": {"kind": "binary_operator", "inside": _HEAD}},
            ]
        },
    }
}
_ROOT: Final = re.compile(r"(?:new\s+|\\)?(?:([\w$]+)\s*(?:\.|\?\.|&\.|::|->|:))?")
_ANGLES: Final = r"[^()<>]*(?:<[^()<>]*(?:<[^()<>]*>[^()<>]*)*>[^()<>]*)*"
_TYPE_ARGUMENTS: Final = re.compile(rf"(?:::)?<{_ANGLES}>\Z")
# Kinds of nodes whose value is of a type of the language.
_LITERALS: Final = re.compile(
    r"(?:.*_)?(?:string|string_literal|template_string|array|list|dictionary|number|regex|char)"
    r"|(?:list|set|dictionary)_comprehension|tuple|number_literal|integer|float|subshell|atom"
)
LITERAL: Final = '""'
_LAST_NAME: Final = re.compile(r"(?:r#)?(?:[^\W\d]|\$)[\w$]*[!?]?\Z")


class CallSite(NamedTuple):
    """A called name where it is written: 1-based line, 0-based column in characters.

    `root` is the name itself if nothing stands before it, or the one name before it; LITERAL after
    a literal; else "".
    """

    name: str
    line: int
    column: int
    root: str


def call_sites(language: str, text: str) -> Iterator[CallSite]:
    """Yield the calls of names; a language that ast-grep does not know has none."""
    calls = _CALLS.get(language)
    if calls:
        yield from _of_ast_grep(calls, language, text)
    if language == "python":
        yield from _of_python(text)


def _of_ast_grep(calls: dict[str, str], language: str, text: str) -> Iterator[CallSite]:
    starts = _line_starts(text)
    root = SgRoot(text, language).root()
    rule: Any = {"any": [{"kind": kind} for kind in calls], **_RULES.get(language, {})}
    for node in root.find_all({"rule": rule}):
        callee = _callee(node, calls[node.kind()])
        if callee is None:
            continue
        written = _TYPE_ARGUMENTS.sub("", callee.text()).rstrip("!")
        if found := _LAST_NAME.search(written):
            offset = callee.range().start.index + found.start()
            line = bisect_right(starts, offset)
            before = _ROOT.fullmatch(text, node.range().start.index, offset)
            root_name = (before[1] or found[0]) if before else _literal(node, callee)
            yield CallSite(found[0], line, offset - starts[line - 1], root_name)


def _literal(node: SgNode, callee: SgNode) -> str:
    """Return LITERAL if the callee is a member of one, else ""."""
    receiver = callee.field("object") or node.field("object") or callee.field("value")
    receiver = receiver or callee.field("left")
    return LITERAL if receiver and _LITERALS.fullmatch(receiver.kind()) else ""


def _callee(node: SgNode, field: str) -> SgNode | None:
    return node.field(field) if field else next(iter(node.children()), None)


_PYTHON_LITERALS: Final = (
    ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


def _of_python(text: str) -> Iterator[CallSite]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = text.split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        callee = node.func
        name = getattr(callee, "attr", None) or getattr(callee, "id", None)
        if name is None or callee.end_lineno is None or callee.end_col_offset is None:
            continue
        end = len(lines[callee.end_lineno - 1].encode()[: callee.end_col_offset].decode())
        value = getattr(callee, "value", callee)
        root = value.id if isinstance(value, ast.Name) else ""
        root = LITERAL if isinstance(value, _PYTHON_LITERALS) else root
        yield CallSite(name, callee.end_lineno, end - len(name), root)


def _line_starts(text: str) -> Sequence[int]:
    return [0, *(found.end() for found in re.finditer("\n", text))]
