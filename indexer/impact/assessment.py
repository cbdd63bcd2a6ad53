"""Callers, in all repositories, of the definitions that a branch changes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from indexer.client.transport import Transport
from indexer.config.github_job import GitHubContext
from indexer.errors import CommitNotFoundError, ConfigurationError, GitError
from indexer.git.edits import EditedFile, Edits, branch_edits, map_files
from indexer.git.repository import Repository
from indexer.impact.queries import (
    Answer,
    ChangedLines,
    ChangedSymbol,
    Definition,
    ImpactQueries,
    IndexedBranch,
    Receipt,
)
from indexer.limits import IMPACT_CHANGES
from indexer.records.runs import Ancestry

_ATTEMPTS: Final = 3
# Constructors that are called by their class's name, with the endings of their files.
_CONSTRUCTORS: Final = {
    "__init__": ".py",
    "__new__": ".py",
    "__post_init__": ".py",
    "__construct": ".php",
    "constructor": "",
    "init": ".swift",
    "initialize": ".rb",
}


_DEFAULT_BRANCH: Final = IndexedBranch(None)


class Lines(StrEnum):
    """Whether the queried lines are those of the indexed commit."""

    EXACT = "exact"
    APPROXIMATE = "approximate"  # those of the merge base: the commits could not be compared


@dataclass(frozen=True, slots=True)
class Range:
    """The compared commits: `base` is the merge base of both ends, `head` the newer end.

    `work_tree` is a commit of head's files as they are in the work tree; "" if those do not count.
    """

    base: str
    head: str
    work_tree: str = ""


@dataclass(frozen=True, slots=True)
class Impact:
    """The result. Without `indexed_commit` the project is not indexed and nothing was queried.

    `branch` is the one whose index was queried.
    """

    project: str
    range: Range
    edits: Edits
    indexed_commit: str | None
    lines: Lines
    answer: Answer
    branch: IndexedBranch = _DEFAULT_BRANCH


NO_ANSWER: Final = Answer((), (), None, Receipt({}, (), 0, ()))


def impact_of(
    repository: Repository,
    transport: Transport,
    *,
    organization: str,
    project: str,
    github: GitHubContext,
    range_text: str | None,
    min_confidence: str,
) -> Impact:
    """Assess the given range, or the default of `range_of`. Raises IndexerError.

    A pull request is assessed by the index of the branch that it is to be merged into.
    """
    return assess_impact(
        repository=repository,
        queries=ImpactQueries(transport, organization=organization, project=project),
        project=project,
        compared=range_of(repository, github, range_text),
        min_confidence=min_confidence,
        base_branch=github.base_ref if range_text is None else "",
    )


def range_of(repository: Repository, github: GitHubContext, range_text: str | None) -> Range:
    """Return the given range (`BASE..HEAD`, `BASE`, `..HEAD`), else the pull request's.

    Without both, from the remote's default branch to HEAD. Fetches the history of a shallow clone.
    Raises CommitNotFoundError, ConfigurationError and ShallowCloneError.
    """
    if repository.is_shallow():
        repository.unshallow()
    if range_text is None and github.base_sha and github.head_sha:
        base, head = github.base_sha, repository.commit(github.head_sha)
    else:
        base_name, _, head_name = (range_text or "").partition("..")
        head = repository.commit(head_name.removeprefix(".") or "HEAD")
        base = repository.commit(base_name) if base_name else _default_base(repository)
    if repository.ancestry(base, head) is Ancestry.MISSING:
        raise CommitNotFoundError(
            f"{base} is not in this clone and could not be fetched from the remote; check the range"
        )
    return Range(_merge_base(repository, base, head), head)


def _default_base(repository: Repository) -> str:
    branch = repository.default_branch()
    branch_head = branch and repository.branch_head(branch)
    if not branch_head:
        raise ConfigurationError("there is no default branch to compare with; specify BASE..HEAD")
    return branch_head


def _merge_base(repository: Repository, base: str, head: str) -> str:
    try:
        return repository.run("merge-base", base, head).decode().split()[0]
    except GitError as exc:
        raise CommitNotFoundError(
            f"{base[:12]} and {head[:12]} have no common history; specify another BASE..HEAD"
        ) from exc


def assess_impact(
    *,
    repository: Repository,
    queries: ImpactQueries,
    project: str,
    compared: Range,
    min_confidence: str,
    base_branch: str = "",
) -> Impact:
    """Determine the changed definitions and their callers. Raises GitError and CentralError.

    They are those of the index of `base_branch`, a short name, or else of the default branch.
    """
    edits = branch_edits(repository, compared.base, compared.work_tree or compared.head)
    branch = queries.indexed_branch(base_branch)
    indexed = branch.commit
    for _ in range(_ATTEMPTS):
        lines, files = _with_indexed_lines(repository, edits.files, compared.base, indexed)
        answer = NO_ANSWER
        if indexed and files:
            answer = _query_impact(queries, files, min_confidence, branch.ref)
        answered_commit = answer.receipt.projects.get(project, indexed)
        if answered_commit == indexed:
            break
        lines, indexed = Lines.APPROXIMATE, answered_commit  # re-indexed meanwhile
    return Impact(project, compared, edits, indexed, lines, answer, branch)


def _with_indexed_lines(
    repository: Repository, files: Sequence[EditedFile], base: str, indexed: str | None
) -> tuple[Lines, Sequence[EditedFile]]:
    """Map the files' lines to those of the indexed commit, if possible."""
    if indexed is None or repository.ancestry(indexed, base) is Ancestry.MISSING:
        return Lines.APPROXIMATE, files
    return Lines.EXACT, map_files(repository, files, base, indexed)


def _query_impact(
    queries: ImpactQueries, files: Sequence[EditedFile], min_confidence: str, ref: str
) -> Answer:
    edited = {file.path: file for file in files}
    answers = [
        queries.impact_at(batch, min_confidence=min_confidence, ref=ref)
        for batch in _requests(_pieces(files))
    ]
    symbols = {
        symbol.definition.key: symbol
        for answer in answers
        for symbol in answer.symbols
        if _is_touched(symbol.definition, edited.get(symbol.definition.file))
    }
    class_keys = {
        key
        for symbol in symbols.values()
        if not symbol.count and (key := _constructed_class(symbol.definition))
    }
    names = sorted({name for _, name in class_keys - symbols.keys()})
    for start in range(0, len(names), IMPACT_CHANGES):
        batch = names[start : start + IMPACT_CHANGES]
        answer = queries.impact_of(batch, min_confidence=min_confidence, ref=ref)
        symbols |= {
            symbol.definition.key: symbol
            for symbol in answer.symbols
            if symbol.definition.key in class_keys
        }
        answers.append(replace(answer, unknown=()))
    reported = (
        symbol
        for symbol in symbols.values()
        if symbol.count
        or _constructed_class(symbol.definition) not in symbols  # else its class is reported
    )
    return Answer(
        symbols=_by_reach(reported),
        unknown=tuple(dict.fromkeys(path for answer in answers for path in answer.unknown)),
        visibilities=answers[0].visibilities,
        receipt=_merged([answer.receipt for answer in answers]),
        last_changes_left_out=sum(answer.last_changes_left_out for answer in answers),
    )


def _constructed_class(definition: Definition) -> tuple[str, str] | None:
    """Return the class that the definition constructs: its callers name the class."""
    outer, _, name = definition.qualified_name.rpartition(".")
    ending = _CONSTRUCTORS.get(name)
    is_constructor = ending is not None and definition.file.endswith(ending)
    has_class_name = name == outer.rpartition(".")[2]
    return (definition.file, outer) if outer and (is_constructor or has_class_name) else None


def _pieces(files: Iterable[EditedFile]) -> Iterator[ChangedLines]:
    """Yield each file, split if it has more lines than one request may have."""
    for file in files:
        lines = [span.lines for span in file.spans]
        for start in range(0, max(len(lines), 1), IMPACT_CHANGES):
            yield ChangedLines(file.path, tuple(lines[start : start + IMPACT_CHANGES]))


def _requests(pieces: Iterable[ChangedLines]) -> Iterator[list[ChangedLines]]:
    """Group the pieces into requests within the limits."""
    batch: list[ChangedLines] = []
    weight = 0
    for piece in pieces:
        size = max(len(piece.lines), 1)
        if batch and weight + size > IMPACT_CHANGES:
            yield batch
            batch, weight = [], 0
        batch.append(piece)
        weight += size
    if batch:
        yield batch


def _is_touched(definition: Definition, file: EditedFile | None) -> bool:
    """Whether lines were changed or inserted inside the definition.

    The query covers both neighbours of an insertion. A definition that merely begins or ends there
    is not changed.
    """
    if file is None or not file.spans:
        return True
    return any(span.touches(definition.line, definition.end_line) for span in file.spans)


def _by_reach(symbols: Iterable[ChangedSymbol]) -> tuple[ChangedSymbol, ...]:
    """Sort by the number of other repositories with callers, in descending order."""

    def key(symbol: ChangedSymbol) -> tuple[int, int, int, str, int]:
        definition, others = symbol.definition, sum(project.count for project in symbol.others)
        return -len(symbol.others), -others, -symbol.own.count, definition.file, definition.line

    return tuple(sorted(symbols, key=key))


def _merged(receipts: Sequence[Receipt]) -> Receipt:
    """Merge receipts; `unresolved` is the maximum, because names may recur."""
    return Receipt(
        projects={
            name: commit for receipt in receipts for name, commit in receipt.projects.items()
        },
        missing=tuple(
            dict.fromkeys(missing for receipt in receipts for missing in receipt.missing)
        ),
        unresolved=max(receipt.unresolved for receipt in receipts),
        cut=tuple(dict.fromkeys(limit for receipt in receipts for limit in receipt.cut)),
    )
