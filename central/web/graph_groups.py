"""Which nodes of a call graph stand in the picture as one: those of a file, or of a project. Pure.

A picture of few nodes has no groups. A reader opens a group by its id.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from aeterna_code_search.contract.trace import GraphNode

PICTURE_NODES: Final = 40  # of a call graph that are drawn one by one
_Levels: TypeAlias = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes of one layer of the picture; `file` is "" if they are of a whole project."""

    id: str
    project: str
    file: str
    nodes: tuple[GraphNode, ...]


def groups_of(
    nodes: Sequence[GraphNode],
    *,
    roots: Collection[str],
    levels: _Levels,
    opened: Collection[str] = (),
) -> dict[str, NodeGroup]:
    """Return the group of each node that has one, by the node's id.

    By file. While that leaves too many boxes, the project that has most of them in a layer is one,
    and by file if it is opened. `levels` are the layers of the picture. Roots stand alone.
    """
    if len(nodes) <= PICTURE_NODES:
        return {}
    others = [node for node in nodes if node.id not in roots]
    by_file = _grouped(others, levels, lambda node: node.file)
    crowded = _crowded(others, levels, by_file, PICTURE_NODES - len(nodes) + len(others))
    whole = [node for node in others if (levels[node.id], node.project) in crowded]
    by_project = _without(_grouped(whole, levels, lambda _: ""), opened)
    return _without(by_file, opened) | by_project


def _crowded(
    nodes: Sequence[GraphNode], levels: _Levels, groups: Mapping[str, NodeGroup], room: int
) -> set[tuple[int, str]]:
    """Return (level, project) of those that must be one box each, so that all find room.

    Never if there is only one: a picture of one box tells nothing.
    """
    boxes = defaultdict[tuple[int, str], set[str]](set)
    for node in nodes:
        group = groups.get(node.id)
        boxes[levels[node.id], node.project].add(group.id if group else node.id)
    count = sum(map(len, boxes.values()))
    found = set[tuple[int, str]]()
    for box in sorted(boxes, key=lambda crowd: (-len(boxes[crowd]), crowd)):
        if count <= room or len(boxes) == 1:
            break
        count -= len(boxes[box]) - 1
        found.add(box)
    return found


def _grouped(
    nodes: Sequence[GraphNode], levels: _Levels, file_of: Callable[[GraphNode], str]
) -> dict[str, NodeGroup]:
    """Return the groups that have more than one node."""
    members = defaultdict[tuple[int, str, str], list[GraphNode]](list)
    for node in nodes:
        members[levels[node.id], node.project, file_of(node)].append(node)
    found: dict[str, NodeGroup] = {}
    for (level, project, file), several in members.items():
        name = f"{level}:{project}/{file}" if file else f"{level}:{project}"
        group = NodeGroup(name, project, file, tuple(several))
        found |= {node.id: group for node in several if len(several) > 1}
    return found


def _without(groups: Mapping[str, NodeGroup], opened: Collection[str]) -> dict[str, NodeGroup]:
    return {node: group for node, group in groups.items() if group.id not in opened}
