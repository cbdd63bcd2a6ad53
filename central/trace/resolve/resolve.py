"""From references to definitions: every rule, for any number of references at once.

Nothing else in the trace decides what a reference means; callers, callees and graphs ask here.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from central.trace.resolve.engine import Inquiry
from central.trace.resolve.questions import Named, Path, Reached, Thing, Untold, surest
from central.trace.resolve.references import Site
from central.trace.resolve.rules import import_path
from central.trace.resolve.sql import Imports
from indexer.records.references import Access, Binding

_OF_VALUES = {Access.INSTANCE, Access.RESULT}


class Confidence(IntEnum):
    """How far a rule can be trusted; comparable."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3


class Resolution(NamedTuple):
    """What a reference means.

    Without targets, `is_open` says that nothing is known of it, or of what it is a member of (then
    its name alone may link it); otherwise it is bound to something out of sight.
    """

    targets: tuple[Thing, ...]
    is_open: bool

    def confidence(self, target: Thing) -> Confidence:
        """Medium where the way is a guess, or where there are several targets."""
        certain = target.sure and len(self.targets) == 1
        return Confidence.HIGH if certain else Confidence.MEDIUM


def resolve(inquiry: Inquiry, sites: Sequence[Site]) -> list[Resolution]:
    """What each reference means, in the same order."""
    imported = [site for site in sites if site.binding == Binding.IMPORT]
    keys = list(dict.fromkeys(Imports(site.file, site.root) for site in imported))
    imports = dict(zip(keys, inquiry.answers(keys), strict=True))
    asked = [_questions(site, imports) for site in sites]
    wanted = list(dict.fromkeys(question for questions in asked for question in questions))
    answers = dict(zip(wanted, inquiry.answers(wanted), strict=True))
    # What an import's path does not reach may still lie beside the file.
    beside = [
        index
        for index, site in enumerate(sites)
        if site.binding == Binding.IMPORT
        and site.ecosystem == "pypi"
        and not any(answers[question] for question in asked[index])
    ]
    again = [_reached(sites[index], _named(sites[index])) for index in beside]
    late = dict(zip(beside, inquiry.answers(again), strict=True))
    resolutions = [
        _resolution(site, late.get(index, [one for q in asked[index] for one in answers[q]]))
        for index, site in enumerate(sites)
    ]
    return _with_untold(inquiry, sites, resolutions)


def _with_untold(
    inquiry: Inquiry, sites: Sequence[Site], resolutions: Sequence[Resolution]
) -> list[Resolution]:
    """Open is also a member of a member that is in sight, but of no class that is told."""
    asked = {
        index: Untold(_named(site))
        for index, (site, resolution) in enumerate(zip(sites, resolutions, strict=True))
        if not resolution.targets and site.chain and site.access in _OF_VALUES
    }
    answers = dict(zip(asked, inquiry.answers(list(asked.values())), strict=True))
    return [
        Resolution((), is_open=True) if answers.get(index) else resolution
        for index, resolution in enumerate(resolutions)
    ]


def origins(inquiry: Inquiry, sites: Sequence[Site]) -> list[tuple[Thing, ...]]:
    """What root.chain of each reference means, whatever is then asked of it."""
    asked = [_named(site) for site in sites]
    return [tuple(answer) for answer in inquiry.answers(asked)]


def _questions(site: Site, imports: dict[Imports, tuple[object, ...]]) -> list[Reached]:
    """References that share a place and a path share a question."""
    if site.binding == Binding.IMPORT:
        place = (site.repository, site.package, site.ecosystem)
        rows = imports[Imports(site.file, site.root)]
        return [
            _reached(site, Path(*place, import_path(row.path, site.chain)))  # type: ignore[attr-defined]
            for row in rows
        ]
    return [] if site.binding == Binding.UNKNOWN else [_reached(site, _named(site))]


def _reached(site: Site, origin: Path | Named) -> Reached:
    return Reached(origin, site.access, "" if site.access == Access.PATH else site.name)


def _named(site: Site) -> Named:
    """Only free names depend on where in the file they stand."""
    caller = site.caller if site.binding == Binding.FREE else ""
    place = (site.repository, site.package, site.ecosystem)
    return Named(site.file, *place, site.binding, site.root, site.chain, caller)


def _resolution(site: Site, things: Sequence[Thing]) -> Resolution:
    rule = "import" if site.binding == Binding.IMPORT else ""
    if site.access != Access.PATH:
        rule = "receiver_type"
    targets = surest(
        thing._replace(rule="receiver_type" if thing.receiver else rule or thing.rule)
        for thing in things
    )
    is_open = not targets and site.binding in {Binding.UNKNOWN, Binding.FREE}
    return Resolution(targets, is_open)
