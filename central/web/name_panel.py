"""What the panel on an identifier shows: its definitions, their documentation, and its uses."""

from dataclasses import dataclass
from typing import Final

from aeterna_code_search.contract.trace import FilePosition, Link, MeantDefinition
from central.corpus.branches.of_project import reading_branch
from central.corpus.files import file_contents
from central.db import one_moment
from central.repositories.visibility import visible_repositories
from central.tenancy.credentials import Credential
from central.trace.service import NameUses, ProjectUses, uses_by_project
from central.web.documentation import documentation
from central.web.trace_rows import RULE_WORDS
from central.web.urls_for import TracePages, graph_url, ref_query, references_url

PANEL_DEFINITIONS: Final = 3  # of a name of a file's page
PANEL_PROJECTS: Final = 8  # that use it
PANEL_LINKS: Final = 4  # uses of each that are named
_DEFINITION: Final = "definition"


@dataclass(frozen=True, slots=True)
class PanelDefinition:
    """A definition with its documentation and its addresses."""

    definition: MeantDefinition
    rule: str
    documentation: str
    page_url: str
    place_url: str
    uses_url: str
    graph_url: str


@dataclass(frozen=True, slots=True)
class PanelUses:
    """A repository's uses: the first of them, with their addresses."""

    uses: ProjectUses
    places: list[tuple[Link, str]]

    @property
    def more(self) -> int:
        """How many uses are not listed."""
        return self.uses.use_count - len(self.places)


@dataclass(frozen=True, slots=True)
class NamePanel:
    """The panel. `more_url` lists every definition; "" if all are shown."""

    found: NameUses
    definitions: list[PanelDefinition]
    projects: list[PanelUses]
    more_url: str

    @property
    def is_guessed(self) -> bool:
        """Whether nothing but the name is the same."""
        return all(definition.definition.confidence == "low" for definition in self.definitions)

    @property
    def more_projects(self) -> int:
        """How many repositories with uses are not listed."""
        return self.found.project_count - len(self.projects)


def name_panel(*, credential: Credential, position: FilePosition) -> NamePanel:
    """Return what is known of the name at a position. Raises as `uses_by_project` does."""
    slug = credential.organization.slug
    pages = TracePages(slug, position.project, position.ref)
    with one_moment():
        found = uses_by_project(
            credential=credential,
            position=position,
            projects=PANEL_PROJECTS,
            links_of_each=PANEL_LINKS,
        )
        shown = found.definitions[:PANEL_DEFINITIONS]
        named = visible_repositories(credential=credential).filter(
            name__in={definition.project for definition in shown}
        )
        with reading_branch(credential, project=position.project, ref=position.ref):
            texts = file_contents(named, {definition.file for definition in shown})
    place = references_url(slug, position.project, position.file)
    return NamePanel(
        found,
        [
            _definition(definition, texts.get((definition.project, definition.file), ""), pages)
            for definition in shown
        ],
        [_uses(project, pages) for project in found.projects],
        f"{place}{position.line}/{position.column}{ref_query(position.ref)}"
        if len(found.definitions) > len(shown)
        else "",
    )


def _definition(meant: MeantDefinition, text: str, pages: TracePages) -> PanelDefinition:
    place: dict[str, object] = {"project": meant.project, "file": meant.file, "line": meant.line}
    place["ref"] = pages.ref_of(meant.project)
    return PanelDefinition(
        meant,
        "" if meant.rule == _DEFINITION else RULE_WORDS.get(meant.rule, meant.rule),
        documentation(text.split("\n"), language=meant.language, start_line=meant.line),
        pages.file(meant.project, meant.file),
        pages.file(meant.project, meant.file, meant.line),
        pages.end(meant.project, meant.file, meant.qualified_name),
        graph_url(pages.organization, meant.qualified_name, **place),
    )


def _uses(uses: ProjectUses, pages: TracePages) -> PanelUses:
    places = [(link, pages.file(link.project, link.file, link.line)) for link in uses.links]
    return PanelUses(uses, places)
