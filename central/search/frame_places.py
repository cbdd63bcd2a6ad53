"""Which indexed files the frames of a trace mean: by the longest common tail of the paths. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from central.query.pasted.frames import Frame
from central.query.pasted.paths import (
    TAIL_COMPONENTS,
    Library,
    common_components,
    library_of,
    tails,
)
from central.query.pasted.stack_trace import StackTrace
from central.search.exact.files import CandidateFile

CHECKED_FILES: Final = 5  # of a frame, whose definitions are looked at
_KINDS_BY_PACKAGE: Final = frozenset({"java"})  # whose paths are made of the names of packages
_LEAST_COMPONENTS: Final = 2  # that say which file it is; a name alone may be any file's


class FrameSymbol(NamedTuple):
    """A definition that a frame's function may be, or that is around its line."""

    name: str
    qualified_name: str
    start_line: int
    end_line: int


class FramePlace(NamedTuple):
    """A file that a frame may mean, and how well: `components` of its path's end are the same.

    `is_whole`: all of the file's path, or of the frame's, is. `symbols` are
    definitions of the file, of the function's name or around the line.
    """

    frame: Frame
    file: CandidateFile
    components: int
    is_whole: bool
    is_library: bool
    symbols: Sequence[FrameSymbol] = ()

    @property
    def of_function(self) -> Sequence[FrameSymbol]:
        """The definitions in the file that have the name of the frame's function."""
        return [symbol for symbol in self.symbols if symbol.name == self.frame.function]

    @property
    def is_inside(self) -> bool:
        """Whether the line is in a definition of the function's name."""
        line = self.frame.line
        return any(symbol.start_line <= line <= symbol.end_line for symbol in self.of_function)


def candidate_places(
    frame: Frame,
    files: Mapping[str, Sequence[CandidateFile]],
    names: Mapping[int, str],
) -> list[FramePlace]:
    """Return the files that a frame may mean, the most likely first, CHECKED_FILES at most.

    `files` by tails of paths, `names` of repositories by id.
    """
    library = library_of(frame.path)
    seen: dict[int, FramePlace] = {}
    for tail in tails(frame.path):
        for file in files.get(tail, ()):
            if file.id not in seen:
                seen[file.id] = _place(frame, file, names[file.repository], library)
    likely = [place for place in seen.values() if not library or _is_of(library, place, names)]
    likely.sort(key=lambda place: _likeness(place, names))
    return likely[:CHECKED_FILES]


def _place(frame: Frame, file: CandidateFile, project: str, library: Library | None) -> FramePlace:
    common = common_components(frame.path, file.path)
    is_whole = common == len(file.path.split("/"))
    before = frame.path.split("/")[:-common]
    named = project.split("/")
    if is_whole and before[-len(named) :] == named:
        common += len(named)
    elif is_whole and before[-1:] == named[-1:]:
        common += 1
    is_whole = is_whole or common >= len(frame.path.split("/"))
    return FramePlace(frame, file, common, is_whole, library is not None)


def _is_of(library: Library, place: FramePlace, names: Mapping[int, str]) -> bool:
    """Return whether a file is that of an installed package, by its path or its repository."""
    inside = min(len(library.inside.split("/")), TAIL_COMPONENTS)
    if common_components(library.inside, place.file.path) >= inside:
        return True
    project = _plain(names[place.file.repository].rpartition("/")[2])
    if place.file.path == library.file:
        return project == _plain(library.package)
    before = library.inside.removesuffix(f"/{place.file.path}")  # `slim/slim`, `github.com/x/y`
    return before != library.inside and project == _plain(before.rpartition("/")[2])


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").removesuffix(".js")


def _likeness(place: FramePlace, names: Mapping[int, str]) -> tuple[object, ...]:
    file = place.file
    return (
        -place.components,
        not place.is_whole,
        -file.factor,
        names[file.repository],
        file.path,
    )


class ChosenPlaces(NamedTuple):
    """The best place of each frame that has one, in the order of the answer; then `others`.

    `elsewhere` counts the frames that are in no file.
    """

    best: Sequence[FramePlace]
    others: Sequence[FramePlace]
    elsewhere: int


def choose_places(
    trace: StackTrace,
    candidates: Sequence[Sequence[FramePlace]],
    names: Mapping[int, str],
) -> ChosenPlaces:
    """Choose among the candidates of each frame: own code, then installed packages, then guesses.

    They have their symbols. Where a file's name alone is the same, the file must define the
    function. Of files that are as likely, that of the repository which most frames may be of is
    taken.
    """
    known = [
        [frame_place for frame_place in places if _is_likely(trace, frame_place)]
        for places in candidates
    ]
    repositories = Counter(
        repository
        for places in known
        for repository in {frame_place.file.repository for frame_place in places}
    )

    def order(place: FramePlace) -> tuple[object, ...]:
        components, is_partial, *rest = _likeness(place, names)
        shared = -repositories[place.file.repository]
        return (components, is_partial, not place.is_inside, shared, *rest)

    ordered = [sorted(places, key=order) for places in known if places]
    ordered.sort(key=lambda places: (_is_guess(places[0]), places[0].is_library))
    others = [
        frame_place
        for first, *rest in ordered
        for frame_place in rest
        if (frame_place.components, frame_place.is_inside) == (first.components, first.is_inside)
    ]
    return ChosenPlaces(
        [places[0] for places in ordered], others, trace.unplaced + len(candidates) - len(ordered)
    )


def _is_guess(place: FramePlace) -> bool:
    """Return whether only the name of a file deeper in a repository is the same: `config.ru`."""
    is_name_alone = place.components < _LEAST_COMPONENTS and place.file.path != place.frame.path
    return is_name_alone and not place.of_function


def _is_likely(trace: StackTrace, place: FramePlace) -> bool:
    """Return whether the ends of the paths, or the function, tell that it is this file."""
    is_named = place.components >= len(place.frame.path.split("/"))
    if is_named or place.is_library or place.of_function:
        return True
    if trace.language in _KINDS_BY_PACKAGE:
        return False
    return place.components >= _LEAST_COMPONENTS or not trace.language
