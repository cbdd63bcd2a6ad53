"""Encodings that files declare in their own text: Python, Ruby, editors, XML, HTML, JSP and CSS.

Only the beginning is read, as the specifications say.
"""

import re
from pathlib import PurePosixPath
from typing import Final

from indexer.languages import detect

_HEAD_BYTES: Final = 1_024  # in which the HTML standard looks for a `meta` element
_LABEL: Final = rb"([A-Za-z0-9][\w.:+-]{0,39})"
# PEP 263, and Ruby's magic comment, which is of the same form.
_COMMENT: Final = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*" + _LABEL)
_NOT_CODE: Final = re.compile(rb"[ \t\f]*(?:#.*)?\r?")
_COMPILED: Final = frozenset({"python", "ruby"})
_EDITOR: Final = re.compile(
    rb"-\*-.{0,200}?\bcoding:[ \t]*" + _LABEL
    + rb"|\bvim?:.{0,200}?\b(?:fenc|fileencoding)=" + _LABEL
)  # fmt: skip
_XML: Final = re.compile(rb"""<\?xml\s[^>]{0,200}?\bencoding\s*=\s*["']""" + _LABEL)
_CSS: Final = re.compile(rb'@charset "' + _LABEL)
_HTML: Final = re.compile(
    rb"""<meta\s[^>]{0,200}?\bcharset\s*=\s*["']?\s*""" + _LABEL
    + rb"""|<%@[^>]{0,400}?\bpageEncoding\s*=\s*["']""" + _LABEL,
    re.IGNORECASE,
)  # fmt: skip
_HTML_SUFFIXES: Final = frozenset({
    ".asp", ".aspx", ".cshtml", ".ejs", ".erb", ".htm", ".html", ".jsp", ".jspf", ".php", ".phtml",
    ".shtml", ".vue", ".xhtml",
})  # fmt: skip


def compiled_label(path: str, content: bytes) -> str:
    """Return the label by which the file's compiler decodes it, whatever its bytes look like."""
    if b"coding" not in content[:_HEAD_BYTES]:
        return ""
    return _comment_label(content) if detect(path, content).name in _COMPILED else ""


def label_in(path: str, content: bytes) -> str:
    """Return the label that the file declares; "" if it declares none."""
    head = content[:_HEAD_BYTES]
    found = _XML.match(head) or _CSS.match(head) or _EDITOR.search(_first_lines(head))
    if not found and PurePosixPath(path).suffix.lower() in _HTML_SUFFIXES:
        found = _HTML.search(head)
    return compiled_label(path, content) or _label(found)


def _comment_label(content: bytes) -> str:
    first, _, rest = content[:_HEAD_BYTES].partition(b"\n")
    found = _COMMENT.match(first)
    if not found and _NOT_CODE.fullmatch(first):
        found = _COMMENT.match(rest)
    return _label(found)


def _first_lines(head: bytes) -> bytes:
    """Return the first line, with the next one if it names an interpreter."""
    lines = head.split(b"\n", 2)
    return b"\n".join(lines[:2]) if lines[0].startswith(b"#!") else lines[0]


def _label(found: re.Match[bytes] | None) -> str:
    return found[found.lastindex or 0].decode("ascii") if found else ""
