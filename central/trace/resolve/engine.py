"""The resolution engine: it answers questions in batches, each once, within limits."""

from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias, TypeVar

from central.db import fetch_rows_of_each, id_array
from central.trace.resolve.questions import Key, Limit
from central.trace.resolve.sql import STATEMENTS

Answer: TypeAlias = tuple[Any, ...]
Question: TypeAlias = tuple[Any, ...]
_T = TypeVar("_T")
_Asked = TypeVar("_Asked")
_Key = TypeVar("_Key")
RuleGenerator: TypeAlias = Generator[Sequence[Question], list[Answer], _T]
RuleSteps: TypeAlias = RuleGenerator[Answer]  # yields questions, returns its answer
Rules: TypeAlias = Mapping[type, Callable[[Any], RuleSteps]]
TakenRows: TypeAlias = dict[tuple[type, Question], Answer]  # by type: of statements, and limits


MAX_ROUNDS: Final = 8  # until answers that depend on one another must be stable


class _Task:
    """A question: its answer, or how far the search for it is."""

    __slots__ = (
        "answer",
        "asked",
        "is_provisional",
        "needed",
        "open",
        "question",
        "steps",
        "turn",
        "waiting",
    )

    steps: RuleSteps  # of one that has begun

    def __init__(self, question: Question) -> None:
        self.question = question
        self.needed: list[Sequence[_Task]] = []  # what it asked, if that is recorded
        self.reset()

    def reset(self) -> None:
        self.answer: Answer | None = None
        self.asked: Sequence[_Task] = ()
        self.open = 0  # how many of `asked` have no answer yet
        self.turn = 0
        self.waiting: list[tuple[_Task, int]] | None = None  # with their turn
        self.is_provisional = False  # depends on an assumed answer


class BatchResolver:
    """The questions of one request and their answers, read from `repositories` alone.

    `without_index` is a repository whose SCIP index says nothing of what is read of it.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        repositories: Iterable[int],
        is_recorded: bool = False,
        without_index: int = 0,
    ) -> None:
        self._rules = rules
        self.follow(None)
        self.has_indexes = True  # whether a repository may have a SCIP index
        self.without_index = without_index
        self._is_recorded = is_recorded
        self._roots: list[_Task] = []  # of what is recorded: not what they asked
        self._order = {kind: number for number, kind in enumerate(rules)}
        self.repositories = id_array(sorted(repositories))  # built once for hundreds of statements
        self.subclasses: dict[Key, list[Key]] = {}  # of what a base may name: hierarchy.py
        self.members: dict[str, set[Key]] = {}  # by name: definitions.overriding_members
        # Questions of two types may be equal.
        self._tasks: dict[type, dict[Question, _Task]] = defaultdict(dict)
        self._wanted: dict[type, list[_Task]] = defaultdict(list)
        self._ready: list[_Task] = []
        self._begun: dict[_Task, None] = {}  # in order; with steps that have not ended
        self._assumed: dict[_Task, Answer] = {}
        self._provisional: set[_Task] = set()
        self._before: dict[_Task, Answer] = {}  # provisional answers of the last round

    def follow(self, live_files: Collection[int] | None) -> None:
        """Have stored edges count, but for those of live files; None: for those of all."""
        self.live_files = live_files
        self.live_ids = id_array(sorted(live_files or ()))

    def resolve_all(self, questions: Sequence[Question]) -> list[Answer]:
        """Return the answer to each question: a tuple, empty where nothing was found."""
        for _ in range(MAX_ROUNDS - 1):
            asked = self._run(questions)
            if all(task.answer == assumed for task, assumed in self._assumed.items()):
                break
            self._before = {task: task.answer or () for task in self._provisional}
            for task in self._provisional:
                task.reset()
            self._provisional, self._assumed = set(), {}
        else:
            asked = self._run(questions)
        self._provisional, self._assumed, self._before = set(), {}, {}
        if self._is_recorded:
            self._roots += asked
        return [task.answer or () for task in asked]

    def resolve_each(self, asked: Mapping[_Key, Sequence[Question]]) -> dict[_Key, list[Answer]]:
        """Return the answers to the questions of each key, in their order."""
        answers = iter(self.resolve_all([question for own in asked.values() for question in own]))
        return {key: list(islice(answers, len(own))) for key, own in asked.items()}

    def taken_rows(self) -> TakenRows:
        """Return the rows on which all answers since the last call depend, if that is recorded.

        The limits that they met are among the questions.
        """
        ahead, self._roots = self._roots, []
        seen = set(ahead)
        found: TakenRows = {}
        while ahead:
            task = ahead.pop()
            if (kind := type(task.question)) in STATEMENTS or kind is Limit:
                found[kind, task.question] = task.answer or ()
            further = {task for asked in task.needed for task in asked} - seen
            seen |= further
            ahead += further
        return found

    def _run(self, questions: Sequence[Question]) -> Sequence[_Task]:
        """Continue until every question, also those of the rules, has an answer."""
        root = _Task(())
        self._wait(root, questions)
        while True:
            if self._ready:
                self._advance(self._ready.pop())
            elif self._wanted:
                self._fetch()
            elif root.open:
                self._break_cycle(root)
            elif self._begun:
                self._break_cycle(next(iter(self._begun)))
            else:
                return root.asked

    def answered(self, kind: type[_Asked]) -> Collection[_Asked]:
        """Return the questions of a type that have an answer."""
        tasks = self._tasks[kind].values()
        return [task.question for task in tasks if task.answer is not None]  # type: ignore[misc]

    def _advance(self, task: _Task) -> None:
        """Continue a task until it waits for an answer, or ends."""
        while not task.open:
            answers: list[Any] = [asked.answer for asked in task.asked]
            if self._provisional or None in answers:
                answers = [self._answer_or_assumption(task, asked) for asked in task.asked]
            task.turn += 1
            try:
                questions = task.steps.send(answers) if task.turn > 1 else next(task.steps)
            except StopIteration as stop:
                del self._begun[task], task.steps
                if task.is_provisional:
                    self._provisional.add(task)
                self._settle(task, stop.value)
                return
            self._wait(task, questions)

    def _answer_or_assumption(self, task: _Task, asked: _Task) -> Answer:
        """Return the answer; while it is open, the one of the last round or none."""
        if asked.answer is None:
            task.is_provisional = True
            return self._assumed.setdefault(asked, self._before.get(asked, ()))
        if asked in self._provisional:
            task.is_provisional = True
        return asked.answer

    def _wait(self, task: _Task, questions: Sequence[Question]) -> None:
        """Have a task wait for those of its questions that have no answer; none is open yet."""
        asked: list[_Task] = []
        task.asked = asked
        if self._is_recorded:
            task.needed.append(asked)
        for question in questions:
            tasks = self._tasks[type(question)]
            known = tasks.get(question)
            if known is None:
                known = tasks[question] = _Task(question)
            asked.append(known)
            if known.answer is None:
                if known.waiting:
                    known.waiting.append((task, task.turn))
                else:
                    known.waiting = [(task, task.turn)]
                    self._begin(known)
                task.open += 1

    def _begin(self, task: _Task) -> None:
        kind = type(task.question)
        if kind in STATEMENTS:
            self._wanted[kind].append(task)
        else:
            task.steps = self._rules[kind](task.question)
            self._begun[task] = None
            self._ready.append(task)

    def _settle(self, task: _Task, answer: Answer) -> None:
        task.answer = answer
        waiting, task.waiting, task.asked = task.waiting or (), None, ()
        for waiter, turn in waiting:
            if waiter.turn == turn:
                waiter.open -= 1
                if not waiter.open and waiter.question:
                    self._ready.append(waiter)

    def _fetch(self) -> None:
        """Run one statement for each type of row that is wanted, all in one round trip."""
        wanted, self._wanted = self._wanted, defaultdict(list)
        statements = [
            (STATEMENTS[kind][0], self._parameters(tasks)) for kind, tasks in wanted.items()
        ]
        answers = fetch_rows_of_each(statements)
        for (kind, tasks), rows in zip(wanted.items(), answers, strict=True):
            _, make = STATEMENTS[kind]
            found: dict[int, list[Any]] = defaultdict(list)
            for number, *row in rows:
                found[number].append(make(*row))
            for number, task in enumerate(tasks):
                self._settle(task, tuple(found.get(number, ())))

    def _parameters(self, tasks: Sequence[_Task]) -> list[object]:
        columns = [
            _array(column) for column in zip(*(task.question for task in tasks), strict=True)
        ]
        return [id_array(range(len(tasks))), *columns, self.repositories]

    def _break_cycle(self, task: _Task) -> None:
        """Let one task of a cycle continue without the answers that it waits for.

        A class that inherits from itself makes a cycle, or a base whose name the class inherits.
        """
        path = [task]
        while (blocker := _blocker(path[-1])) not in path:
            path.append(blocker)
        task = max(path[path.index(blocker) :], key=self._weight)
        task.open = 0
        self._ready.append(task)

    def _weight(self, task: _Task) -> tuple[int, str]:
        return self._order[type(task.question)], repr(task.question)


def _blocker(task: _Task) -> _Task:
    """Return a task that this one waits for; no statement remains to run."""
    return next(asked for asked in task.asked if asked.answer is None)


def _array(column: Sequence[Any]) -> object:
    """Return a column of questions as a parameter; psycopg takes long for lists of numbers."""
    return id_array(column) if isinstance(column[0], int) else list(column)


def record_limit(_: Limit) -> RuleSteps:
    """Answer with nothing: the question is the record."""
    yield ()
    return ()


def limits_met(resolver: BatchResolver) -> list[str]:
    """Return the limits that the answers have met, for the receipt."""
    return sorted(limit.reason for limit in resolver.answered(Limit))
