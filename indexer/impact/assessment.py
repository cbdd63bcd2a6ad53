"""Who calls, in which repository, what a branch changes: git's edits as a question to central."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from indexer.client.transport import Transport
from indexer.config.settings import GitHubContext
from indexer.errors import CommitNotFoundError, ConfigurationError, GitError
from indexer.git.edits import EditedFile, Edits, branch_edits, map_files
from indexer.git.repository import Repository
from indexer.impact.queries import (
    Answer,
    ChangedLines,
    ChangedSymbol,
    Definition,
    ImpactQueries,
    Receipt,
)
from indexer.limits import IMPACT_CHANGES
from indexer.records.runs import Ancestry

_ATTEMPTS: Final = 3
# Beside constructors that are called as their class is; with the endings of their files.
_CONSTRUCTORS: Final = {
    "__init__": ".py",
    "__new__": ".py",
    "__post_init__": ".py",
    "__construct": ".php",
    "constructor": "",
    "init": ".swift",
    "initialize": ".rb",
}


class Lines(StrEnum):
    """How well the lines that central was asked about are those of the indexed commit."""

    EXACT = "exact"
    APPROXIMATE = "approximate"  # those of the merge base: the two could not be compared


@dataclass(frozen=True, slots=True)
class Range:
    """What is compared: `base` is the merge base of the two ends, `head` the newer end."""

    base: str
    head: str


@dataclass(frozen=True, slots=True)
class Impact:
    """The outcome; without `indexed_commit` the project is not indexed and nothing was asked."""

    project: str
    range: Range
    edits: Edits
    indexed_commit: str | None
    lines: Lines
    answer: Answer


NO_ANSWER: Final = Answer((), (), None, Receipt({}, (), 0, ()))


def impact_of(
    repository: Repository,
    transport: Transport,
    *,
    organization: str,
    project: str,
    github: GitHubContext,
    named: str | None,
    min_confidence: str,
) -> Impact:
    """The impact of the range that is named, or `range_of` chooses. Raises IndexerError."""
    return assess_impact(
        repository=repository,
        questions=ImpactQueries(transport, organization=organization, project=project),
        project=project,
        compared=range_of(repository, github, named),
        min_confidence=min_confidence,
    )


def range_of(repository: Repository, github: GitHubContext, named: str | None) -> Range:
    """The range that is named (`BASE..HEAD`, `BASE`, `..HEAD`), else the pull request's.

    Else from the remote's default branch to HEAD. Deepens a shallow clone. Raises
    CommitNotFoundError, ConfigurationError and ShallowCloneError.
    """
    if repository.is_shallow():
        repository.unshallow()
    if named is None and github.base_sha and github.head_sha:
        base, head = github.base_sha, repository.commit(github.head_sha)
    else:
        base_name, _, head_name = (named or "").partition("..")
        head = repository.commit(head_name.removeprefix(".") or "HEAD")
        base = repository.commit(base_name) if base_name else _default_base(repository)
    if repository.ancestry(base, head) is Ancestry.MISSING:
        raise CommitNotFoundError(f"{base} is not in this clone, and the remote does not give it")
    return Range(_merge_base(repository, base, head), head)


def _default_base(repository: Repository) -> str:
    branch = repository.default_branch()
    tip = branch and repository.branch_head(branch)
    if not tip:
        raise ConfigurationError("there is no default branch to compare with; name BASE..HEAD")
    return tip


def _merge_base(repository: Repository, base: str, head: str) -> str:
    try:
        return repository.run("merge-base", base, head).decode().split()[0]
    except GitError as exc:
        raise CommitNotFoundError(
            f"{base[:12]} and {head[:12]} have no common history to compare from"
        ) from exc


def assess_impact(
    *,
    repository: Repository,
    questions: ImpactQueries,
    project: str,
    compared: Range,
    min_confidence: str,
) -> Impact:
    """Find out what is changed and who calls it. Raises GitError and CentralError."""
    edits = branch_edits(repository, compared.base, compared.head)
    indexed = questions.indexed_commit()
    for _ in range(_ATTEMPTS):
        lines, files = _placed(repository, edits.files, compared.base, indexed)
        answer = _asked(questions, files, min_confidence) if indexed and files else NO_ANSWER
        answered = answer.receipt.projects.get(project, indexed)
        if answered == indexed:
            break
        lines, indexed = Lines.APPROXIMATE, answered  # it was indexed anew meanwhile
    return Impact(project, compared, edits, indexed, lines, answer)


def _placed(
    repository: Repository, files: Sequence[EditedFile], base: str, indexed: str | None
) -> tuple[Lines, Sequence[EditedFile]]:
    """The files with the lines that they have in the indexed commit, where that can be had."""
    if indexed is None or repository.ancestry(indexed, base) is Ancestry.MISSING:
        return Lines.APPROXIMATE, files
    return Lines.EXACT, map_files(repository, files, base, indexed)


def _asked(questions: ImpactQueries, files: Sequence[EditedFile], min_confidence: str) -> Answer:
    edited = {one.path: one for one in files}
    answers = [
        questions.impact_at(some, min_confidence=min_confidence)
        for some in _requests(_pieces(files))
    ]
    symbols = {
        one.definition.key: one
        for answer in answers
        for one in answer.symbols
        if _is_touched(one.definition, edited.get(one.definition.file))
    }
    made = {key for one in symbols.values() if (key := _made_by(one.definition))}
    for some in _portions(sorted({name for _, name in made - symbols.keys()})):
        answer = questions.impact_of(some, min_confidence=min_confidence)
        symbols |= {one.definition.key: one for one in answer.symbols if one.definition.key in made}
        answers.append(replace(answer, unknown=()))
    told = (
        one
        for one in symbols.values()
        if one.count or _made_by(one.definition) not in symbols  # else its class is reported
    )
    return Answer(
        symbols=_by_reach(told),
        unknown=tuple(dict.fromkeys(path for one in answers for path in one.unknown)),
        visibilities=answers[0].visibilities,
        receipt=_merged([one.receipt for one in answers]),
    )


def _made_by(definition: Definition) -> tuple[str, str] | None:
    """The class that the definition is a constructor of: who calls that, names the class."""
    outer, _, name = definition.qualified_name.rpartition(".")
    ending = _CONSTRUCTORS.get(name)
    is_constructor = ending is not None and definition.file.endswith(ending)
    is_named_so = name == outer.rpartition(".")[2]
    return (definition.file, outer) if outer and (is_constructor or is_named_so) else None


def _portions(names: Sequence[str]) -> Iterator[Sequence[str]]:
    return (names[start : start + IMPACT_CHANGES] for start in range(0, len(names), IMPACT_CHANGES))


def _pieces(files: Iterable[EditedFile]) -> Iterator[ChangedLines]:
    """Each file, with more lines than a request may name for one, in several pieces."""
    for file in files:
        lines = [span.lines for span in file.spans]
        for start in range(0, max(len(lines), 1), IMPACT_CHANGES):
            yield ChangedLines(file.path, tuple(lines[start : start + IMPACT_CHANGES]))


def _requests(pieces: Iterable[ChangedLines]) -> Iterator[list[ChangedLines]]:
    """As many pieces at once as stay below the limits on files, lines and bytes."""
    some: list[ChangedLines] = []
    weight = 0
    for piece in pieces:
        own = max(len(piece.lines), 1)
        if some and weight + own > IMPACT_CHANGES:
            yield some
            some, weight = [], 0
        some.append(piece)
        weight += own
    if some:
        yield some


def _is_touched(definition: Definition, file: EditedFile | None) -> bool:
    """Whether a changed line is inside, or lines were inserted inside.

    Central was asked about both neighbours of an insertion: what only ends or begins there is not
    changed.
    """
    if file is None or not file.spans:
        return True
    return any(span.touches(definition.line, definition.end_line) for span in file.spans)


def _by_reach(symbols: Iterable[ChangedSymbol]) -> tuple[ChangedSymbol, ...]:
    """Those with callers in most other repositories first."""

    def key(symbol: ChangedSymbol) -> tuple[int, int, int, str, int]:
        place, others = symbol.definition, sum(one.count for one in symbol.others)
        return -len(symbol.others), -others, -symbol.own.count, place.file, place.line

    return tuple(sorted(symbols, key=key))


def _merged(receipts: Sequence[Receipt]) -> Receipt:
    """One receipt of several; of open references the most that any saw, as names may recur."""
    return Receipt(
        projects={name: commit for one in receipts for name, commit in one.projects.items()},
        missing=tuple(dict.fromkeys(lack for one in receipts for lack in one.missing)),
        unresolved=max(one.unresolved for one in receipts),
        cut=tuple(dict.fromkeys(limit for one in receipts for limit in one.cut)),
    )
