import pytest

from benchmarks.retrieval.comments import doc_comments, first_sentence, without

PYTHON = b'''\
@traced
def connect(host):
    """Open a connection that survives a restart of the server.

    Further words.
    """
    return Connection(host)


def close():
    """Only a docstring that takes the place of all code here."""
'''
GO = b"""\
package pool

// Acquire waits until one of the idle workers of the pool is free.
// It may wait forever.
func Acquire() *Worker {
\treturn <-idle
}
"""
JAVA = b"""\
class Cache {
    /**
     * Removes the <b>oldest</b> entry unless a {@link Lease} still holds it. More.
     *
     * @param now the time
     */
    @Override
    void evict(long now) {
        entries.poll();
    }
}
"""


@pytest.mark.parametrize(
    ("path", "source", "name", "sentence"),
    [
        ("a.py", PYTHON, "connect", "Open a connection that survives a restart of the server"),
        ("a.go", GO, "Acquire", "waits until one of the idle workers of the pool is free"),
        ("A.java", JAVA, "evict", "Removes the oldest entry unless a Lease still holds it"),
    ],
)
def test_first_sentence_is_found_without_markers_and_name(
    path: str, source: bytes, name: str, sentence: str
) -> None:
    (comment,) = doc_comments(path, source)
    assert (comment.name, comment.sentence) == (name, sentence)


@pytest.mark.parametrize(("path", "source"), [("a.py", PYTHON), ("a.go", GO), ("A.java", JAVA)])
def test_file_without_its_comments_has_the_same_lines_elsewhere(path: str, source: bytes) -> None:
    comments = doc_comments(path, source)
    bare = without(source, comments)
    assert b"restart" not in bare
    assert b"idle workers" not in bare
    assert b"oldest" not in bare
    assert bare.count(b"\n") == source.count(b"\n")
    (comment,) = comments
    line = comment.definition.start - 1
    assert bare.split(b"\n")[line] == source.split(b"\n")[line] != b""


@pytest.mark.parametrize(
    "text",
    [
        "Returns it.",
        "TODO: write down what happens when the lease of a worker runs out",
        "See https://example.org for what happens when the lease runs out here",
        "Makes evict remove the oldest entry that nobody holds any longer.",
    ],
    ids=["too short", "a note", "a link", "its own name"],
)
def test_sentence_that_says_too_little_or_the_name_is_no_query(text: str) -> None:
    assert first_sentence([f"// {text}"], "evict") is None


def test_file_without_a_grammar_has_no_doc_comments() -> None:
    assert doc_comments("notes.txt", b"# Words that might be a comment elsewhere\n") == []
