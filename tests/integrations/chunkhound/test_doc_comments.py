"""Where the comment is that documents a chunk."""

import pytest

from aeterna_code_search.integrations.chunkhound.doc_comments import doc_comments

GO = "// Retry calls again,\n// and again.\nfunc Retry() {\n\t// not this\n}\n"
JAVA = "    /**\n     * Finds it.\n     */\n    @Override\n    public int find() { return 1; }\n"
METHOD = '    @cached\n    def find(self):\n        """Find it.\n\n        Always.\n        """\n'
COMMENTED = "# Finds it.\ndef find():\n    return 1\n"


CLASS = """\
class Ledger:
    '''Balances.'''

    # Adds money.
    # Always.
    @cached
    def deposit(self):
        # not this
        return 1

    def withdraw(self):
        '''Take money.'''
"""


@pytest.mark.parametrize(
    ("language", "code", "comments"),
    [
        ("python", 'def f():\n    """Doc."""\n', [(2, 2, "f")]),
        ("python", METHOD, [(3, 6, "find")]),
        ("python", CLASS, [(2, 2, "Ledger"), (4, 5, "deposit"), (12, 12, "withdraw")]),
        ("python", '"""Module."""\n\nimport os\n', [(1, 1, "")]),
        ("python", COMMENTED, [(1, 1, "find")]),
        ("python", "# Of a value.\nx = 1\n# after\n", [(1, 1, "")]),
        ("python", "def f():\n    return 'no doc'\n", []),
        ("python", "def f(:\n", []),
        ("python", "(" * 300, []),
        ("go", GO, [(1, 2, "Retry")]),
        ("java", JAVA, [(1, 3, "find")]),
        ("rust", "\n/// Doc.\npub fn f() {}\n", [(2, 2, "f")]),
        ("typescript", "export const f = 1; // trailing\n", []),
        ("markdown", "# Heading\n", []),
        ("klingon", "# x\n", []),
    ],
)
def test_documenting_comments_are_found(
    language: str, code: str, comments: list[tuple[int, int, str]]
) -> None:
    assert doc_comments(language, code) == comments
