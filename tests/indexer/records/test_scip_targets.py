"""What each indexer's symbols mean, by examples of what it writes."""

import pytest

from indexer.records.manifests import Ecosystem
from indexer.records.scip import parse_symbol
from indexer.records.scip_targets import ScipTarget, scip_target

NPM = "scip-typescript npm @acme/auth 2.0.0 src/`session.ts`/"
PYPI = "scip-python python Acme_Auth 1.0.0 `acme.auth.session`/"
GO = "scip-go gomod github.com/acme/kit v1.2.0 `github.com/acme/kit/retry`/"
MAVEN = "scip-java maven maven/com.acme/risk 1.0.0 com/acme/risk/"
SCALA = "semanticdb maven maven/com.acme/risk_2.13 1.0.0 com/acme/risk/"
CARGO = "rust-analyzer cargo acme-auth 0.1.0 "
NUGET = "scip-dotnet nuget Acme.Auth 1.0.0.0 Auth/"
GEM = "scip-ruby gem acme-common 1.0 "
COMPOSER = "scip-php composer acme/auth 1.0 Acme/Auth/"
CLANG = "cxx . acme-core v1$ "


def target(text: str) -> ScipTarget | None:
    symbol = parse_symbol(text)
    assert symbol is not None
    return scip_target(symbol)


@pytest.mark.parametrize(
    ("symbol", "path"),
    [
        (NPM + "Session#", "@acme/auth.Session"),
        (NPM + "Session#open().", "@acme/auth.Session.open"),
        (NPM + "Session#`<constructor>`().", "@acme/auth.Session"),
        (NPM + "Session#`<get>user`().", "@acme/auth.Session.user"),
        (NPM + "Session#`<set>user`().", "@acme/auth.Session.user"),
        (NPM + "Session#`'last-use'`().", "@acme/auth.Session.last-use"),
        (NPM + "tokens/issue().", "@acme/auth.tokens.issue"),  # a namespace
        (NPM + "global/Window#session.", "@acme/auth.Window.session"),
        (NPM, "@acme/auth"),
        # A dependency's symbol names its published file, of types that may be another package's.
        ("scip-typescript npm @types/acme__log 1.0.0 `index.d.ts`/warn().", "@acme/log.warn"),
        ("scip-typescript npm ufo 1.6.1 dist/`index.d.mts`/joinURL().", "ufo.joinURL"),
        ('scip-typescript npm @types/node 26.0.0 `fs.d.ts`/`"fs"`/stat().', "fs.stat"),
        (PYPI + "Session#open().", "acme.auth.session.Session.open"),
        (PYPI + "issue().inner().", "acme.auth.session.issue.inner"),
        (PYPI + "issue().issue().", "acme.auth.session.issue.issue"),
        (PYPI + "LIMIT.", "acme.auth.session.LIMIT"),
        (PYPI + "LIMIT.LIMIT.", "acme.auth.session.LIMIT"),
        (PYPI + "__init__:", "acme.auth.session"),
        (PYPI + "Session#__init__().", "acme.auth.session.Session.__init__"),
        (GO + "Policy#", "github.com/acme/kit/retry.Policy"),
        (GO + "Policy#Do().", "github.com/acme/kit/retry.Policy.Do"),
        (GO + "Waiter#Wait.", "github.com/acme/kit/retry.Waiter.Wait"),  # of an interface
        (GO, "github.com/acme/kit/retry"),
        (MAVEN + "Score#of(+1).", "com.acme.risk.Score.of"),
        (MAVEN + "Score#`<init>`(+2).", "com.acme.risk.Score"),
        (MAVEN + "Score#Level#HIGH.", "com.acme.risk.Score.Level.HIGH"),
        # Kotlin, as it is seen from Kotlin and from Java.
        (MAVEN + "score().", "com.acme.risk.score"),
        (MAVEN + "ScoresKt#score().", "com.acme.risk.score"),
        (MAVEN + "BigKt#`<init>`().", "com.acme.risk.BigKt"),
        (MAVEN + "Score#Companion#of().", "com.acme.risk.Score.of"),
        (SCALA + "Score.of().", "com.acme.risk.Score.of"),
        (SCALA + "Score#`limit_=`().", "com.acme.risk.Score.limit"),
        (SCALA + "package.score().", "com.acme.risk.score"),
        (SCALA + "scores$package.score().", "com.acme.risk.score"),
        (CARGO + "session/open().", "acme_auth.session.open"),
        (CARGO + "session/impl#[Session]close().", "acme_auth.session.Session.close"),
        (
            CARGO + "session/impl#[`Session<T>`][`From<User>`]from().",
            "acme_auth.session.Session.from",
        ),
        (CARGO + "impl#[`crate::session::Session`]close().", "acme_auth.Session.close"),
        (CARGO + "session/impl#[`[u8]`][Close]close().", "acme_auth.session.close"),
        (CARGO + "session/State#Open#", "acme_auth.session.State.Open"),
        (CARGO + "ensure!", "acme_auth.ensure"),
        (CARGO + "crate/", "acme_auth"),
        (NUGET + "Session#Open(+1).", "Auth.Session.Open"),
        (NUGET + "Session#`.ctor`().", "Auth.Session"),
        (NUGET + "Session#`Acme.Auth.ICloser.Close`().", "Auth.Session.Close"),
        (COMPOSER + "Session#open().", "Acme.Auth.Session.open"),
        (COMPOSER + "Session#$user.", "Acme.Auth.Session.user"),
        (COMPOSER + "issue().", "Acme.Auth.issue"),
    ],
)
def test_a_definition_of_another_repository_has_the_path_of_an_import(
    symbol: str, path: str
) -> None:
    found = target(symbol)

    assert found is not None
    assert found.path == path
    assert not found.names or path.endswith("." + ".".join(found.names))


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        (
            NPM + "Session#open().",
            ScipTarget(
                Ecosystem.NPM, "@acme/auth", "src/session.ts", ("Session", "open"),
                "@acme/auth.Session.open",
            ),
        ),
        (
            PYPI + "issue().",
            ScipTarget(
                Ecosystem.PYPI, "acme-auth", "acme.auth.session", ("issue",),
                "acme.auth.session.issue",
            ),
        ),
        (
            MAVEN + "Score#",
            ScipTarget(
                Ecosystem.MAVEN, "com.acme:risk", "com.acme.risk", ("Score",),
                "com.acme.risk.Score",
            ),
        ),
        (
            SCALA + "Score#",
            ScipTarget(
                Ecosystem.MAVEN, "com.acme:risk", "com.acme.risk", ("Score",),
                "com.acme.risk.Score",
            ),
        ),
        (
            CARGO + "session/open().",
            ScipTarget(
                Ecosystem.CARGO, "acme-auth", "acme_auth.session", ("open",),
                "acme_auth.session.open",
            ),
        ),
    ],
)  # fmt: skip
def test_a_target_has_the_package_as_manifests_name_it(symbol: str, expected: ScipTarget) -> None:
    assert target(symbol) == expected


@pytest.mark.parametrize(
    ("symbol", "names"),
    [
        (GEM + "Acme#Client#call().", ("Acme", "Client", "call")),
        (GEM + "Acme#`<Class:Client>`#open().", ("Acme", "Client", "open")),
        (GEM + "Object#announce().", ("announce",)),
        (GEM + "Object#", ("Object",)),
        (CLANG + "acme/Pool#take(49f6e7a06ebc5aa8).", ("acme", "Pool", "take")),
        (CLANG + "acme/Pool#Pool(49f6e7a06ebc5aa8).", ("acme", "Pool")),
        (CLANG + "Ring#`Ring<T>`(49f6e7a06ebc5aa8).", ("Ring",)),
        (CLANG + "Ring#`operator[]`(49f6e7a06ebc5aa8).", ("Ring", "operator[]")),
        (CLANG + "`$anonymous_namespace_pool.cc`/limit.", ("limit",)),
        (CLANG + "`<file>/pool.cc`/", ()),
    ],
)
def test_ruby_and_cpp_have_names_but_no_path_of_an_import(
    symbol: str, names: tuple[str, ...]
) -> None:
    found = target(symbol)

    assert found is not None
    assert (found.names, found.path) == (names, "")


@pytest.mark.parametrize(
    "symbol",
    [
        NPM + "Session#`<constructor>`().(user)",
        NPM + "Session#[T]",
        NPM + "user0:",  # of an object
        NPM + "Options#typeLiteral0:limit.",
        PYPI + "issue().(user)",
        GO + "Policy#$anon_90b32de18ec80596#Limit.",
        GO + "defaults:Limit.",
        MAVEN + "`<anonymous object at 177>`#run().",
        MAVEN + "Score#of().[T]",
        GEM + "Acme#Client#`@user`.",
        COMPOSER + "anon-class-12#",
        CLANG + "`pool.h:1:9`!",
        CLANG + "$anonymous_type_1#size.",
        "acme-indexer npm @acme/auth 2.0.0 src/`session.ts`/Session#",  # an unknown one
    ],
)
def test_a_symbol_that_is_no_definition_has_no_target(symbol: str) -> None:
    assert target(symbol) is None


def test_what_the_language_defines_has_no_path() -> None:
    found = target("scip-typescript npm typescript 5.9.3 lib/`lib.es5.d.ts`/RegExp#exec().")

    assert found is not None
    assert found.path == ""


def test_a_symbol_without_a_package_has_no_path_through_one() -> None:
    found = target("scip-typescript npm . . src/`session.ts`/Session#")

    assert found is not None
    assert (found.package, found.names, found.path) == ("", ("Session",), "")
