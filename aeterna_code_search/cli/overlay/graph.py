"""Merge two call graphs of a symbol: edges from changed files come from the work tree. Pure.

An edge belongs to its caller's file. As in a trace, edges to other projects come from central, on
lines that were not edited.
"""

from collections.abc import Collection, Iterable, Mapping
from sys import maxsize
from typing import Any

from aeterna_code_search.cli.overlay.overlay import EDITED_LINES, Overlay, Row


def merge_graph(
    central: Mapping[str, Any], local: Mapping[str, Any] | None, overlay: Overlay
) -> Row:
    """Merge by node id; `local` is None if the project does not have the symbol."""
    if overlay.is_empty:
        return {**central}
    ours = _renamed(local, overlay) if local else {"root": [], "nodes": [], "edges": []}
    nodes = {node["id"]: node for node in central["nodes"]}
    own = {node["id"]: node for node in ours["nodes"]}
    stay, edited = _central_edges(central["edges"], nodes, overlay, has_local=local is not None)
    edges = [*stay, *(edge for edge in ours["edges"] if _is_local_edge(edge, own, overlay))]
    edges.sort(key=lambda edge: (edge["caller"], edge["callee"]))
    root = [*central["root"], *_new_roots(ours["root"], nodes, own, overlay)]
    shown = [_node(node_id, nodes, own, overlay, set(root)) for node_id in _in_use(root, edges)]
    is_incomplete = edited or _may_lack_edges(shown, central["root"], overlay)
    reasons = overlay.gaps + ([EDITED_LINES] if is_incomplete else [])
    return {
        **central,
        "root": root,
        "nodes": sorted(shown, key=lambda node: (node["distance"], node["id"])),
        "edges": edges,
        **_truncated(central, ours),
        "receipt": overlay.receipt(central["receipt"], *reasons),
        "hint": None if edges else central.get("hint") or ours.get("hint"),
    }


def local_only_graph(local: Mapping[str, Any], overlay: Overlay) -> Row:
    """Return the graph of a symbol that central does not know."""
    ours = _renamed(local, overlay)
    receipt = overlay.receipt(overlay.local_receipt(local["receipt"]), EDITED_LINES)
    return {**ours, "receipt": receipt}


def _may_lack_edges(nodes: Iterable[Row], root: Collection[str], overlay: Overlay) -> bool:
    """Whether edited lines may refer to other projects, which the local index does not know.

    A node has no end line, so all new lines of its file count.
    """
    foreign = {
        node["name"] for node in nodes if node["id"] in root and node["project"] != overlay.project
    }
    files = {node["file"] for node in nodes if node.get("local")}
    return overlay.lines.is_mentioned(sorted(foreign)) or any(
        overlay.lines.are_edited(file, 1, maxsize) for file in sorted(files)
    )


def _renamed(local: Mapping[str, Any], overlay: Overlay) -> Row:
    """Rename the project in the local graph to central's name, and drop other projects."""
    ids = {node["id"]: _id(node, overlay) for node in local["nodes"] if overlay.is_own(node)}
    return {
        **local,
        "root": [ids[node_id] for node_id in local["root"] if node_id in ids],
        "nodes": [
            {**overlay.local_row(node), "id": ids[node["id"]]}
            for node in local["nodes"]
            if node["id"] in ids
        ],
        "edges": [
            {
                **overlay.local_row(edge),
                "caller": ids[edge["caller"]],
                "callee": ids[edge["callee"]],
            }
            for edge in local["edges"]
            if edge["caller"] in ids and edge["callee"] in ids
        ],
    }


def _id(node: Row, overlay: Overlay) -> str:
    path = str(node["id"]).removeprefix(f"code:{overlay.local_project}/")
    return f"code:{overlay.project}/{path}"


def _central_edges(
    edges: Iterable[Row], nodes: Mapping[str, Row], overlay: Overlay, *, has_local: bool
) -> tuple[list[Row], int]:
    """Return central's edges that remain valid, and how many are on edited lines."""
    retained, edited = [], 0
    for edge in edges:
        if not overlay.is_overridden(edge):
            retained.append(edge)
        elif not has_local or nodes[edge["callee"]]["project"] != overlay.project:
            line = overlay.lines.map_line(edge["file"], edge["line"])
            edited += line is None
            retained += [] if line is None else [overlay.local_row({**edge, "line": line})]
    return retained, edited


def _is_local_edge(edge: Row, own: Mapping[str, Row], overlay: Overlay) -> bool:
    return overlay.has(edge["file"]) and edge["caller"] in own and edge["callee"] in own


def _new_roots(
    root: Iterable[str], nodes: Mapping[str, Row], own: Mapping[str, Row], overlay: Overlay
) -> list[str]:
    return [
        node_id for node_id in root if node_id not in nodes and overlay.has(own[node_id]["file"])
    ]


def _in_use(root: Iterable[str], edges: Iterable[Row]) -> list[str]:
    endpoints = [end for edge in edges for end in (edge["caller"], edge["callee"])]
    return list(dict.fromkeys([*root, *endpoints]))


def _node(
    node_id: str, nodes: Mapping[str, Row], own: Mapping[str, Row], overlay: Overlay, root: set[str]
) -> Row:
    central_node, local_node = nodes.get(node_id), own.get(node_id)
    if central_node is None:
        return own[node_id]
    if not overlay.is_overridden(central_node):
        return central_node
    if local_node is not None:
        return {**local_node, "distance": central_node["distance"]}
    line = (
        overlay.lines.map_line(central_node["file"], central_node["line"]) or central_node["line"]
    )
    return {**central_node, "line": line, **({"gone": True} if node_id in root else {})}


def _truncated(central: Mapping[str, Any], local: Mapping[str, Any]) -> Row:
    reasons = [graph.get("truncated_reason") for graph in (central, local)]
    text = " ".join(dict.fromkeys(reason for reason in reasons if reason))
    return {"truncated": bool(text), "truncated_reason": text or None}
