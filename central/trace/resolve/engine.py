"""The resolution engine: it answers questions in batches, each once, within limits."""

from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from central.db import fetch_rows_of_each, id_array
from central.trace.resolve.questions import Limit
from central.trace.resolve.sql import STATEMENTS

Answer: TypeAlias = tuple[Any, ...]
Question: TypeAlias = tuple[Any, ...]
_T = TypeVar("_T")
_Asked = TypeVar("_Asked")
RuleGenerator: TypeAlias = Generator[Sequence[Question], list[Answer], _T]
RuleSteps: TypeAlias = RuleGenerator[Answer]  # yields questions, returns its answer
_TypedQuestion: TypeAlias = tuple[type, Question]  # questions of two types may be equal
Rules: TypeAlias = Mapping[type, Callable[[Any], RuleSteps]]


MAX_ROUNDS: Final = 8  # until answers that depend on one another must be stable


class _Task:
    __slots__ = ("asked", "is_provisional", "open", "question", "steps", "turn")

    def __init__(self, question: Question, steps: RuleSteps) -> None:
        self.question = question
        self.steps = steps
        self.asked: Sequence[Question] = ()
        self.open = 0  # how many of `asked` have no answer yet
        self.turn = 0
        self.is_provisional = False  # depends on an assumed answer


class BatchResolver:
    """The questions of one request and their answers, read from `repositories` alone."""

    def __init__(self, rules: Rules, *, repositories: Iterable[int]) -> None:
        self._rules = rules
        self._order = {kind: number for number, kind in enumerate(rules)}
        self.repositories = id_array(sorted(repositories))  # built once for hundreds of statements
        self.subclasses: dict[
            tuple[int, str], list[tuple[int, str]]
        ] = {}  # by class, from hierarchy.descendants
        self.members: dict[
            str, set[tuple[int, str]]
        ] = {}  # by name, from definitions.members_named
        self._known: dict[type, dict[Question, Answer]] = defaultdict(dict)
        self._tasks: dict[type, dict[Question, _Task]] = defaultdict(dict)
        self._waiting: dict[type, dict[Question, list[tuple[_Task, int]]]] = defaultdict(dict)
        self._wanted: dict[type, list[Question]] = defaultdict(list)
        self._ready: list[_Task] = []
        self._prefetched: list[Question] = []
        self._assumed: dict[_TypedQuestion, Answer] = {}
        self._provisional: set[_TypedQuestion] = set()
        self._before: dict[_TypedQuestion, Answer] = {}  # provisional answers of the last round

    def prefetch(self, questions: Iterable[Question]) -> None:
        """Have the next `resolve_all` answer these too, in the same round trips."""
        self._prefetched += questions

    def read_all(self, questions: Sequence[Question]) -> list[Answer]:
        """As `resolve_all`, of questions that one statement answers; the prefetched ones wait."""
        prefetched, self._prefetched = self._prefetched, []
        answers = self.resolve_all(questions)
        self.prefetch(prefetched)
        return answers

    def resolve_all(self, questions: Sequence[Question]) -> list[Answer]:
        """Return the answer to each question: a tuple, empty where nothing was found."""
        together, self._prefetched = [*questions, *self._prefetched], []
        for _ in range(MAX_ROUNDS - 1):
            self._run(together)
            if self._is_settled():
                break
            self._before = {
                (kind, one): self._known[kind].pop(one) for kind, one in self._provisional
            }
            self._provisional, self._assumed = set(), {}
        else:
            self._run(together)
        self._provisional, self._assumed, self._before = set(), {}, {}
        return [self._known[type(question)][question] for question in questions]

    def _run(self, questions: Sequence[Question]) -> None:
        """Continue until every question, also those of the rules, has an answer."""
        root = _Task((), _ask(questions))
        root.asked = questions
        self._wait(root)
        while True:
            if self._ready:
                self._advance(self._ready.pop())
            elif self._wanted:
                self._fetch()
            elif root.open:
                self._break_cycle(root)
            elif left := next(filter(None, self._tasks.values()), None):
                self._break_cycle(next(iter(left.values())))
            else:
                return

    def _is_settled(self) -> bool:
        return all(self._known[kind][one] == now for (kind, one), now in self._assumed.items())

    def answered(self, kind: type[_Asked]) -> Collection[_Asked]:
        """Return the questions of a type that have an answer."""
        return self._known[kind].keys()  # type: ignore[return-value]

    def _advance(self, task: _Task) -> None:
        """Continue a task until it waits for an answer, or ends."""
        known = self._known
        while not task.open:
            answers: list[Any] = [known[type(question)].get(question) for question in task.asked]
            if self._provisional or None in answers:
                answers = [self._answer_or_assumption(task, question) for question in task.asked]
            task.turn += 1
            try:
                task.asked = task.steps.send(answers) if task.turn > 1 else next(task.steps)
            except StopIteration as stop:
                del self._tasks[type(task.question)][task.question]
                if task.is_provisional:
                    self._provisional.add((type(task.question), task.question))
                self._settle(task.question, stop.value)
                return
            self._wait(task)

    def _answer_or_assumption(self, task: _Task, question: Question) -> Answer:
        """Return the answer; while it is open, the one of the last round or none."""
        kept = type(question), question
        answer = self._known[kept[0]].get(question)
        if answer is None:
            answer = self._assumed.setdefault(kept, self._before.get(kept, ()))
            task.is_provisional = True
        elif kept in self._provisional:
            task.is_provisional = True
        return answer

    def _wait(self, task: _Task) -> None:
        """Ask for the answers that the task needs and that are not known; none is open yet."""
        for question in task.asked:
            kind = type(question)
            if question in self._known[kind]:
                continue
            task.open += 1
            waiting = self._waiting[kind]
            if question in waiting:
                waiting[question].append((task, task.turn))
                continue
            waiting[question] = [(task, task.turn)]
            if kind in STATEMENTS:
                self._wanted[kind].append(question)
            elif question not in self._tasks[kind]:
                started = _Task(question, self._rules[kind](question))
                self._tasks[kind][question] = started
                self._ready.append(started)

    def _settle(self, question: Question, answer: Answer) -> None:
        kind = type(question)
        self._known[kind][question] = answer
        for task, turn in self._waiting[kind].pop(question, ()):
            if task.turn == turn:
                task.open -= 1
                if not task.open and task.question:
                    self._ready.append(task)

    def _fetch(self) -> None:
        """Run one statement for each type of row that is wanted, all in one round trip."""
        wanted, self._wanted = self._wanted, defaultdict(list)
        statements = [
            (STATEMENTS[kind][0], self._parameters(questions)) for kind, questions in wanted.items()
        ]
        answers = fetch_rows_of_each(statements)
        for (kind, questions), rows in zip(wanted.items(), answers, strict=True):
            _, make = STATEMENTS[kind]
            found: dict[int, list[Any]] = defaultdict(list)
            for number, *row in rows:
                found[number].append(make(*row))
            for number, question in enumerate(questions):
                self._settle(question, tuple(found.get(number, ())))

    def _parameters(self, questions: Sequence[Question]) -> list[object]:
        columns = [_array(column) for column in zip(*questions, strict=True)]
        return [id_array(range(len(questions))), *columns, self.repositories]

    def _break_cycle(self, task: _Task) -> None:
        """Let one task of a cycle continue without the answers that it waits for.

        A class that inherits from itself makes a cycle, or a base whose name the class inherits.
        """
        path = [task]
        while (blocker := self._blocker(path[-1])) not in path:
            path.append(blocker)
        task = max(path[path.index(blocker) :], key=self._weight)
        task.open = 0
        self._ready.append(task)

    def _blocker(self, task: _Task) -> _Task:
        """Return a task that this one waits for; no statement is left to run."""
        missing = (one for one in task.asked if one not in self._known[type(one)])
        return next(self._tasks[type(one)][one] for one in missing)

    def _weight(self, task: _Task) -> tuple[int, str]:
        return self._order[type(task.question)], repr(task.question)


def _array(column: Sequence[Any]) -> object:
    """Return a column of questions as a parameter; psycopg takes long for lists of numbers."""
    return id_array(column) if isinstance(column[0], int) else list(column)


def _ask(questions: Sequence[Question]) -> RuleSteps:
    answers = yield questions
    return tuple(answers)


def record_limit(_: Limit) -> RuleSteps:
    """Answer with nothing: the question is the record."""
    yield ()
    return ()


def limits_met(resolver: BatchResolver) -> list[str]:
    """Return the limits that the answers have met, for the receipt."""
    return sorted(limit.reason for limit in resolver.answered(Limit))
