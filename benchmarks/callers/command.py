"""`python -m benchmarks callers`: bring the sample, find the truth, ask the service, compare."""

import argparse
import os
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import httpx

from benchmarks import tables
from benchmarks.callers import (
    against_scip,
    before,
    drawn,
    promises,
    report,
    truth_cpp,
    truth_executed,
    truth_go,
    truth_java,
    truth_python,
    truth_typescript,
)
from benchmarks.callers.query import ask, edges
from benchmarks.callers.repositories import Family, families, lay_out
from benchmarks.callers.sampling import METHODS_PER_GROUP, PER_GROUP, choose
from benchmarks.callers.truth import Truth, load, save
from scripts.local_service import Organization, Service, running_service, temporary_workspace

ORGANIZATION = "sample"
FINDERS: dict[str, Callable[[Family, Path, Path], Truth]] = {
    "python": truth_python.find,
    "typescript": truth_typescript.find,
    "go": truth_go.find,
    "java": truth_java.find,
    "cpp": truth_cpp.find,
    "executed": truth_executed.find,
}
CODE = {"executed": ("executed", "python")}  # whose files find a truth, if not its own alone


def main(arguments: list[str]) -> None:
    """Compare for each family asked for, print the tables, write build/callers.md and .json."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks callers", description=__doc__)
    known = families()
    names = [family.name for family in known.values() if not family.held_out]
    default = "default: all but those that are held out"
    parser.add_argument("--family", action="append", choices=known, help=default)
    parser.add_argument("--repositories", type=Path, help="clones, for a machine without network")
    parser.add_argument("--cache", type=Path, default=_cache(), help="default: %(default)s")
    parser.add_argument("--workspace", type=Path, help="kept, and used again; default: a new one")
    parser.add_argument("--per-group", type=int, default=PER_GROUP, help="default: %(default)s")
    parser.add_argument("--methods", type=int, default=METHODS_PER_GROUP, help="likewise")
    parser.add_argument("--before", type=Path, metavar="JSON", help="compare with that run")
    parser.add_argument(
        "--against-scip", type=Path, metavar="DIR", help="compare with DIR/<family>/<project>.scip"
    )
    parser.add_argument("--truth-only", action="store_true", help="do not ask the service")
    parser.add_argument("--verbose", action="store_true", help="list what is missed or false")
    options = parser.parse_args(arguments)
    asked = [known[name] for name in options.family or names]
    read = [family for family in asked if family.language in drawn.LANGUAGES]
    chosen = [family for family in asked if family not in read]
    with temporary_workspace("aeterna-bench-callers-") as temporary:
        workspace = (options.workspace or temporary).resolve()
        truths = {family.name: true_callers(family, workspace, options) for family in chosen}
        for family in read:
            put_down(family, workspace, options)
        if options.truth_only:
            return
        with running_service(workspace / "data") as service:
            outcomes = [
                compare(family, truths[family.name], workspace, service, options)
                for family in chosen
            ]
            for outcome in outcomes if options.against_scip else ():
                print("\n".join(differences_from_scip(outcome, workspace, options.against_scip)))
            figures = [
                figure
                for family in read
                for figure in drawn.figures(family, workspace, service, verbose=options.verbose)
            ]
    report.write(outcomes)
    print(report.markdown(outcomes))
    if options.before:
        contents = {outcome.family: report.content(outcome) for outcome in outcomes}
        print("\n".join(before.changes(before.read(options.before), contents)))
    for outcome in outcomes if options.verbose else ():
        print("\n".join(report.differences(outcome)))
    figures += [figure for outcome in outcomes for figure in promises.figures(outcome)]
    tables.print_table(figures)


def put_down(family: Family, workspace: Path, options: argparse.Namespace) -> Path:
    """A directory with the family's repositories."""
    directory = workspace / family.name
    directory.mkdir(parents=True, exist_ok=True)
    lay_out(family, directory, clones=options.repositories, cache=options.cache.resolve())
    return directory


def true_callers(family: Family, workspace: Path, options: argparse.Namespace) -> Truth:
    """The family's truth, from the cache if the same was found before."""
    directory = put_down(family, workspace, options)
    cache = options.cache.resolve()
    file = cache / f"truth-{family.name}-{_digest(family)}.json.gz"
    if not file.exists():
        print(f"{family.name}: finding the truth; it is kept in {file}", flush=True)
        save(FINDERS[family.language](family, directory, cache), file)
    truth = load(file)
    print(f"{family.name}: {len(truth.definitions)} definitions, {len(truth.sites)} sites")
    return truth


def compare(
    family: Family,
    truth: Truth,
    workspace: Path,
    service: Service,
    options: argparse.Namespace,
) -> report.Outcome:
    """Index the family as an organisation of its own and ask for the callers of its symbols."""
    slug = f"{ORGANIZATION}-{family.name}"
    organization = Organization(service, slug, _token(service, slug))
    for repository in family.repositories:
        organization.index(workspace / family.name / repository.name, repository.name)
    questions = choose(truth, options.per_group, options.methods)
    headers = {"Authorization": f"Bearer {organization.token}"}
    with httpx.Client(base_url=service.url, headers=headers, timeout=120) as client:
        answers = {}
        for index in (question.index for question in questions):
            wanted = [site.place for site in truth.callers.get(index, [])]
            answers[index] = ask(client, slug, truth.definitions[index], wanted)
        found = edges(client, slug)
    return report.Outcome(family.name, truth, questions, answers, found)


def differences_from_scip(outcome: report.Outcome, workspace: Path, indexes: Path) -> Iterator[str]:
    """Lines about the references at which the indexes of a family and our rules differ."""
    files = {
        index.stem: against_scip.read_index(index, workspace / outcome.family / index.stem)
        for index in sorted((indexes / outcome.family).glob("*.scip"))
    }
    yield f"{outcome.family}: against the indexes of {', '.join(files) or 'no project'}"
    yield from against_scip.lines(against_scip.compared(files, outcome.edges))


def _token(service: Service, slug: str) -> str:
    service.manage("create_organization", slug, check=False)  # a kept workspace has it already
    scopes = ("--scopes", "index,search")
    return service.manage("create_token", "--organization", slug, *scopes).stdout.strip()


def _digest(family: Family) -> str:
    """Of all that the truth depends on: the sample, the tools, and the code that finds it."""
    here = Path(__file__).parent
    names = CODE.get(family.language, (family.language,))
    found = sorted({one for name in names for one in here.glob(f"*{name}*")})
    files = [file for one in found for file in (one, *sorted(one.glob("*"))) if file.is_file()]
    parts = [repr(family).encode(), *(file.read_bytes() for file in files)]
    return sha256(b"\0".join(parts)).hexdigest()[:16]


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "aeterna-code-search" / "callers"
