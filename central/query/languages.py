"""The languages of `lang:`: other names of them, and the check against the languages that exist.

The names themselves are the indexer's; the caller gives them.
"""

from collections.abc import Collection, Mapping
from typing import Final

from central.query.errors import QueryError, known_names
from central.query.filters import FilterName
from central.query.syntax import Filter, Query, leaves

# Languages as people and other tools call them, with the names that the index has.
LANGUAGE_ALIASES: Final[Mapping[str, str]] = {
    "bat": "batch",
    "bazel": "starlark",
    "bzl": "starlark",
    "c#": "csharp",
    "c++": "cpp",
    "cs": "csharp",
    "docker-file": "docker",
    "dockerfile": "docker",
    "f#": "fsharp",
    "golang": "go",
    "gomod": "go-mod",
    "htm": "html",
    "ipynb": "jupyter",
    "js": "javascript",
    "jsx": "javascript",
    "kt": "kotlin",
    "makefile": "make",
    "md": "markdown",
    "notebook": "jupyter",
    "objc": "objective-c",
    "objectivec": "objective-c",
    "plaintext": "text",
    "proto": "protobuf",
    "ps1": "powershell",
    "py": "python",
    "rb": "ruby",
    "rs": "rust",
    "rst": "restructuredtext",
    "sh": "bash",
    "shell": "bash",
    "skylark": "starlark",
    "terraform": "hcl",
    "ts": "typescript",
    "txt": "text",
    "yml": "yaml",
}


def language_name(value: str) -> str:
    """Return the index's name of a language, if the value is a known alias; else the value."""
    return LANGUAGE_ALIASES.get(value.lower(), value.lower())


def check_languages(query: Query, known: Collection[str]) -> None:
    """Raise QueryError for a `lang:` that is none of the known languages, with near names."""
    for term in leaves(query.root):
        if isinstance(term, Filter) and term.name is FilterName.LANG and term.value not in known:
            raise QueryError(unknown_language(term.value, known), column=term.column)


def unknown_language(value: str, known: Collection[str]) -> str:
    """Return the refusal of a language, with near names."""
    names = {*known, *(alias for alias, name in LANGUAGE_ALIASES.items() if name in known)}
    return f'there is no language "{value}". {known_names(value, names)}'.rstrip()
