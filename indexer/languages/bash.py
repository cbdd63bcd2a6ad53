"""Bash and other shells. `queries/bash.trace.scm` matches imports and references."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from indexer.languages.base import HASH_COMMENTS, Language, Lexis, ModuleName, grammar, names
from indexer.languages.import_style import ImportStyle, path_ends, path_module, relative_module
from indexer.languages.rewrites import Edit, Rewrite, closing, occurrences
from indexer.records.manifests import Ecosystem

_SUBSTITUTION: Final = re.compile(rb"\$(\{[ \t\n]|\{\|)")
# The end of a path that is written after what only the running shell knows.
_AFTER_EXPANSIONS: Final = re.compile(r"(.*(?:[)}`]|\$\w+))((?:/[^/$`(){}\[\]*?]+)+)\Z", re.DOTALL)
_EXPANSION: Final = re.compile(r"[$`*?<~]")
_PLACE_OF_FILE: Final = re.compile(r"BASH_SOURCE|BATS_TEST_DIRNAME|\$\{?0|%[xN]")
_PLACE_OUTSIDE: Final = re.compile(r"\$\{?HOME\b|`|\$\((?!pwd\b|git rev-parse\b)")
_UPWARDS: Final = re.compile(r"\bdirname\b|BATS_TEST_DIRNAME|(?<=[%*])/\*|:h\b")
_QUOTES: Final = re.compile(r"[\"'\\]")
_ASSIGNED: Final = re.compile(
    r"^[ \t]*(?:(?:readonly|export|local|declare|typeset)[ \t]+(?:-\w+[ \t]+)*)?"
    r"(\w{1,100})=(\"[^\n]{0,300}\"|\$\([^\n]{1,300}\)|[^\s;&#]{1,300})",
    re.MULTILINE,
)
_VARIABLE: Final = re.compile(r"[\"']?\$(?:(\w+)|\{(\w+)\})(?=[/\"']|\Z)")
_ABSOLUTE: Final = re.compile(r"[\"']?[/$`~]")
_CHANGED: Final = re.compile(
    rb"^(?:cd|pushd)[ \t]+(?:--[ \t]+)?(?!-)(\S.{0,300}?)[ \t]*(?:[;&|#>].*)?$", re.MULTILINE
)
_MAX_VARIABLES: Final = 4  # one in the value of another
_WITHIN_PLACE: Final = re.compile(r"[)}`](/[\w./-]+)")


def _substitutions(source: bytes) -> Iterator[Sequence[Edit]]:
    """Write `${ command; }` as `$( command; )`."""
    for found in occurrences(_SUBSTITUTION, source):
        end = closing(source, found.start(1))
        if end >= 0:
            edits = [Edit(found.start(1), b"("), Edit(end - 1, b")")]
            if found[0].endswith(b"|"):
                edits.insert(1, Edit(found.start(1) + 1, b" "))
            yield edits


def _module_names(path: str, _namespace: str) -> Iterator[ModuleName]:
    """Yield the path and its ends; tests of bats load a file without its suffix."""
    for named in dict.fromkeys((path, path.removesuffix(".bash"))):
        for name in (path_module(named), *path_ends(named)):
            yield ModuleName(name, public=False, scope=False)


@lru_cache(maxsize=1)
def _assigned_once(source: bytes) -> dict[str, str]:
    """Return the values of a file's variables, without quotes, if it assigns them once."""
    values: dict[str, set[str]] = {}
    for found in _ASSIGNED.finditer(source.decode(errors="replace")):
        values.setdefault(found[1], set()).add(_QUOTES.sub("", found[2]).strip())
    return {name: value.pop() for name, value in values.items() if len(value) == 1}


def _expanded(module: str, source: bytes) -> str:
    """Write the value of the variable with which a path begins, which may begin with another.

    One that is relative begins with the directory to which the script has changed before.
    """
    if not _ABSOLUTE.match(module):
        before = source[: max(source.find(module.encode()), 0)]
        for written in reversed(_CHANGED.findall(before)):
            place = written.decode(errors="replace")
            module = f"{place}/{module}"
            if _ABSOLUTE.match(place):
                break
    for _ in range(_MAX_VARIABLES):
        found = _VARIABLE.match(module)
        value = _assigned_once(source).get(found[1] or found[2]) if found else None
        if not found or not value:
            break
        module = value + module[found.end() :]
    return module


def _import_path(file: str, module: str, _inside: str) -> str:
    """Resolve a path relative to the file; after a variable it is the end of one.

    What is in the user's home or comes from a program stays as written.
    """
    written = _QUOTES.sub("", module)
    expanded = _AFTER_EXPANSIONS.match(written)
    if expanded is None:
        if _EXPANSION.search(written):
            return module
        return written.removeprefix("/") if written[:1] == "/" else _beside(file, written)
    place, end = expanded[1], expanded[2]
    if _PLACE_OF_FILE.search(place):
        upwards = len(_UPWARDS.findall(place)) - 1
        within = "".join(_WITHIN_PLACE.findall(place))
        return _beside(file, f".{'/..' * upwards}{within}{end}") if upwards >= 0 else module
    several = len(re.findall(r"\$\w|\$\{", place)) > 1
    if _PLACE_OUTSIDE.search(place) or (several and end.count("/") < 2):
        return module
    return end.removeprefix("/")


def _beside(file: str, path: str) -> str:
    return relative_module(file, path, path_module)


_BUILTINS: Final = names("""
    alias bg bind break builtin caller case cd command compgen complete compopt continue declare
    dirs disown do done echo elif else enable esac eval exec exit export false fc fg fi for
    function getopts hash help history if in jobs kill let local logout mapfile popd printf pushd
    pwd read readarray readonly return select set shift shopt source suspend test then time times
    trap true type typeset ulimit umask unalias unset until wait while autoload setopt unsetopt
    zmodload zle zstyle print emulate
    awk basename cat chmod chown cmp comm cp cut date dd df diff dirname du env expr find grep head
    id ln ls mkdir mkfifo mv nohup od paste ps rm rmdir sed sh sleep sort tail tee touch tr tty
    uname uniq wc xargs bash sudo
""")

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
    ecosystem=Ecosystem.SHELL,
    module_names=_module_names,
    import_style=ImportStyle(_import_path, expand=_expanded, binds_no_name=True),
    reexports_imports=True,
    builtins=_BUILTINS,
    has_methods=False,
    calls_commands=True,
)
LANGUAGES: Final = (BASH,)
