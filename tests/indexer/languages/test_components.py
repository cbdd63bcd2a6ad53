"""Scripts and expressions of components, pages and templates as regions."""

import pytest

from indexer.languages import LANGUAGES_BY_NAME
from indexer.languages.base import mask


def code(language: str, source: str) -> tuple[str, set[str]]:
    """Return what is parsed of a text, with single spaces, and its languages."""
    host = LANGUAGES_BY_NAME[language].host
    assert host is not None
    regions = list(host.regions(source.encode()))
    text = mask(source.encode(), regions).decode()
    return " ".join(text.split()), {one.language for one in regions}


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("<script>", "javascript"),
        ("<script setup>", "javascript"),
        ('<script setup lang="ts">', "typescript"),
        ("<SCRIPT LANG='ts' >", "typescript"),
        ("<script lang=tsx\n generic='T extends Record<string, T>'>", "tsx"),
        ('<script type="module">', "javascript"),
        ('<script type="text/typescript">', "typescript"),
        ('<script type="application/json">', None),
        ('<script type="text/x-template">', None),
        ('<script lang="coffee">', None),
        ("<style>", None),
        ("<scripted>", None),
        ("<!-- <script> -->", None),
    ],
)
def test_the_language_of_a_script_is_that_of_its_tag(tag: str, language: str | None) -> None:
    close = "</style>" if tag == "<style>" else "</script>"
    expected = ("f()", {language}) if language else ("", set())
    for name in ("vue", "svelte", "html"):
        assert code(name, f"{tag}f(){close}") == expected


def test_a_script_ends_at_its_closing_tag_or_with_the_file() -> None:
    assert code("html", "<script>f('</style>')</script >g()<script>h()")[0] == "f('</style>') h()"


def test_scripts_of_a_component_are_one_text_in_one_language() -> None:
    text = '<script>f()</script><script setup lang="ts">g()</script>{{ h() }}'
    assert code("vue", text) == ("f() g() ;( h() );", {"typescript"})


@pytest.mark.parametrize(
    ("template", "parsed"),
    [
        ("<p>{{ f() }}{{ g() }}</p>", ";( f() );;( g() );"),
        ('<p :a="f(1)" v-if="g()">', ";[f(1)] ;[g()]"),
        ("<p @a.once='save'>", ";[save]"),
        ('<p @a="n = 1; save()">', ";{n = 1; save()}"),
        ('<p v-on:a="if (n) save()">', ";{if (n) save()}"),
        ('<p v-for="(a, i) in f(b)">', ";[ f(b)]"),
        ('<p v-for="{ a } of b.in(c)">', ";[ b.in(c)]"),
        ('<p #a="{ b }" v-slot:a="{ b }" v-slot="b">', ""),
        ('<p title="f()" a:b="f()">', ""),
        ('<p :a="`{{ f() }}`">', ";[`{{ f() }}`]"),
        ("<!-- {{ f() }} --><style>a { b: v-bind('c') }</style>", ""),
    ],
)
def test_expressions_of_vue_are_statements(template: str, parsed: str) -> None:
    assert code("vue", template)[0] == parsed


@pytest.mark.parametrize(
    ("template", "parsed"),
    [
        ("<p>{f()}{g()}</p>", ";f() ;g()"),
        ("<p on:a={save} b='{f()}'>", ";[save] ;f()"),
        ("{#if f()}{:else if g()}{:else}{/if}", "; f() ; g() ; ;"),
        ("{#each f() as a, i (a.id)}", "; f()"),
        ("{#each f() as A[] as a}", "; f() as A[]"),
        ("{#await f() then a}{:catch b}", "; f() ;"),
        ("{@html f()}{@const a = g()}{#snippet b(c)}", "; f() ; a = g() ;"),
        ("<p {...f()}>don't {a ? '}' : \"}\"} {`}`}", "; f() ;a ? '}' : \"}\" ;`}`"),
        ("{f({ a: { b } })}{/* } */ g()}", ";f({ a: { b } }) ;/* } */ g()"),
        ("{f()}{g(", ";f()"),
    ],
)
def test_expressions_of_svelte_are_statements(template: str, parsed: str) -> None:
    assert code("svelte", template)[0] == parsed


def test_the_code_of_astro_is_before_its_template() -> None:
    text = "---\nf()\n---\n<p a={g}>{h().map((a) => <b>isn't {k(a)}</b>)}</p>\n---\n"
    parsed = "f() ;[g] ;h().map((a) => <b>isn't {k(a)}</b>)"
    assert code("astro", text) == (parsed, {"tsx"})
    assert code("astro", "<p>{f()}</p>")[0] == ";f()"
    assert code("astro", "---\nf()")[0] == ""


def test_handlers_of_a_page_are_code() -> None:
    assert code("html", "<p onclick='f(); return 1' class=\"on\" data-on='x'>on = 'a'") == (
        ";{f(); return 1}",
        {"javascript"},
    )


@pytest.mark.parametrize(
    ("template", "parsed"),
    [
        ("<%= f %>a<%- g -%>b<%== h %>", "f g h"),
        ("<% f do |a| # b %><%# c %><% end %>", "f do |a| # b end"),
        ("<%% f %>", ""),
        ("<% f", ""),
    ],
)
def test_tags_of_erb_are_lines_of_ruby(template: str, parsed: str) -> None:
    assert code("erb", template)[0] == parsed


def test_lines_of_erb_are_apart() -> None:
    host = LANGUAGES_BY_NAME["erb"].host
    assert host is not None
    source = b"<% f # a %><%# b %>\n<%= g %>"
    assert mask(source, host.regions(source)).split() == b"f # a g".split()
    assert mask(source, host.regions(source)).count(b"\n") == 3
