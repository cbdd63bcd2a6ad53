"""Sentences below the list of repositories."""

from aeterna_code_search.cli.output import status


def test_repositories_that_an_older_version_has_read_are_counted_by_what_is_read_again() -> None:
    projects = [{"older_extractor": ["go", "manifests"]}, {"older_extractor": ["go"]}, {}]
    assert status.older_extractor({"projects": projects}) == (
        "Read by an older version until the next run: 2 repositories (2 go, 1 manifests)."
    )
    assert status.older_extractor({"projects": [{}]}) == ""
