"""The queries keep to the vocabulary of queries/README.md."""

from importlib import import_module, resources

import pytest
import tree_sitter

from indexer.languages import Language
from indexer.languages.registry import PARSED
from indexer.resolution.file_relations import LABELS

QUERIES = resources.files("indexer.languages") / "queries"


@pytest.mark.parametrize("language", PARSED, ids=lambda language: language.name)
def test_trace_queries_use_known_labels_only(language: Language) -> None:
    grammar = language.grammar
    assert grammar is not None
    compiled = tree_sitter.Language(getattr(import_module(grammar.module), grammar.function)())
    for name in grammar.queries:
        file = QUERIES / f"{name}.trace.scm"
        if file.is_file():
            query = tree_sitter.Query(compiled, file.read_text("utf-8"))
            labels = {query.capture_name(index) for index in range(query.capture_count)}
            assert {label for label in labels if not label.startswith("_")} <= LABELS


def test_every_label_is_explained() -> None:
    page = (QUERIES / "README.md").read_text("utf-8")
    short = {"field.new", "field.call", "field.alias"}  # `.new`, `.call`, `.alias` after @field
    assert [label for label in sorted(LABELS - short) if f"`@{label}`" not in page] == []
