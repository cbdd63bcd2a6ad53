"""What services say, in the words of pages: by the codes of errors and sentences."""

from typing import Final

from central.http.problems import ProblemDetails
from central.sentences import Sentence

_ERRORS: Final = {
    "repository_not_found": (
        "There is no such repository for you; the list of repositories has all that you see."
    ),
    "run_not_found": "There is no such run that you may see.",
    "insufficient_scope": (
        "This is for admins of the organisation. Ask one of them to do it, or to make you an admin."
    ),
    "whole_organization_required": (
        "Your membership shows you a part of the organisation only. This is for admins who see all "
        "of it."
    ),
}
# Templates of the sentences that name parameters, fields or addresses only programs use.
SENTENCES: Final = {
    "none_indexed": (
        "None of the requested projects is indexed, as said above: run the index action in their "
        "repositories."
    ),
    "none_in_scope": (
        "No project is in the search's scope: the organisation has none that you may see, or "
        "exclude_projects excludes all of them."
    ),
    "no_such_symbol": (
        "No symbol has such a name. Try a part of the name, or words and similarity together."
    ),
    "no_such_words": (
        "No chunk holds these words. Try other words, or words and similarity together."
    ),
    "filters_exclude": "There are matches, but the filters exclude them. Leave some out.",
    "looks_like_pattern": (
        "The text looks like a regular expression, but is not searched as one: write it between "
        "slashes, /…/, or search by a regular expression."
    ),
    "quotes_are_text": (
        "Quotes are part of the text, if it is searched as it stands. Leave them out."
    ),
    "trace_callers": "What calls {name} is a trace, not a search.",
    "symbol_not_found": "No definition has this name in the repositories that you see.",
    "near_names": "Check its spelling.",
    "search_for_it": "Search for it, or look at Repositories for what is indexed.",
    "unresolved": (
        "{count} {noun} by that name {verb} of something unknown; confidence “low” lists them."
    ),
    "kinds_left_out": "Other kinds of use are left out.",
    "types_left_out": "Uses as a type are left out: ask for the kind “type”.",
    "only_surest": "Only links of high confidence were requested; try confidence “medium”.",
    "unread_manifests": "A manifest that could not be read whole may hide some, as said below.",
    "older_extractor": "{count} {noun} in scope {verb} read by an older version, which may find "
    "less, as said below.",
    "models_off": "Models of libraries are off, so what calls of a library give is unknown. "
    "Administrators switch them on in Settings.",
    "may_lack": "{count} {noun} in scope may lack something, as said above.",
    "no_consumers": "No other repository that you may see uses it, or asks for it.",
    "no_consumer_lags": "Of none of the {count} consumers is the version known to be older.",
    "used_inside": "Other packages of the repository itself do.",
    "incomplete": "Something may be missing, as said above.",
    "not_used_elsewhere": "No other repository that you may see uses a definition of {what}.",
    "none_visible": "Nothing in what you may see is among its {what}.",
    "nodes_are_listed": "Knowledge lists all that you may see.",
    "nothing_linked": (
        "Nothing is linked to this node yet. An agent or codesearch graph link links it."
    ),
}


def for_people(text: str) -> str:
    """Return what a service says in the words of pages; other text as it is."""
    return text.in_words(SENTENCES) if isinstance(text, Sentence) else text


def error_sentence(problem: ProblemDetails) -> str:
    """Return what a page says of an error, without the marks of commands."""
    return _ERRORS.get(problem.code) or for_people(problem.detail).replace("`", "")
