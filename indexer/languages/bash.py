"""Bash and other shells: definitions only."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from indexer.languages.base import Language, grammar
from indexer.languages.lexis import HASH_COMMENTS, Lexis
from indexer.languages.rewrites import Edit, Rewrite, closing, occurrences

_SUBSTITUTION: Final = re.compile(rb"\$(\{[ \t\n]|\{\|)")


def _substitutions(source: bytes) -> Iterator[Sequence[Edit]]:
    """Write `${ command; }` as `$( command; )`."""
    for found in occurrences(_SUBSTITUTION, source):
        end = closing(source, found.start(1))
        if end >= 0:
            edits = [Edit(found.start(1), b"("), Edit(end - 1, b")")]
            if found[0].endswith(b"|"):
                edits.insert(1, Edit(found.start(1) + 1, b" "))
            yield edits


BASH: Final = Language(
    "bash",
    grammar("bash"),
    version=2,
    rewrites=(Rewrite(_substitutions),),
    lexis=Lexis((HASH_COMMENTS,)),
    linguist=("Shell", "Alpine Abuild", "Gentoo Ebuild"),
    suffixes=(".sh", ".bash", ".zsh", ".ksh", ".bats"),
    file_names=(".bashrc", ".bash_profile", ".profile", ".zshrc"),
    interpreters=("sh", "bash", "dash", "zsh", "ksh", "bats"),
)
LANGUAGES: Final = (BASH,)
