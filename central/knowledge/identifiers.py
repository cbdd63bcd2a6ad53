"""Ids of nodes as people write them. Pure: what exists is asked by `resolution`.

    ADR-042, payments-api/ADR-042      a document, of the organisation or of a project
    code:payments-api/src/a.py         a file
    code:payments-api/src/a.py#Foo.bar a definition
    code:payments-api/src/a.py#L10-L20 the definition around these lines
    code:src/a.py                      a file, where only one repository has the path

Numbers are compared without leading zeros, words without case: ADR-42 and adr-0042 are equal.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Final

from indexer.limits import NODE_ID_CHARACTERS
from indexer.records.files import NAME_CHARACTERS

CODE: Final = "code:"

_DOCUMENT: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
_PROJECT: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}(?:~[0-9]{1,19})?")
_NUMBERED: Final = re.compile(r"(.*?[a-z])[-_]?0*([0-9]+)")
_LINES: Final = re.compile(r"L([1-9][0-9]{0,7})(?:-L?([1-9][0-9]{0,7}))?")


class MalformedIdError(ValueError):
    """The text is no node's id; the message says how one is written."""


@dataclass(frozen=True, slots=True)
class DocumentId:
    """`project` is "" where none is named; `public_id` stands as it was written."""

    public_id: str
    project: str = ""

    @property
    def key(self) -> str:
        """What equal ids share."""
        return document_key(self.public_id)


@dataclass(frozen=True, slots=True)
class CodeId:
    """A place in code. `whole` is all of the text: a path may hold a `#` itself.

    `path` begins with the project if one was named. At most one of `qualified_name` and `lines`
    (first, last; 1-based, inclusive) is given.
    """

    whole: str
    path: str
    qualified_name: str = ""
    lines: tuple[int, int] | None = None


NodeId = DocumentId | CodeId


def parse_node_id(text: str) -> NodeId:
    """Raises MalformedIdError."""
    if len(text) > NODE_ID_CHARACTERS or "\0" in text:
        raise MalformedIdError(f"An id has at most {NODE_ID_CHARACTERS:,} characters.")
    if text.startswith(CODE):
        return _code_id(text.removeprefix(CODE))
    project, _, public_id = text.rpartition("/")
    if not _DOCUMENT.fullmatch(public_id) or (project and not _PROJECT.fullmatch(project)):
        raise MalformedIdError(
            "Write an id as ADR-042, PROJECT/ADR-042, code:PROJECT/PATH or "
            "code:PROJECT/PATH#QUALIFIED_NAME."
        )
    return DocumentId(public_id, project)


def document_key(public_id: str) -> str:
    """`adr-42` for ADR-42, adr-0042 and ADR_042."""
    casefolded = public_id.lower()
    numbered = _NUMBERED.fullmatch(casefolded)
    return f"{numbered[1]}-{numbered[2]}" if numbered else casefolded


def code_key(path: str, qualified_name: str) -> str:
    """Of fixed length: an index has limits that paths and names exceed."""
    digest = hashlib.sha256(f"{path}\0{qualified_name}".encode()).hexdigest()
    return f"{CODE}{digest}"


def format_code_id(project: str, path: str, qualified_name: str = "") -> str:
    """The unambiguous form."""
    fragment = f"#{qualified_name}" if qualified_name else ""
    return f"{CODE}{project}/{path}{fragment}"


def format_document_id(public_id: str, project: str = "") -> str:
    """The unambiguous form."""
    return f"{project}/{public_id}" if project else public_id


def _code_id(text: str) -> CodeId:
    path, _, fragment = text.rpartition("#") if "#" in text else (text, "", "")
    if not path or path.startswith("/"):
        raise MalformedIdError("Write code as code:PROJECT/PATH, PATH as git names the file.")
    if lines := _LINES.fullmatch(fragment):
        first = int(lines[1])
        last = int(lines[2] or first)
        if last < first:
            raise MalformedIdError("The last line must not be before the first.")
        return CodeId(text, path, lines=(first, last))
    if len(fragment) > NAME_CHARACTERS:
        raise MalformedIdError(f"A qualified name has at most {NAME_CHARACTERS} characters.")
    return CodeId(text, path, fragment)
