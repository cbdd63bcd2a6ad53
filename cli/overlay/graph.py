"""Two graphs around one symbol as one: edges out of changed files as the work tree has them. Pure.

An edge stands in its caller's file, so that file says who tells it. As in a trace, what leaves the
project is central's, on lines that were not edited.
"""

from collections.abc import Collection, Iterable, Mapping
from sys import maxsize
from typing import Any

from cli.overlay.overlay import EDITED_LINES, Overlay, Row


def merge_graph(
    central: Mapping[str, Any], local: Mapping[str, Any] | None, overlay: Overlay
) -> Row:
    """Nodes united by id; `local` is None where the symbol is not there, or not the project's."""
    if overlay.is_empty:
        return {**central}
    ours = _renamed(local, overlay) if local else {"root": [], "nodes": [], "edges": []}
    nodes = {node["id"]: node for node in central["nodes"]}
    own = {node["id"]: node for node in ours["nodes"]}
    stay, edited = _central_edges(central["edges"], nodes, overlay, is_told=local is not None)
    edges = [*stay, *(edge for edge in ours["edges"] if _is_told(edge, own, overlay))]
    edges.sort(key=lambda edge: (edge["caller"], edge["callee"]))
    root = [*central["root"], *_new_roots(ours["root"], nodes, own, overlay)]
    shown = [_node(one, nodes, own, overlay, set(root)) for one in _in_use(root, edges)]
    is_lacking = edited or _is_lacking(shown, central["root"], overlay)
    reasons = overlay.gaps + ([EDITED_LINES] if is_lacking else [])
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
    """The graph of a symbol that central does not know."""
    ours = _renamed(local, overlay)
    receipt = overlay.receipt(overlay.local_receipt(local["receipt"]), EDITED_LINES)
    return {**ours, "receipt": receipt}


def _is_lacking(nodes: Iterable[Row], root: Collection[str], overlay: Overlay) -> bool:
    """Whether edited lines may use something of which the local index cannot know.

    A node does not say where it ends, so all new lines of its file count.
    """
    foreign = {
        node["name"] for node in nodes if node["id"] in root and node["project"] != overlay.project
    }
    files = {node["file"] for node in nodes if node.get("local")}
    return overlay.lines.is_mentioned(sorted(foreign)) or any(
        overlay.lines.are_edited(file, 1, maxsize) for file in sorted(files)
    )


def _renamed(local: Mapping[str, Any], overlay: Overlay) -> Row:
    """The local graph under central's name of the project, without other projects."""
    ids = {node["id"]: _id(node, overlay) for node in local["nodes"] if overlay.is_own(node)}
    return {
        **local,
        "root": [ids[one] for one in local["root"] if one in ids],
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
    edges: Iterable[Row], nodes: Mapping[str, Row], overlay: Overlay, *, is_told: bool
) -> tuple[list[Row], int]:
    """Those of central's that stay, and how many are on edited lines."""
    kept, edited = [], 0
    for edge in edges:
        if not overlay.is_overridden(edge):
            kept.append(edge)
        elif not is_told or nodes[edge["callee"]]["project"] != overlay.project:
            line = overlay.lines.moved(edge["file"], edge["line"])
            edited += line is None
            kept += [] if line is None else [overlay.local_row({**edge, "line": line})]
    return kept, edited


def _is_told(edge: Row, own: Mapping[str, Row], overlay: Overlay) -> bool:
    return overlay.has(edge["file"]) and edge["caller"] in own and edge["callee"] in own


def _new_roots(
    root: Iterable[str], nodes: Mapping[str, Row], own: Mapping[str, Row], overlay: Overlay
) -> list[str]:
    return [one for one in root if one not in nodes and overlay.has(own[one]["file"])]


def _in_use(root: Iterable[str], edges: Iterable[Row]) -> list[str]:
    ends = [end for edge in edges for end in (edge["caller"], edge["callee"])]
    return list(dict.fromkeys([*root, *ends]))


def _node(
    one: str, nodes: Mapping[str, Row], own: Mapping[str, Row], overlay: Overlay, root: set[str]
) -> Row:
    known, fresh = nodes.get(one), own.get(one)
    if known is None:
        return own[one]
    if not overlay.is_overridden(known):
        return known
    if fresh is not None:
        return {**fresh, "distance": known["distance"]}
    line = overlay.lines.moved(known["file"], known["line"]) or known["line"]
    return {**known, "line": line, **({"gone": True} if one in root else {})}


def _truncated(central: Mapping[str, Any], local: Mapping[str, Any]) -> Row:
    reasons = [one.get("truncated_reason") for one in (central, local)]
    told = " ".join(dict.fromkeys(reason for reason in reasons if reason))
    return {"truncated": bool(told), "truncated_reason": told or None}
