"""Bash and other shells: definitions only."""

from typing import Final

from indexer.languages.base import Language, grammar

BASH: Final = Language(
    "bash",
    grammar("bash"),
    suffixes=(".sh", ".bash", ".zsh", ".ksh", ".bats"),
    file_names=(".bashrc", ".bash_profile", ".profile", ".zshrc"),
    interpreters=("sh", "bash", "dash", "zsh", "ksh", "bats"),
)
LANGUAGES: Final = (BASH,)
