"""What the record of a file has for each call site."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from benchmarks.honesty.call_sites import LITERAL, CallSite, call_sites
from indexer.languages import LANGUAGES_BY_NAME, Language
from indexer.pipeline.worker import extract_file
from indexer.records.files import OTHER_NAMES, DegradeReason, FileRecord, count_lines
from indexer.records.manifests import Ecosystem
from indexer.records.references import Binding
from indexer.resolution.file_relations import extract_relations
from indexer.syntax.definitions import outline
from indexer.syntax.parser import parse


class Account(StrEnum):
    """Why an answer may be silent about a call site, or that it is not."""

    REFERENCE = "reference"  # callers list it, or a receipt counts it
    LANGUAGE = "language"  # a name of the language itself, or a member of a value of such a type
    VARIABLE = "variable"  # a bare name of a variable or parameter of the file
    UNPARSED = "unparsed"  # in lines that the receipt names
    NOTHING = "nothing"


@dataclass
class Tally:
    """The call sites of one language by account, some of those without, and lines."""

    accounts: Counter[Account] = field(default_factory=Counter)
    lines: int = 0
    unparsed_lines: int = 0
    names: int = 0
    incomplete_names: int = 0
    examples: list[str] = field(default_factory=list)

    @property
    def sites(self) -> int:
        """How many call sites there are."""
        return self.accounts.total()

    @property
    def incomplete(self) -> float:
        """Return the share of defined names, in percent, whose callers are not complete."""
        return 100 * self.incomplete_names / self.names if self.names else 0.0

    @property
    def parsed(self) -> float:
        """Return the share of lines, in percent, that the grammar understands."""
        return 100 * (1 - self.unparsed_lines / self.lines) if self.lines else 100.0

    @property
    def unaccounted(self) -> float:
        """Return the share of call sites, in percent, that no answer accounts for."""
        return 100 * self.accounts[Account.NOTHING] / self.sites if self.sites else 0.0


def tally(directory: Path, tallies: dict[str, Tally]) -> None:
    """Add the files of a repository to the tallies by language."""
    defined: dict[str, set[str]] = {}
    unparsed: dict[Ecosystem | None, set[str]] = {}
    for path in sorted(directory.rglob("*")):
        relative = path.relative_to(directory)
        if path.is_file() and not path.is_symlink() and ".git" not in relative.parts:
            record = _add_file(relative.as_posix(), path.read_bytes(), tallies)
            if record:
                names = defined.setdefault(record.language, set())
                names.update(symbol.name for symbol in record.symbols)
                found = unparsed.setdefault(LANGUAGES_BY_NAME[record.language].ecosystem, set())
                found.update(_unparsed_names(record))
    for name, names in defined.items():
        lost = unparsed[LANGUAGES_BY_NAME[name].ecosystem]
        tallies[name].names += len(names)
        tallies[name].incomplete_names += len(names if OTHER_NAMES in lost else names & lost)


def _add_file(path: str, content: bytes, tallies: dict[str, Tally]) -> FileRecord | None:
    """Add a file; return its record if it is text that a grammar reads."""
    try:
        text = content.decode()
        record = extract_file(path=path, mode="100644", blob="", content=content)
    except ValueError:
        return None
    language = LANGUAGES_BY_NAME[record.language]
    if language.grammar is None:
        return None
    one = tallies.setdefault(record.language, Tally())
    one.lines += count_lines(text)
    one.unparsed_lines += sum(last - first + 1 for first, last in _unparsed(record))
    for site, account in accounts(record, text.removeprefix("\ufeff")):
        one.accounts[account] += 1
        if account is Account.NOTHING:
            one.examples.append(f"{path}:{site.line}:{site.column}: {site.name}")
    return record


def _unparsed_names(record: FileRecord) -> tuple[str, ...]:
    """Return the names that make an answer about them incomplete, as a service stores them."""
    if record.unparsed is None:
        return ()
    return record.unparsed.names if record.unparsed.is_complete else (OTHER_NAMES,)


def accounts(record: FileRecord, text: str) -> Iterator[tuple[CallSite, Account]]:
    """Yield each call site of a file with its account, in no order."""
    language = LANGUAGES_BY_NAME[record.language]
    known = {(one.line, one.column) for one in record.references}
    named = {(one.line, one.name) for one in record.references}
    variables = _variables(language, text)
    unparsed = _unparsed(record)
    of_language = _of_language(record.path, language, text.encode())
    for site in set(call_sites(record.language, text)):
        if (site.line, site.column) in known or (site.line, site.name) in named:
            yield site, Account.REFERENCE
        elif (
            site.root in language.builtins
            or (site.line, site.column) in of_language
            or (site.root == LITERAL and not language.literal_types)
        ):
            yield site, Account.LANGUAGE
        elif site.root == site.name and site.name in variables:
            yield site, Account.VARIABLE
        elif any(first <= site.line <= last for first, last in unparsed):
            yield site, Account.UNPARSED
        else:
            yield site, Account.NOTHING


def _unparsed(record: FileRecord) -> list[tuple[int, int]]:
    """Return first and last line of what the grammar does not understand."""
    return [(one.start, one.end) for one in record.unparsed.lines] if record.unparsed else []


def _of_language(path: str, language: Language, source: bytes) -> set[tuple[int, int]]:
    """Return where a member is called of what the extractor knows to be of a language's type.

    It is read as a language without names of its own, so that such calls are references.
    """
    parsed = parse(language, source)
    if isinstance(parsed, DegradeReason):
        return set()
    outlined = outline(parsed)
    if isinstance(outlined, DegradeReason):
        return set()
    bare = replace(parsed, language=replace(language, builtins=frozenset()))
    return {
        (one.line, one.column)
        for one in extract_relations(path, bare, outlined).references
        if one.root in language.builtins and one.binding is Binding.FREE
    }


def _variables(language: Language, text: str) -> frozenset[str]:
    source = text.encode()
    parsed = parse(language, source)
    if isinstance(parsed, DegradeReason):
        return frozenset()
    labels = ("local", "field")
    spans = [match[one] for match in parsed.matches for one in labels if one in match]
    named = frozenset(source[start:end].decode() for start, end in spans)
    return named | language.implicit_names | language.self_names
