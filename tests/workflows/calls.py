"""What a repository with a starter template does on an event, by GitHub's own evaluator."""

from dataclasses import dataclass, field
from typing import Any

from tests.action.github import Evaluator
from tests.workflows.events import Event
from tests.workflows.files import PROJECT, ROOT, load_workflow

VARIABLES = {
    "AETERNA_OWNER": "acme",
    "AETERNA_URL": "https://codesearch.example.com",
    "AETERNA_ORGANIZATION": "acme",
}


@dataclass(frozen=True)
class Call:
    """A template's call of the reusable workflow; `given` replaces what is below its `with`."""

    evaluator: Evaluator
    template: str
    variables: dict[str, str] = field(default_factory=lambda: VARIABLES)
    given: dict[str, str] = field(default_factory=dict)

    def jobs_that_run(self, event: Event, **chosen: str) -> set[str]:
        """The jobs whose `if` holds; `chosen` is what a person chose who started it by hand."""
        contexts = self._contexts(event, chosen)
        return {
            name
            for name, job in self._called()["jobs"].items()
            if self.evaluator.holds(job["if"], contexts)
        }

    def value(self, text: str, event: Event, **chosen: str) -> str:
        """A text of the reusable workflow with its expressions replaced."""
        return self.evaluator.fill([text], self._contexts(event, chosen))[0]

    def concurrency(self, job: str, event: Event, **chosen: str) -> tuple[str, bool]:
        """A job's group, and whether it cancels what runs in it."""
        declared = self._called()["jobs"][job]["concurrency"]
        cancels = self.value(str(declared["cancel-in-progress"]).lower(), event, **chosen)
        return self.value(declared["group"], event, **chosen), cancels == "true"

    def mode(self, event: Event, **chosen: str) -> str:
        """Which mode the action is given."""
        [step] = [s for s in self._called()["jobs"]["index"]["steps"] if s.get("id") == "index"]
        return self.value(step["with"]["mode"], event, **chosen)

    def _caller(self) -> dict[str, Any]:
        [job] = load_workflow(ROOT / "workflows" / "templates" / self.template)["jobs"].values()
        return dict(job)

    def _called(self) -> dict[str, Any]:
        path, _, _ = self._caller()["uses"].removeprefix(f"{PROJECT}/").partition("@")
        return load_workflow(ROOT / path)

    def _contexts(self, event: Event, chosen: dict[str, str]) -> dict[str, Any]:
        github = event.github()
        given = self._caller()["with"] | self.given
        outer = {"github": github, "vars": self.variables, "inputs": chosen}
        declared = self._called()["on"]["workflow_call"]["inputs"]
        inputs = {name: each.get("default", "") for name, each in declared.items()} | dict(
            zip(given, self.evaluator.fill(list(given.values()), outer), strict=True)
        )
        return {"github": github, "vars": self.variables, "inputs": inputs, "needs": {}}
