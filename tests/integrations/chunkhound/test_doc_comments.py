"""Where the comment is that documents a chunk."""

import pytest

from integrations.chunkhound.doc_comments import doc_comment

GO = "// Retry calls again,\n// and again.\nfunc Retry() {\n\t// not this\n}\n"
JAVA = "    /**\n     * Finds it.\n     */\n    @Override\n    public int find() { return 1; }\n"
METHOD = '    @cached\n    def find(self):\n        """Find it.\n\n        Always.\n        """\n'
COMMENTED = "# Finds it.\ndef find():\n    return 1\n"


@pytest.mark.parametrize(
    ("language", "code", "lines"),
    [
        ("python", 'def f():\n    """Doc."""\n', (2, 2)),
        ("python", METHOD, (3, 6)),
        ("python", 'class A:\n\n    """Doc."""\n', (3, 3)),
        ("python", '"""Module."""\n\nimport os\n', (1, 1)),
        ("python", COMMENTED, (1, 1)),
        ("python", "x = 1\n# after\n", None),
        ("python", "def f():\n    return 'no doc'\n", None),
        ("python", "def f(:\n", None),
        ("python", "(" * 5_000, None),
        ("go", GO, (1, 2)),
        ("java", JAVA, (1, 3)),
        ("rust", "\n/// Doc.\npub fn f() {}\n", (2, 2)),
        ("typescript", "export const f = 1; // trailing\n", None),
        ("markdown", "# Heading\n", None),
        ("klingon", "# x\n", None),
    ],
)
def test_a_documenting_comment_is_found(
    language: str, code: str, lines: tuple[int, int] | None
) -> None:
    assert doc_comment(language, code) == lines
