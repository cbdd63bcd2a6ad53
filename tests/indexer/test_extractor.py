"""The fingerprint covers what decides the extraction."""

from importlib import metadata

import pytest

from indexer import extractor
from indexer.languages.registry import PARSED


def test_every_grammar_counts() -> None:
    distributions = {language.grammar.distribution for language in PARSED if language.grammar}
    assert distributions | {"tree-sitter"} == set(extractor._DISTRIBUTIONS)


def test_another_grammar_version_changes_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    before = extractor.fingerprint()
    version = metadata.version
    monkeypatch.setattr(
        metadata, "version", lambda name: "99" if name == "tree-sitter-go" else version(name)
    )
    assert extractor.fingerprint.__wrapped__() != before
