"""What is read as a place in a file, and what is not."""

import pytest

from central.query.pasted.paths import common_components, library_of, plain_path, tails
from central.query.pasted.places import parse_place


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("src/acme/tokens.py:12", "src/acme/tokens.py", 12),
        ("tokens.py:12:5", "tokens.py", 12),
        ("./tokens.py:12-20", "tokens.py", 12),
        ("src/x.py#L12", "src/x.py", 12),
        ("src/x.py#L12-L20", "src/x.py", 12),
        ("src/x.ts(12)", "src/x.ts", 12),
        ("src/x.ts(12,5): error TS2322: Type 'a'", "src/x.ts", 12),
        ("src/x.go:12:3: undefined: foo", "src/x.go", 12),
        ("src/x.py, line 12", "src/x.py", 12),
        ("at src/x.js:3:4", "src/x.js", 3),
        (" --> src/main.rs:4:5".strip(), "src/main.rs", 4),
        ("error[E0382]: use of moved value: `x`\n  --> src/main.rs:4:5\n   |\n", "src/main.rs", 4),
        ("C:\\src\\X.cs:12", "src/X.cs", 12),
        ("Makefile:12", "Makefile", 12),
        ("http://localhost:3000/src/App.tsx:3:4", "src/App.tsx", 3),
        ("https://github.com/pallets/flask/blob/main/src/flask/app.py#L100-L105",
         "pallets/flask/src/flask/app.py", 100),
        ("https://github.com/a/b/blob/v1/x.py?plain=1#L4", "a/b/x.py", 4),
        ("https://gitlab.com/g/s/p/-/blob/main/a/b.go#L3", "g/s/p/a/b.go", 3),
        ("https://codesearch.example/o/acme/r/auth/file/src/x.py#L3", "auth/src/x.py", 3),
    ],
)  # fmt: skip
def test_a_place_is_read(text: str, path: str, line: int) -> None:
    place = parse_place(text)
    assert place
    assert (place.path, place.line) == (path, line)


@pytest.mark.parametrize(
    "text",
    ["localhost:8080", "10.0.0.1:80", "std::vec:12", "a:1", "file:x.py:12", "12:30", "x.py",
     "what does src/x.go:12 do", "src/x.py:12 and more", "src/x.py#L", "", "x.py:12\n\nfoo"],
)  # fmt: skip
def test_other_text_is_no_place(text: str) -> None:
    assert parse_place(text) is None


@pytest.mark.parametrize(
    ("written", "path"),
    [("<string>", ""), ("node:fs", ""), ("[eval]", ""), ("../a/./b.py", "a/b.py"), ("/", ""),
     ("file:///a%20b/c.js", "a b/c.js"), ("/a/../b.py", "b.py"), ("a\0b", "")],
)  # fmt: skip
def test_a_path_is_without_what_tools_put_around_it(written: str, path: str) -> None:
    assert plain_path(written) == path


@pytest.mark.parametrize(
    ("path", "library"),
    [
        ("usr/lib/python3.11/site-packages/jwt/api.py", ("jwt", "jwt/api.py", "")),
        ("usr/lib/python3.11/asyncio/runners.py", ("", "asyncio/runners.py", "")),
        ("a/node_modules/b/node_modules/@s/c/lib/x.js", ("c", "c/lib/x.js", "lib/x.js")),
        ("root/.cargo/registry/src/index.io-1/tokio-1.2.0/src/a.rs",
         ("tokio", "tokio/src/a.rs", "src/a.rs")),
        ("go/pkg/mod/github.com/gin-gonic/gin@v1.9.0/context.go",
         ("gin", "gin/context.go", "context.go")),
        ("ruby/gems/3.0/gems/rack-2.2.3/lib/rack/b.rb",
         ("rack", "rack/lib/rack/b.rb", "lib/rack/b.rb")),
        ("app/src/acme/tokens.py", None),
    ],
)  # fmt: skip
def test_an_installed_package_is_known_by_its_directory(
    path: str, library: tuple[str, str, str] | None
) -> None:
    found = library_of(path)
    assert (tuple(found) if found else None) == library


def test_tails_are_the_ends_of_a_path_at_its_slashes() -> None:
    assert tails("a/b/c.py") == ["a/b/c.py", "b/c.py", "c.py"]
    assert common_components("x/b/c.py", "a/b/c.py") == 2
    assert common_components("bc.py", "c.py") == 0
