"""All languages, and the detection of a file's language. No grammar is imported here.

Modules of this package with `LANGUAGES` are collected, so a new language needs no entry.
"""

from pathlib import PurePosixPath
from typing import Final

from indexer.languages.base import Language, languages_of_modules
from indexer.languages.plain import TEXT
from indexer.linguist import candidates, interpreters, language_named, without_versions

LANGUAGES_BY_NAME: Final = {language.name: language for language in languages_of_modules()}
_LANGUAGES: Final = tuple(LANGUAGES_BY_NAME.values())
PARSED: Final = tuple(language for language in _LANGUAGES if language.grammar is not None)
HOSTS: Final = tuple(language for language in _LANGUAGES if language.host is not None)

SUFFIXES: Final = {suffix: language for language in _LANGUAGES for suffix in language.suffixes}
FILENAMES: Final = {name: language for language in _LANGUAGES for name in language.file_names}
INTERPRETERS: Final = {name: language for language in _LANGUAGES for name in language.interpreters}
BY_LINGUIST: Final = {name: language for language in _LANGUAGES for name in language.linguist}
PARSED_NAMES: Final = frozenset(
    name for language in (*PARSED, *HOSTS) for name in language.linguist
)
_PREFIXES: Final = {
    prefix: language for language in _LANGUAGES for prefix in language.file_name_prefixes
}


def detect(path: str, content: bytes) -> Language:
    """Detect a file's language by its name and content; `text` if it has no other.

    What Linguist's rules leave open is decided by the suffix or interpreter of our own languages.
    """
    name = PurePosixPath(path).name
    found = candidates(name, content, certain=PARSED_NAMES)
    if len(found) == 1:
        return BY_LINGUIST.get(found[0], TEXT)
    own = _by_own_name(name.lower()) or _by_own_interpreter(content)
    if not found:
        return own or TEXT
    known = {BY_LINGUIST.get(name, TEXT).name for name in found}
    if own and own.name in known:
        return own
    return LANGUAGES_BY_NAME[known.pop()] if len(known) == 1 else TEXT


def named(name: str) -> Language | None:
    """Return the language with a name or alias of Linguist's; None if it knows none.

    Of a language that is not ours, `text`.
    """
    language = language_named(name)
    return BY_LINGUIST.get(language, TEXT) if language else None


def _by_own_name(name: str) -> Language | None:
    """Return the language of a file name in lower case."""
    language = FILENAMES.get(name) or SUFFIXES.get(PurePosixPath(name).suffix)
    return language or next(
        (language for prefix, language in _PREFIXES.items() if name.startswith(prefix)), None
    )


def _by_own_interpreter(content: bytes) -> Language | None:
    names = (
        name for interpreter in interpreters(content) for name in without_versions(interpreter)
    )
    return next((INTERPRETERS[name] for name in names if name in INTERPRETERS), None)
