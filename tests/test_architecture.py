"""docs/explanation/architecture.md counts the tree as it is."""

from scripts.architecture import DOCUMENT, written


def test_what_the_document_counts_is_as_the_tree_is() -> None:
    """If not: `python -m scripts.architecture` writes it."""
    text = DOCUMENT.read_text(encoding="utf-8")
    assert "\n| **`central`** | " in text
    assert written(text) == text
