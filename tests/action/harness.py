"""A runner for composite actions: their steps as GitHub's runner executes them, on this machine.

Expressions are evaluated by GitHub's own evaluator; `uses:` steps have stand-ins.
"""

import re
import shutil
import signal
import subprocess
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.action.github import Evaluator
from tests.action.job import Job
from tests.action.stand_ins import StandIn

# What a cancelled step's shell gets, and how long it has then; nothing below it gets a signal.
CANCELLATION = ((signal.SIGINT, 7.5), (signal.SIGTERM, 2.5), (signal.SIGKILL, 60.0))
# GITHUB_STATE is for the `post` of an action, which a composite does not have.
FILES = ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY")
_ANNOTATION = re.compile(r"^::(error|warning|notice)(?: ([^:]*))?::(.*)$", re.MULTILINE)
_MASK = re.compile(r"^::add-mask::(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """What became of a step."""

    outcome: str  # success, failure, cancelled, skipped
    conclusion: str  # the same, after continue-on-error
    exit_code: int | None = None
    outputs: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Result:
    """What became of the action. `log` is as GitHub shows it, `raw` what the steps wrote."""

    conclusion: str = "success"
    steps: dict[str, Step] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    log: str = ""
    raw: str = ""
    summary: str = ""

    def annotations(self, level: str) -> list[str]:
        """The texts of the `error`s, `warning`s or `notice`s."""
        return [text for kind, _, text in _ANNOTATION.findall(self.log) if kind == level]


class Runner:
    """Runs one composite action in jobs."""

    def __init__(
        self, action: Path, evaluator: Evaluator, stand_ins: Mapping[str, StandIn]
    ) -> None:
        self._action = action
        self._evaluator = evaluator
        self._stand_ins = stand_ins
        self._definition = YAML(typ="safe", pure=True).load(action / "action.yml")

    def with_action(self, action: Path) -> "Runner":
        """The same with another checkout of the action."""
        return Runner(action, self._evaluator, self._stand_ins)

    def with_stand_in(self, name: str, stand_in: StandIn) -> "Runner":
        """The same with another stand-in for an action."""
        return Runner(self._action, self._evaluator, {**self._stand_ins, name: stand_in})

    def run(
        self,
        job: Job,
        inputs: Mapping[str, str],
        cancel_when: Callable[[], bool] = lambda: False,
    ) -> Result:
        """Run the action with these inputs, as the only step of the job."""
        shutil.rmtree(job.temp, ignore_errors=True)
        for directory in (job.temp, job.files):
            directory.mkdir(parents=True, exist_ok=True)
        execution = _Execution(self._action, self._evaluator, self._stand_ins, job, cancel_when)
        execution.take_inputs(self._definition.get("inputs", {}), inputs)
        for step in self._definition["runs"]["steps"]:
            execution.do(step)
        result = execution.result
        values = {
            name: output["value"] for name, output in self._definition.get("outputs", {}).items()
        }
        result.outputs = execution.filled(values)
        for stand_in in self._stand_ins.values():
            stand_in.post(result.conclusion)
        return result


class _Execution:
    """One run of an action: its contexts, environment and masks, as they grow."""

    def __init__(
        self,
        action: Path,
        evaluator: Evaluator,
        stand_ins: Mapping[str, StandIn],
        job: Job,
        cancel_when: Callable[[], bool],
    ) -> None:
        self.result = Result()
        self._evaluator = evaluator
        self._stand_ins = stand_ins
        self._job = job
        self._cancel_when = cancel_when
        self._masks = {*job.secrets, job.token} - {""}
        self._environment = job.variables() | {"GITHUB_ACTION_PATH": str(action)}
        github = {**job.github(), "token": job.token, "event": job.event}
        self._contexts: dict[str, Any] = {
            "github": {**github, "action_path": str(action)},
            "inputs": {},
            "steps": {},
            "env": {},
            "runner": {"os": "Linux", "arch": "X64", "temp": str(job.temp)},
            "job": {"status": "success"},
            "strategy": {},
            "matrix": {},
        }

    def take_inputs(self, declared: Mapping[str, Any], given: Mapping[str, str]) -> None:
        """Inputs that are not given have their defaults. `required` means nothing to GitHub."""
        defaults = {name: str(about.get("default", "")) for name, about in declared.items()}
        self._contexts["inputs"] = self.filled(defaults) | dict(given)

    def filled(self, values: Mapping[str, Any]) -> dict[str, str]:
        """The values with their expressions evaluated."""
        texts = [str(value) for value in values.values()]
        return dict(zip(values, self._evaluator.fill(texts, self._contexts), strict=True))

    def do(self, step: Mapping[str, Any]) -> None:
        """Do a step, unless its condition says no."""
        condition, status = str(step.get("if", "")), self.result.conclusion
        if not self._evaluator.holds(condition, self._contexts, status=status):
            done = Step("skipped", "skipped")
        elif "uses" in step:
            done = self._use(step)
        else:
            done = self._run(step)
        if done.conclusion in {"failure", "cancelled"}:
            self.result.conclusion = done.conclusion
        if "id" in step:
            self.result.steps[step["id"]] = done
            self._contexts["steps"][step["id"]] = {
                "outcome": done.outcome,
                "conclusion": done.conclusion,
                "outputs": dict(done.outputs),
            }

    def _use(self, step: Mapping[str, Any]) -> Step:
        stand_in = self._stand_ins[step["uses"].partition("@")[0]]
        return Step("success", "success", outputs=stand_in.main(self.filled(step["with"])))

    def _run(self, step: Mapping[str, Any]) -> Step:
        own = self.filled(step.get("env", {}))
        directory = self._job.files / uuid.uuid4().hex
        directory.mkdir()
        files = {name: directory / name for name in FILES}
        for path in files.values():
            path.touch()
        script = directory / "script.sh"
        script.write_text(self.filled({"run": step["run"]})["run"], encoding="utf-8")
        paths = {name: str(path) for name, path in files.items()}
        self._show(f"Run {script.read_text()}\n{_listing(own)}")
        log = directory / "log"
        code, cancelled = self._execute(script, {**self._environment, **own, **paths}, log)
        self._tell(log.read_text(encoding="utf-8", errors="replace"))
        self._environment |= read_command_file(files["GITHUB_ENV"])
        for first in files["GITHUB_PATH"].read_text(encoding="utf-8").splitlines():
            self._environment["PATH"] = f"{first}:{self._environment['PATH']}"
        self.result.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        outcome = "cancelled" if cancelled else "failure" if code else "success"
        forgiven = self.filled({"it": step.get("continue-on-error", "false")})["it"] == "true"
        conclusion = "success" if outcome == "failure" and forgiven else outcome
        return Step(outcome, conclusion, code, read_command_file(files["GITHUB_OUTPUT"]))

    def _execute(self, script: Path, environment: dict[str, str], log: Path) -> tuple[int, bool]:
        with log.open("wb") as output:
            process = subprocess.Popen(
                ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
                cwd=self._job.workspace,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_listen_to_interrupts,  # noqa: PLW1509 (it takes no lock)
            )
            while process.poll() is None:
                if self.result.conclusion != "cancelled" and self._cancel_when():
                    return _cancel(process), True
                _wait(process, 0.01)
        return process.returncode, False

    def _tell(self, output: str) -> None:
        self._masks |= {_decoded(value) for value in _MASK.findall(output)}
        written = _MASK.sub("", output)
        self.result.raw += written
        self._show(written)

    def _show(self, text: str) -> None:
        for secret in sorted(self._masks, key=len, reverse=True):
            text = text.replace(secret, "***")
        self.result.log += text


def _listing(environment: Mapping[str, str]) -> str:
    """What the runner shows of a step's environment before it begins."""
    return "env:\n" + "".join(f"  {name}: {value}\n" for name, value in environment.items())


def _decoded(value: str) -> str:
    return value.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def _listen_to_interrupts() -> None:
    """A background job ignores SIGINT, its children inherit that, and bash cannot undo it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _cancel(process: subprocess.Popen[bytes]) -> int:
    for number, seconds in CANCELLATION:
        process.send_signal(number)
        if _wait(process, seconds):
            break
    return process.returncode


def _wait(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def read_command_file(path: Path) -> dict[str, str]:
    """The values in a GITHUB_OUTPUT or GITHUB_ENV: `name=value`, or `name<<END`, lines, `END`."""
    values: dict[str, str] = {}
    lines = iter(path.read_text(encoding="utf-8").splitlines())
    for line in lines:
        name, equals, value = line.partition("=")
        if "<<" in name or not equals:
            name, _, end = line.partition("<<")
            if not end:
                raise ValueError(f"not a line of a command file: {line!r}")
            content = []
            while (text := next(lines)) != end:
                content.append(text)
            value = "\n".join(content)
        if name:
            values[name] = value
    return values
