"""Calls of a file as its bare syntax has them: a second opinion on what the extractor reads.

It shares the grammars with the extractor, but no query and no rule.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Final, NamedTuple

import tree_sitter

from indexer.languages import detect

# The field of each kind of call that has the callee or its name.
_CALLEES: Final = {
    "call": ("function", "method"),  # Python, Ruby
    "call_expression": ("function",),
    "new_expression": ("constructor",),
    "invocation_expression": ("function",),
    "object_creation_expression": ("type",),
    "method_invocation": ("name",),
    "function_call_expression": ("function",),
    "member_call_expression": ("name",),
    "scoped_call_expression": ("name",),
}
_PATHS: Final = {
    "attribute": "attribute",
    "member_expression": "property",
    "selector_expression": "field",
    "member_access_expression": "name",
    "field_expression": "field",
    "scoped_identifier": "name",
    "scoped_type_identifier": "",
    "qualified_type": "name",
    "generic_name": "",
    "generic_type": "",
    "generic_function": "function",
    "non_null_expression": "",
    "parenthesized_expression": "",
    "as_expression": "",
}
_RECEIVERS: Final = ("object", "receiver", "scope", "operand", "expression", "value", "path")


class Call(NamedTuple):
    """A called name where it is written; `receiver` is the text before it, "" for a bare name."""

    name: str
    line: int
    column: int
    receiver: str


def read_calls(path: str, source: bytes) -> Iterator[Call]:
    """Yield the calls of a file in no order; what is called without a name is left out."""
    grammar = detect(path, source).grammar
    if grammar is None:
        return
    language = tree_sitter.Language(getattr(import_module(grammar.module), grammar.function)())
    waiting = [tree_sitter.Parser(language).parse(source).root_node]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        for field in _CALLEES.get(node.type, ()):
            callee = node.child_by_field_name(field)
            if callee is not None:
                yield from _call(callee, node, source)


def _call(callee: tree_sitter.Node, call: tree_sitter.Node, source: bytes) -> Iterator[Call]:
    name, receiver = callee, _field(call, _RECEIVERS)
    while name.type in _PATHS:
        receiver = _field(name, _RECEIVERS) or receiver
        field = _PATHS[name.type]
        following = name.child_by_field_name(field) if field else name.named_children[0]
        if following is None:
            return
        name = following
    if name.named_child_count:
        return  # the result of a call, an element
    line, start = name.start_point
    before = source[name.start_byte - start : name.start_byte].decode()
    text = receiver.text if receiver is not None else None
    yield Call((name.text or b"").decode(), line + 1, len(before), (text or b"").decode())


def _field(node: tree_sitter.Node, names: tuple[str, ...]) -> tree_sitter.Node | None:
    found = (node.child_by_field_name(name) for name in names)
    return next((one for one in found if one is not None), None)
