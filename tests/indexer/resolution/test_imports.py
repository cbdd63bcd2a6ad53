"""Import statements become paths that meet the names of modules."""

import pytest

from indexer.languages.base import Language
from indexer.languages.c import C
from indexer.languages.ecmascript import TYPESCRIPT
from indexer.languages.elixir import ELIXIR
from indexer.languages.go import GO
from indexer.languages.lua import LUA
from indexer.languages.php import PHP
from indexer.languages.python import PYTHON
from indexer.languages.ruby import RUBY
from indexer.languages.rust import RUST
from indexer.resolution.imports import ImportedName, expand_import, import_path, join_path


@pytest.mark.parametrize(
    ("language", "file", "module", "path"),
    [
        (PYTHON, "acme/api.py", "a.b", "a.b"),
        (PYTHON, "acme/api.py", ".auth", "/acme.auth"),
        (PYTHON, "acme/sub/api.py", "..", "/acme"),
        (PYTHON, "acme/__init__.py", ".auth", "/acme.auth"),
        (PYTHON, "api.py", ".auth", "/auth"),
        (PYTHON, "api.py", "..auth", "..auth"),
        (TYPESCRIPT, "src/a.ts", "./m", "/src/m"),
        (TYPESCRIPT, "src/a.ts", "./m.js", "/src/m"),
        (TYPESCRIPT, "src/a/b.ts", "..", "/src"),
        (TYPESCRIPT, "a.ts", ".", "/"),
        (TYPESCRIPT, "a.ts", "../m", "../m"),
        (TYPESCRIPT, "src/a.ts", "@acme/auth/x", "@acme/auth/x"),
        (GO, "a.go", "github.com/acme/kit/v2", "github.com/acme/kit/v2"),
        (PHP, "a.php", "Acme\\Auth\\B", "Acme.Auth.B"),
        (RUST, "crates/auth/src/x.rs", "crate.a.B", "/crates/auth/src.a.B"),
        (RUST, "src/a/b.rs", "super.c", "/src.a.c"),
        (RUST, "src/a/mod.rs", "self.c", "/src.a.c"),
        (RUST, "src/lib.rs", "crate.a", "/src.lib.a"),
        (RUST, "src/main.rs", "self.a", "/src.main.a"),
        (RUST, "src/bin/tool.rs", "crate.a", "/src/bin.tool.a"),
        (RUST, "src/bin/tool/config.rs", "crate.a", "/src/bin/tool.a"),
        (RUST, "src/bin/tool/config.rs", "super.a", "/src/bin/tool.a"),
        (RUST, "tests/common/mod.rs", "super.a", "/tests.a"),
        (RUST, "a/build.rs", "crate.a", "/a.build.a"),
        (RUST, "src/a.rs", "serde.Serialize", "serde.Serialize"),
        (RUBY, "lib/acme/a.rb", "./b", "/lib/acme/b"),
        (RUBY, "lib/acme/a.rb", "acme/common", "acme/common"),
        (ELIXIR, "lib/a.ex", "Acme.User", "Elixir.Acme.User"),
        (LUA, "src/a.lua", "acme/util", "acme.util"),
        (LUA, "src/a.lua", "acme.util", "acme.util"),
        (C, "src/a.c", "auth.h", "/src/auth.h"),
        (C, "src/a.c", "<stdio.h>", "stdio.h"),
    ],
)
def test_module_is_named_from_the_file_that_imports_it(
    language: Language, file: str, module: str, path: str
) -> None:
    assert import_path(language.import_style, file, module) == path


def test_rust_counts_the_modules_inside_of_the_file() -> None:
    assert import_path(RUST.import_style, "src/a.rs", "super.b", inside="tests") == "/src.a.b"


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("import com.acme.Scorer;", ["com.acme.Scorer"]),
        ("import static com.acme.Scorer.score;", ["com.acme.Scorer.score"]),
        ("import com.acme.*;", ["com.acme *"]),
        ("import a.b as c", ["a.b as c"]),
        ("using static Acme.Auth;", ["Acme.Auth"]),
        ("global using Json = System.Text.Json;", ["System.Text.Json as Json"]),
        ("pub(crate) use a::{self, b::{C, D as E}, f::*};", ["a", "a.b.C", "a.b.D as E", "a.f *"]),
        ("use function Acme\\{one, two as three};", ["Acme.one", "Acme.two as three"]),
        ("use Acme\\{function one, const TWO};", ["Acme.one", "Acme.TWO"]),
        ("use Acme\\One, Acme\\Two as Three;", ["Acme.One", "Acme.Two as Three"]),
        ("using Pages = Acme.List<Acme.Page>;", ["Acme.List as Pages"]),
        ("import a.b.{C => D, E => _, _}", ["a.b.C as D", "a.b *"]),
        ("import a.{b, c => d}, e.f", ["a.b", "a.c as d", "e.f"]),
        ("import struct AcmeAuth.Token", ["AcmeAuth.Token"]),
    ],
)
def test_statement_that_writes_paths_is_expanded(statement: str, names: list[str]) -> None:
    assert [_shown(one) for one in expand_import(statement)] == names


def _shown(one: ImportedName) -> str:
    return one.module + (" *" if one.is_wildcard else f" as {one.local}" if one.local else "")


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("github.com/acme/retry", "retry"),
        ("github.com/acme/retry/v2", "retry"),
        ("gopkg.in/yaml.v3", "yaml"),
        ("github.com/acme/go-kit", "kit"),
    ],
)
def test_go_package_is_named_by_the_end_of_its_path(module: str, name: str) -> None:
    assert GO.import_style.local_name(module, lambda _: False) == name


@pytest.mark.parametrize(
    ("module", "used", "name"),
    [
        ("github.com/acme/rate-limit", "ratelimit", "ratelimit"),
        ("github.com/acme/rate-limit", "limit", "limit"),
        ("k8s.io/api/core/v1", "v1", "v1"),
        ("github.com/acme/go-kit", "gokit", "gokit"),
    ],
)
def test_go_package_that_its_path_does_not_tell_is_named_as_the_file_uses_it(
    module: str, used: str, name: str
) -> None:
    assert GO.import_style.local_name(module, used.__eq__) == name


def test_name_in_the_root_package_has_no_dot_before_it() -> None:
    assert join_path("/", ("a",)) == "/a"
    assert join_path("/a", ("b", "c")) == "/a.b.c"


def test_groups_in_groups_end() -> None:
    assert len(list(expand_import("use " + "a::{" * 500 + "}" * 500 + ";"))) <= 1
