"""Calls in a syntax tree of Python: the callee, and the arguments by place and by keyword."""

from typing import NamedTuple

from indexer.syntax.parser import Node, ParsedFile
from indexer.syntax.trees import ByteRange

_LISTS = frozenset({"list", "tuple", "set"})
_STRINGS = frozenset({"string", "concatenated_string"})
_BRACKETS = frozenset({"parenthesized_expression"})


class Call(NamedTuple):
    """A call, or a name that is used like one: a decorator without brackets."""

    callee: str
    arguments: tuple[Node, ...] = ()
    keywords: dict[str, Node] = {}

    def argument(self, place: int, keyword: str) -> Node | None:
        """Return an argument by its place or keyword."""
        return self.arguments[place] if place < len(self.arguments) else self.keywords.get(keyword)


def node_at(parsed: ParsedFile, mark: ByteRange) -> Node | None:
    """Return the smallest node that has all of the bytes."""
    return parsed.tree.root_node.descendant_for_byte_range(*mark)


def text_of(parsed: ParsedFile, node: Node) -> str:
    """Return the source of a node."""
    return parsed.source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def read_call(parsed: ParsedFile, node: Node) -> Call:
    """Return the call that a node is; of any other expression its text."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None:
        return Call(text_of(parsed, node))
    by_place: list[Node] = []
    keywords: dict[str, Node] = {}
    for argument in arguments.named_children:
        name = argument.child_by_field_name("name")
        value = argument.child_by_field_name("value")
        if argument.type == "keyword_argument" and name is not None and value is not None:
            keywords[text_of(parsed, name)] = value
        elif argument.type != "comment":
            by_place.append(argument)
    return Call(text_of(parsed, function), tuple(by_place), keywords)


def read_strings(parsed: ParsedFile, node: Node | None) -> list[str]:
    """Return the strings in `string_nodes`."""
    return [string_value(parsed, node) for node in string_nodes(node)]


def string_nodes(node: Node | None) -> list[Node]:
    """Return the string that a node is, or those in a list or tuple; others are left out."""
    while node is not None and node.type in _BRACKETS and node.named_child_count == 1:
        node = node.named_children[0]
    if node is None:
        return []
    several = node.named_children if node.type in _LISTS else [node]
    return [node for node in several if node.type in _STRINGS]


def string_value(parsed: ParsedFile, string: Node) -> str:
    """Return the content of a string, or of several that follow one another."""
    if string.type == "string_content":
        return text_of(parsed, string)
    parts = string.named_children if string.type in _STRINGS else ()
    return "".join(string_value(parsed, part) for part in parts)
