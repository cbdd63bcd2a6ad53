"""Linguist's strategies, one after the other, until one language remains.

These are the mode line of an editor, the file's name, its `#!` line, its suffix, an XML
declaration, and patterns of the content. In two points an editor's or a shell's line does not
decide, where Linguist lets it: if the name has a suffix that only one language has, and that is
`certain`. Mode lines name the mode that is nearest (`Mode: Java` in JavaScript), and `sh` is the
first interpreter of files that are also a script of the language of their suffix.
"""

import re
from collections.abc import Collection
from typing import Final

from indexer.linguist.facts import Names, facts, language_named, rules_of
from indexer.linguist.interpreters import interpreter_languages
from indexer.linguist.modelines import mode

LANGUAGE_BYTES: Final = 51_200  # in which patterns tell a language, as many as Linguist reads
_XML: Final = re.compile(rb"xml version=")
_XML_BYTES: Final = 1_024
_SHELL: Final = "Shell"


def candidates(name: str, content: bytes, *, certain: Collection[str] = ()) -> Names:
    """Return the languages that a file of this name may have: one if the rules decide.

    Without content, those that its name tells.
    """
    by_suffix = suffix_languages(name)
    is_certain = len(by_suffix) == 1 and by_suffix[0] in certain
    if not is_certain and (language := language_named(mode(content))):
        return (language,)
    found: Names = facts().file_names.get(name, ())
    if len(found) == 1:
        return found
    by_interpreter = interpreter_languages(content)
    if not (is_certain and _SHELL in by_interpreter):
        found = _narrowed(found, by_interpreter)
    if len(found) == 1:
        return found
    found = _narrowed(found, by_suffix)
    if not found and _XML.search(b"\n".join(content[:_XML_BYTES].split(b"\n", 2)[:2])):
        return ("XML",)
    return found if len(found) == 1 else _by_content(name, content) or found


def suffix_languages(name: str) -> Names:
    """Return the languages with the longest suffix of the name that any language has."""
    suffix = _known_suffix(name.lower())
    return () if suffix in facts().generic_suffixes else facts().suffixes.get(suffix, ())


def _known_suffix(name: str) -> str:
    start = name.find(".")
    while start >= 0:
        if name[start:] in facts().suffixes:
            return name[start:]
        start = name.find(".", start + 1)
    return ""


def _narrowed(found: Names, others: Names) -> Names:
    """Return those of both, unless there are none."""
    if not found:
        return others
    return [language for language in found if language in others] or found


def _by_content(name: str, content: bytes) -> Names:
    head = content[:LANGUAGE_BYTES]
    rules = rules_of(_known_suffix(name.lower()))
    return next((rule.languages for rule in rules if rule.fits(head)), ())
