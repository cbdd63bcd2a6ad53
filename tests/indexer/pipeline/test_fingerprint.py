"""The fingerprint covers what decides the extraction."""

from importlib import metadata

import pytest

from indexer.languages.registry import PARSED
from indexer.pipeline import fingerprint


def test_every_grammar_counts() -> None:
    grammars = {language.grammar.distribution for language in PARSED if language.grammar}
    assert grammars | {"tree-sitter"} == set(fingerprint.distributions())


def test_another_grammar_version_changes_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint.fingerprint()
    version = metadata.version
    monkeypatch.setattr(
        metadata, "version", lambda name: "99" if name == "tree-sitter-go" else version(name)
    )
    assert fingerprint.fingerprint.__wrapped__() != before
