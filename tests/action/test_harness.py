"""The runner of the tests keeps the rules of GitHub's."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.action.github import Evaluator
from tests.action.harness import Result, Runner
from tests.action.job import Job

pytestmark = pytest.mark.system("node", "npm", "bash")

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, evaluator: Evaluator) -> Run:
    """Runs an action with the given steps and the input `word`."""

    def run(steps: str, word: str = "yes", **options: Callable[[], bool]) -> Result:
        head = (
            "inputs: {word: {default: no}}\noutputs: {said: {value: '${{ steps.it.outputs.a }}'}}"
        )
        (tmp_path / "action.yml").write_text(f"{head}\nruns:\n  steps:\n{steps}")
        job = Job(tmp_path, tmp_path / "temp", tmp_path / "files", server_url="https://github.test")
        return Runner(tmp_path, evaluator, {}).run(job, {"word": word}, **options)

    return run


def test_a_step_passes_on_outputs_variables_and_directories(run: Run) -> None:
    result = run(r"""
    - id: it
      run: |
        printf 'a<<END\none=1\ntwo\nEND\nb=x\n' >>"$GITHUB_OUTPUT"
        echo 'COLOUR=red' >>"$GITHUB_ENV"
        echo '/first' >>"$GITHUB_PATH"
        echo 'done' >>"$GITHUB_STEP_SUMMARY"
    - run: echo "$COLOUR ${PATH%%:*} $WORD ${{ steps.it.outputs.b }}"
      env: {WORD: "${{ inputs.word }}"}
""")

    assert result.outputs == {"said": "one=1\ntwo"}
    assert "red /first yes x\n" in result.raw
    assert result.summary == "done\n"


def test_after_a_failure_only_steps_that_ask_for_it_run(run: Run) -> None:
    result = run("""
    - {id: it, run: "false | true"}
    - {id: later, run: "true"}
    - {id: always, if: always(), run: "true"}
    - {id: failed, if: failure(), run: "true"}
""")

    assert result.conclusion == "failure"
    outcomes = {name: step.outcome for name, step in result.steps.items()}
    assert outcomes == {
        "it": "failure",
        "later": "skipped",
        "always": "success",
        "failed": "success",
    }


def test_a_forgiven_failure_keeps_its_outcome(run: Run) -> None:
    result = run("""
    - {id: it, run: exit 3, continue-on-error: "${{ inputs.word == 'yes' }}"}
    - {id: later, if: steps.it.outcome == 'success', run: "true"}
""")

    assert result.conclusion == "success"
    assert (result.steps["it"].outcome, result.steps["it"].exit_code) == ("failure", 3)
    assert result.steps["later"].outcome == "skipped"


def test_a_mask_hides_what_comes_after_it(run: Run) -> None:
    result = run("""
    - {run: "echo '::add-mask::100%25 secret'; echo 'a 100% secret'"}
    - {run: "echo '::warning title=It::a 100% secret'"}
""")

    assert result.annotations("warning") == ["a ***"]
    assert "a 100% secret" not in result.log.partition("warning")[2]


def test_after_a_cancellation_only_steps_that_ask_for_it_run(run: Run, tmp_path: Path) -> None:
    began = tmp_path / "began"
    waiting = f"trap 'exit 130' INT; touch {began}; while :; do read -rt 1 <> <(:) || :; done"

    result = run(
        f"""
    - {{id: it, run: "{waiting}"}}
    - {{id: later, run: "true"}}
    - {{id: cleanup, if: cancelled(), run: "true"}}
""",
        cancel_when=began.exists,
    )

    assert result.conclusion == "cancelled"
    assert result.steps["it"].exit_code == 130
    assert result.steps["later"].outcome == "skipped"
    assert result.steps["cleanup"].outcome == "success"
