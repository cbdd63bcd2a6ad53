"""Receipts over the example repositories: no call of a name that they define is passed over."""

from pathlib import Path

from central.corpus.models import Reference, Symbol
from tests.central.trace.corpus import analyse, repository
from tests.central.trace.test_receipts import assert_everything_is_counted
from tests.indexer.calls_in_source import Call, read_calls

EXAMPLES = Path(__file__).parents[3] / "examples" / "acme"
# What is no reference: names of the language, and a parameter that is called.
NOT_COUNTED = {
    ("auth-service", "acme_auth/tokens.py", "next"),
    ("billing-service", "billing/dunning.py", "next"),
    ("common-utils", "src/acme_common/retry.py", "next"),
    ("franchise-reports", "src/Program.cs", "Write"),
    ("ui-kit", "src/Toast.tsx", "now"),
}


def index_examples() -> tuple[list[int], dict[tuple[str, str], list[Call]]]:
    """Index them all; return their repositories, and the calls of each file by its bare syntax."""
    repositories, calls = [], {}
    for directory in sorted(one for one in EXAMPLES.iterdir() if one.is_dir()):
        files = {}
        for path in sorted(one for one in directory.rglob("*") if one.is_file()):
            content = path.read_bytes()
            name = path.relative_to(directory).as_posix()
            files[name] = content.decode()
            calls[directory.name, name] = list(read_calls(name, content))
        repositories.append(repository(directory.name, files).pk)
    analyse()
    return repositories, calls


def language_of(path: str) -> str:
    """The suffix that stands for the path's language."""
    suffix = Path(path).suffix
    return ".ts" if suffix in {".tsx", ".js"} else suffix


def test_every_call_of_a_defined_name_is_counted_once() -> None:
    repositories, calls = index_examples()
    references = Reference.objects.exclude(kind="type").select_related("file__repository")
    read = {(one.file.repository.name, one.file.path, one.line, one.column) for one in references}
    asked = {
        (language_of(one.file.path), one.name) for one in Symbol.objects.select_related("file")
    }
    passed_over = {
        (project, path, call.name)
        for (project, path), several in calls.items()
        for call in several
        if (language_of(path), call.name) in asked
        and (project, path, call.line, call.column) not in read
    }
    assert passed_over == NOT_COUNTED
    assert_everything_is_counted(repositories)
