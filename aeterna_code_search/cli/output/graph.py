"""The call graph of a symbol: trees on a terminal, one edge per line in a pipe."""

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from aeterna_code_search.cli.output.links import CONFIDENCE_STYLES, definition_missing
from aeterna_code_search.client.console import Console
from aeterna_code_search.client.text import location_link, path_of
from indexer.output.terminal import escape_line

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

Answer = Mapping[str, Any]
Edge = Mapping[str, Any]


def format_plain(answer: Answer) -> str:
    """Format `project/path:line: caller -> callee at project/path:line (confidence)` lines."""
    nodes = {node["id"]: node for node in answer["nodes"]}
    return "".join(
        f"{path_of(edge)}:{edge['line']}: "
        f"{escape_line(nodes[edge['caller']]['qualified_name'])} -> "
        f"{escape_line(nodes[edge['callee']]['qualified_name'])} at "
        f"{path_of(nodes[edge['callee']])}:{nodes[edge['callee']]['line']} "
        f"({escape_line(edge['confidence'])}, {escape_line(edge['rule'])})\n"
        for edge in answer["edges"]
    )


def render(console: Console, answer: Answer) -> str:
    """Render trees of callers and of callees for each definition, or lines for a pipe."""
    if not console.is_terminal:
        return format_plain(answer)
    from rich.text import Text

    branches = _Branches(answer)
    return console.render(
        *(part for root in answer["root"] for part in (branches.around(root), Text()))
    )


class _Branches:
    def __init__(self, answer: Answer) -> None:
        self._nodes = {node["id"]: node for node in answer["nodes"]}
        self._edges: dict[tuple[str, str], list[Edge]] = defaultdict(list)
        for edge in answer["edges"]:
            self._edges["callee", edge["callee"]].append(edge)
            self._edges["caller", edge["caller"]].append(edge)

    def around(self, root: str) -> "Tree":
        from rich.text import Text
        from rich.tree import Tree

        tree = Tree(_label(self._nodes[root]))
        for title, near, far in (("called by", "callee", "caller"), ("calls", "caller", "callee")):
            if self._edges[near, root]:
                branch = tree.add(Text(title, style="italic"))
                self._grow(branch, root, (near, far), {root})
        return tree

    def _grow(self, tree: "Tree", node: str, endpoints: tuple[str, str], shown: set[str]) -> None:
        """Add the nodes beyond `node`; a node that is shown elsewhere is not expanded again.

        The service returns at most five levels.
        """
        near, far = endpoints
        for edge in self._edges[near, node]:
            beyond = edge[far]
            label = _label(self._nodes[beyond])
            confidence = edge["confidence"]
            label.append(
                f"  {escape_line(confidence)}", style=CONFIDENCE_STYLES.get(confidence, "")
            )
            if edge["count"] > 1:
                label.append(f"  at {edge['count']} places", style="dim")
            branch = tree.add(label)
            if beyond not in shown:
                shown.add(beyond)
                self._grow(branch, beyond, endpoints, shown)


def _label(node: Mapping[str, Any]) -> "Text":
    from rich.text import Text

    label = Text(escape_line(node["qualified_name"]), style="bold")
    label.append("  ").append_text(location_link(node, node["line"]))
    return label.append(definition_missing(node), style="red")
