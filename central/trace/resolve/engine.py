"""The engine: questions are answered in batches, each once, within limits."""

from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from central.db import fetch_rows, id_array
from central.trace.resolve.questions import Limit, Members
from central.trace.resolve.sql import STATEMENTS

Answer: TypeAlias = tuple[Any, ...]
Question: TypeAlias = tuple[Any, ...]
_T = TypeVar("_T")
_Asked = TypeVar("_Asked")
Asking: TypeAlias = Generator[Sequence[Question], list[Answer], _T]
Steps: TypeAlias = Asking[Answer]  # yields what to ask, is sent the answers, returns its own
_Kept: TypeAlias = tuple[type, Question]  # questions of two types may be equal
Rules: TypeAlias = Mapping[type, Callable[[Any], Steps]]


MAX_ROUNDS: Final = 8  # in which answers that depend on one another have to settle


class _Task:
    __slots__ = ("asked", "is_provisional", "open", "question", "steps", "turn")

    def __init__(self, question: Question, steps: Steps) -> None:
        self.question = question
        self.steps = steps
        self.asked: Sequence[Question] = ()
        self.open = 0  # how many of `asked` have no answer yet
        self.turn = 0
        self.is_provisional = False  # depends on what was only taken to be so


class Inquiry:
    """What one request has asked so far; nothing outside `repositories` is ever read."""

    def __init__(self, rules: Rules, *, repositories: Iterable[int]) -> None:
        self._rules = rules
        self.repositories = id_array(sorted(repositories))  # once for some hundred statements
        self.heirs: dict[tuple[int, str], list[tuple[int, str]]] = {}  # of classes, as kin finds
        self._known: dict[type, dict[Question, Answer]] = defaultdict(dict)
        self._tasks: dict[type, dict[Question, _Task]] = defaultdict(dict)
        self._waiting: dict[type, dict[Question, list[tuple[_Task, int]]]] = defaultdict(dict)
        self._wanted: dict[type, list[Question]] = defaultdict(list)
        self._ready: list[_Task] = []
        self._assumed: dict[_Kept, Answer] = {}
        self._provisional: set[_Kept] = set()
        self._before: dict[_Kept, Answer] = {}  # what was provisional in the round before

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        """The answer to each question. Answers are tuples, empty where there is nothing."""
        for _ in range(MAX_ROUNDS - 1):
            self._run(questions)
            if self._is_settled():
                break
            self._before = {
                (kind, one): self._known[kind].pop(one) for kind, one in self._provisional
            }
            self._provisional, self._assumed = set(), {}
        else:
            self._run(questions)
        self._provisional, self._assumed, self._before = set(), {}, {}
        return [self._known[type(question)][question] for question in questions]

    def _run(self, questions: Sequence[Question]) -> None:
        """Until every question that was asked on the way has an answer."""
        root = _Task((), _ask(questions))
        self._wait(root, questions)
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

    def asked(self, kind: type[_Asked]) -> Collection[_Asked]:
        """The questions of a type that have been answered."""
        return self._known[kind].keys()  # type: ignore[return-value]

    def _advance(self, task: _Task) -> None:
        known = self._known
        answers: list[Any] = [known[type(question)].get(question) for question in task.asked]
        if self._provisional or None in answers:
            answers = [self._provisionally(task, question) for question in task.asked]
        task.turn += 1
        try:
            asked = task.steps.send(answers) if task.turn > 1 else next(task.steps)
        except StopIteration as stop:
            if task.question:
                del self._tasks[type(task.question)][task.question]
                if task.is_provisional:
                    self._provisional.add((type(task.question), task.question))
                self._settle(task.question, stop.value)
            return
        self._wait(task, asked)

    def _provisionally(self, task: _Task, question: Question) -> Answer:
        """The answer, or what it is taken to be as long as it is open."""
        kept = type(question), question
        answer = self._known[kept[0]].get(question)
        if answer is None:
            answer = self._assumed.setdefault(kept, self._before.get(kept, ()))
            task.is_provisional = True
        elif kept in self._provisional:
            task.is_provisional = True
        return answer

    def _wait(self, task: _Task, asked: Sequence[Question]) -> None:
        task.asked, task.open = asked, 0
        for question in asked:
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
        if not task.open and task.question:
            self._ready.append(task)

    def _settle(self, question: Question, answer: Answer) -> None:
        kind = type(question)
        self._known[kind][question] = answer
        for task, turn in self._waiting[kind].pop(question, ()):
            if task.turn == turn:
                task.open -= 1
                if not task.open and task.question:
                    self._ready.append(task)

    def _fetch(self) -> None:
        """One statement for each type of row that is wanted."""
        wanted, self._wanted = self._wanted, defaultdict(list)
        for kind, questions in wanted.items():
            sql, make = STATEMENTS[kind]
            columns = [list(column) for column in zip(*questions, strict=True)]
            numbers = list(range(len(questions)))
            found: dict[int, list[Any]] = defaultdict(list)
            for number, *row in fetch_rows(sql, [numbers, *columns, self.repositories]):
                found[number].append(make(*row))
            for number, question in enumerate(questions):
                self._settle(question, tuple(found.get(number, ())))

    def _break_cycle(self, task: _Task) -> None:
        """Answers that wait for one another: one of them goes on without (a class that inherits
        from itself, a base that is looked for among what the class inherits). A look for members
        does if there is one: what a class has itself is right without its bases.
        """
        way = [task]
        while (following := self._hindrance(way[-1])) not in way:
            way.append(following)
        task = max(way[way.index(following) :], key=_weight)
        task.open = 0
        self._ready.append(task)

    def _hindrance(self, task: _Task) -> _Task:
        """What the task waits for, as nothing is left to be read."""
        missing = (one for one in task.asked if one not in self._known[type(one)])
        return next(self._tasks[type(one)][one] for one in missing)


def _weight(task: _Task) -> tuple[bool, str]:
    return isinstance(task.question, Members), repr(task.question)


def _ask(questions: Sequence[Question]) -> Steps:
    answers = yield questions
    return tuple(answers)


def met(_: Limit) -> Steps:
    """Nothing is to be found out."""
    yield ()
    return ()


def limits_met(inquiry: Inquiry) -> list[str]:
    """What was not followed to its end, of all that was asked."""
    return sorted(limit.reason for limit in inquiry.asked(Limit))
