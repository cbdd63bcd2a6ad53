"""What every user of ast-grep needs: its languages, and the reason why it refuses a pattern."""

from typing import Final

LANGUAGES: Final = (
    "bash", "c", "cpp", "csharp", "elixir", "go", "java", "javascript", "kotlin", "lua", "php",
    "python", "ruby", "rust", "scala", "swift", "tsx", "typescript",
)  # fmt: skip # as the corpus and ast-grep both name them


def reason_of(error: BaseException) -> str:
    """Return the chain of causes of ast-grep's error in one line, without its stack trace."""
    causes = str(error).partition("Stack backtrace")[0].replace("cannot get matcher", "")
    lines = [line.strip().lstrip("0123456789: ") for line in causes.splitlines()]
    return " ".join(line for line in lines if line and line != "Caused by:")[:1_000]
