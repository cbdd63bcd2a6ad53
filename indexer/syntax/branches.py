"""Branches and loops around a place of a file, by the types of its nodes, in all grammars."""

import re
from enum import Enum, auto
from functools import cache
from typing import Final, NamedTuple

from indexer.syntax.parser import Node, ParsedFile
from indexer.syntax.trees import ByteRange

# A statement has a branch in each child but the condition.
_STATEMENT: Final = re.compile(r"(?:if|unless|try)(?:_|$)")
_BRANCH: Final = re.compile(
    r"(?:elif|elsif|elseif|else|except|catch|rescue|when|in_clause|match_arm|match_conditional"
    r"|switch_(?:case|default|section|entry|block_statement_group|rule)"
    r"|(?:case|default)_(?:clause|statement|item)"
    r"|(?:expression|type|default|communication)_case"
    r"|operator_assignment|augmented_assignment)(?:_|$)"  # `x ||= y`
)
_LOOP: Final = re.compile(
    r"(?:for|foreach|enhanced_for|c_style_for|while|until|do|repeat|loop)_|(?:for|while|until|loop)$"
)
_HANDLER: Final = re.compile(r"except|catch|rescue")
_LEAVES: Final = re.compile(rb"(?:return|throw|raise|die|exit|goto|sys\.exit|process\.exit)\b")
_BLOCK: Final = re.compile(r"(?:^|_)(?:block|body|then|statements|compound_statement|list)$")
_MAX_LAST: Final = 4  # nodes from a branch to its last statement


class _Part(Enum):
    """What a node is to what stands in it."""

    NONE = auto()
    BRANCH = auto()
    LOOP = auto()
    STATEMENT = auto()


class Branch(NamedTuple):
    """The bytes of what may be left out or repeated, and of the statement that chooses it.

    `leaves`: after it nothing else of the function is run.
    """

    start: int
    end: int
    whole_start: int = 0
    whole_end: int = 0
    is_loop: bool = False
    leaves: bool = False

    def has(self, offset: int) -> bool:
        """Whether an offset is in it."""
        return self.start <= offset < self.end

    def excludes(self, offset: int) -> bool:
        """Whether what is outside is not run after it: it is in another branch, or this leaves."""
        return self.leaves or self.whole_start <= offset < self.whole_end


def branches_around(parsed: ParsedFile, offset: int, within: ByteRange) -> list[Branch]:
    """Return the branches and loops around an offset in a range, the innermost first."""
    found: list[Branch] = []
    child = parsed.tree.root_node.descendant_for_byte_range(offset, offset)
    while child is not None and (node := child.parent) is not None:
        start, end = node.byte_range
        if start <= within[0] and end >= within[1]:
            break
        match _part(node.type):
            case _Part.BRANCH:
                found.append(_branch(parsed, node, node.parent or node))
            case _Part.LOOP:
                found.append(Branch(start, end, is_loop=True))
            case _Part.STATEMENT if _is_branch(parsed, node, child):
                found.append(_branch(parsed, child, node))
        child = node
    return found


@cache
def _part(node_type: str) -> _Part:
    if _BRANCH.match(node_type):
        return _Part.BRANCH
    if _LOOP.match(node_type):
        return _Part.LOOP
    return _Part.STATEMENT if _STATEMENT.match(node_type) else _Part.NONE


def _branch(parsed: ParsedFile, branch: Node, whole: Node) -> Branch:
    """Return a branch; what `try` has run may have been left anywhere."""
    may_fail = whole.type.startswith("try") or _HANDLER.match(branch.type)
    chosen = (0, 0) if may_fail else whole.byte_range
    return Branch(*branch.byte_range, *chosen, leaves=_leaves(parsed, branch))


def _leaves(parsed: ParsedFile, branch: Node) -> bool:
    """Whether the last statement of a branch leaves the function."""
    last = branch
    for _ in range(_MAX_LAST):
        inner = last.named_child(last.named_child_count - 1) if last.named_child_count else None
        if inner is None:
            return False
        if _LEAVES.match(parsed.source, inner.start_byte):
            return True
        if not _BLOCK.search(inner.type):
            return False
        last = inner
    return False


def _is_branch(parsed: ParsedFile, statement: Node, child: Node) -> bool:
    """Whether a part of `if` or `try` may be left out: no condition, no branch by itself.

    What `try` runs is not, if each handler leaves the function.
    """
    if _part(child.type) is _Part.BRANCH or child == statement.child_by_field_name("condition"):
        return False
    if not statement.type.startswith("try"):
        return True
    handlers = [node for node in statement.named_children if _HANDLER.match(node.type)]
    is_last = child.type.startswith("finally")
    return not is_last and not all(_leaves(parsed, handler) for handler in handlers)
