"""Rules that only some languages have: scopes, wildcard imports, default exports."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

GO_MOD = "module github.com/acme/go-kit\n\ngo 1.22\n"
GO_APP = "module github.com/acme/app\n\ngo 1.22\n\nrequire github.com/acme/go-kit v1.2.0\n"
RETRY = {
    "go.mod": GO_MOD,
    "retry/client.go": """\
        package retry

        type Client struct{}

        func New() *Client { return nil }
        """,
    "retry/run.go": """\
        package retry

        func (c *Client) Run() { c.wait() }

        func (c *Client) wait() {}

        func Default() { New().Run() }
        """,
}


def test_a_go_package_spans_files(callers: Callers) -> None:
    repository("go-kit", RETRY)
    assert callers("New") == ["go-kit/retry/run.go:7 Default high"]
    assert callers("Client.Run") == ["go-kit/retry/run.go:7 Default high"]
    assert callers("Client.wait") == ["go-kit/retry/run.go:3 Client.Run high"]


def test_a_go_package_is_used_from_another_module(callers: Callers) -> None:
    repository("go-kit", RETRY)
    repository(
        "app",
        {
            "go.mod": GO_APP,
            "main.go": """\
                package main

                import "github.com/acme/go-kit/retry"

                func main() {
                    client := retry.New()
                    client.Run()
                }
                """,
        },
    )
    assert callers("New", caller_projects="app") == ["app/main.go:6 main high"]
    assert callers("Client.Run", caller_projects="app") == ["app/main.go:7 main high"]


def pom(name: str, *dependencies: str) -> str:
    asked = "".join(
        f"<dependency><groupId>com.acme</groupId><artifactId>{one}</artifactId>"
        "<version>1.0</version></dependency>"
        for one in dependencies
    )
    return (
        f"<project><groupId>com.acme</groupId><artifactId>{name}</artifactId>"
        f"<version>1.0</version><dependencies>{asked}</dependencies></project>"
    )


def java(package: str, name: str) -> tuple[str, str]:
    path = f"src/main/java/{package.replace('.', '/')}/{name}.java"
    return path, f"package {package};\n\npublic class {name} {{ public void go() {{}} }}\n"


MAIN = "src/main/java/com/acme/app/Main.java"


def main(*imports: str) -> str:
    lines = "".join(f"import {one};\n" for one in imports)
    return (
        f"package com.acme.app;\n\n{lines}\n"
        "class Main {\n    void run() {\n        new Score();\n    }\n}\n"
    )


@pytest.mark.parametrize(
    ("imports", "winner"),
    [
        (["com.acme.risk.Score", "com.acme.other.*"], "com.acme.risk"),
        (["com.acme.other.*"], "com.acme.app"),
    ],
)
def test_java_takes_explicit_imports_then_its_package_then_wildcards(
    imports: list[str], winner: str, callers: Callers
) -> None:
    packages = ["com.acme.risk", "com.acme.other", "com.acme.app"]
    sources = dict(java(package, "Score") for package in packages)
    repository("app", {"pom.xml": pom("app"), MAIN: main(*imports), **sources})
    for package in packages:
        path = java(package, "Score")[0]
        assert bool(callers("Score", file=path)) == (package == winner), package


def test_java_wildcards_are_asked_where_nothing_else_has_the_name(callers: Callers) -> None:
    risk = dict([java("com.acme.risk", "Score")])
    repository("risk", {"pom.xml": pom("risk"), **risk})
    repository("app", {"pom.xml": pom("app", "risk"), MAIN: main("com.acme.risk.*")})
    (found,) = callers("Score")
    assert found.startswith(f"app/{MAIN}:7 Main.run")


def test_a_default_export_has_the_name_that_its_importer_gives_it(callers: Callers) -> None:
    repository(
        "ui-kit",
        {
            "package.json": '{"name": "@acme/ui", "version": "2.0.0", "main": "src/index.ts"}',
            "src/index.ts": 'export { default as Button } from "./button";\n',
            "src/button.ts": "export default function render() { return 1; }\n",
        },
    )
    repository(
        "shop",
        {
            "package.json": '{"name": "shop", "dependencies": {"@acme/ui": "^2.0.0"}}',
            "src/page.ts": """\
                import { Button as Knob } from "@acme/ui";

                export function page() { return Knob(); }
                """,
        },
    )
    assert callers("render") == ["shop/src/page.ts:3 page high"]


def test_what_a_common_js_module_is_can_be_called_by_any_name(callers: Callers) -> None:
    repository(
        "tools",
        {
            "package.json": '{"name": "tools"}',
            "lib/hash.js": "function digest() {}\nmodule.exports = digest;\n",
            "lib/use.js": 'const sum = require("./hash");\n\nfunction run() { sum(); }\n',
        },
    )
    assert callers("digest") == ["tools/lib/use.js:3 run high"]


def test_ruby_constants_are_looked_up_from_the_inside_out(callers: Callers) -> None:
    repository(
        "common",
        {
            "common.gemspec": 'Gem::Specification.new do |s|\n  s.name = "common"\nend\n',
            "lib/common/retry.rb": """\
                module Acme
                  class Retry
                    def self.call
                    end
                  end
                end
                """,
            "lib/common/client.rb": """\
                module Acme
                  class Client
                    def fetch
                      Retry.call
                    end
                  end
                end
                """,
        },
    )
    assert callers("Retry.call") == ["common/lib/common/client.rb:4 Acme.Client.fetch high"]


RENDERER = {
    "acme-markup.gemspec": 'Gem::Specification.new do |s|\n  s.name = "acme-markup"\nend\n',
    "lib/acme/markup.rb": """\
        require "acme/escaping"

        module Acme
          class Renderer
            include Escaping

            def paragraph
            end
          end
        end
        """,
    "lib/acme/escaping.rb": "module Acme\n  module Escaping\n  end\nend\n",
}


def test_super_leads_to_a_class_of_another_gem_that_mixes_in_a_module(callers: Callers) -> None:
    repository("markup", RENDERER)
    repository(
        "help",
        {
            "Gemfile": 'gem "acme-markup"\n',
            "lib/teaser.rb": """\
                require "acme/markup"

                class Teaser < Acme::Renderer
                  def paragraph
                    super
                  end
                end
                """,
        },
    )
    assert callers("Renderer") == ["help/lib/teaser.rb:3 Teaser high"]
    assert callers("Renderer.paragraph") == ["help/lib/teaser.rb:5 Teaser.paragraph high"]


def test_a_constant_of_another_gem_is_imported(ask: Callable[..., Any]) -> None:
    repository("markup", RENDERER)
    repository(
        "help",
        {
            "Gemfile": 'gem "acme-markup"\n',
            "lib/help.rb": 'require "acme/markup"\nrequire_relative "help/page"\n',
            "lib/help/page.rb": """\
                module Help
                  class Page
                    def html
                      Acme::Renderer.new
                    end
                  end
                end
                """,
        },
    )
    (link,) = ask("callers", symbol="Renderer").json()["callers"]
    assert (link["file"], link["rule"]) == ("lib/help/page.rb", "import")
    assert link["evidence"].startswith("imported by wildcard")


def test_a_lua_module_is_the_table_that_it_returns(callers: Callers) -> None:
    repository(
        "bank",
        {
            "src/bank/account.lua": """\
                local Account = {}
                Account.__index = Account

                function Account.new(owner)
                    local self = setmetatable({}, Account)
                    self.owner = owner
                    return self
                end

                function Account:deposit(amount)
                    self:log(amount)
                end

                function Account:log(amount) print(amount) end

                return Account
                """,
            "src/bank/tools.lua": """\
                local function double(amount) return 2 * amount end

                return { twice = double }
                """,
            "src/main.lua": """\
                local Account = require("bank.account")
                local tools = require "bank/tools"

                local function main()
                    local account = Account.new("ada")
                    account:deposit(tools.twice(5))
                end

                main()
                """,
        },
    )
    assert callers("Account.new") == ["bank/src/main.lua:5 main high"]
    assert callers("Account.deposit") == ["bank/src/main.lua:6 main high"]
    assert callers("Account.log") == ["bank/src/bank/account.lua:11 Account.deposit high"]
    assert callers("double") == [
        "bank/src/bank/tools.lua:3 <module> high",
        "bank/src/main.lua:6 main high",
    ]


def test_an_elixir_module_is_reached_by_alias_import_and_full_name(callers: Callers) -> None:
    repository(
        "shop",
        {
            "lib/shop/accounts.ex": """\
                defmodule Shop.Accounts do
                  def create(attrs), do: validate(attrs)
                  def name(user), do: user.name
                  defp validate(attrs), do: attrs

                  defmodule User do
                    defstruct [:name]
                  end
                end
                """,
            "lib/shop/helpers.ex": """\
                defmodule Shop.Helpers do
                  def render(text), do: text
                end
                """,
            "lib/shop/web.ex": """\
                defmodule Shop.Web do
                  import Shop.Helpers
                  alias Shop.{Accounts, Helpers}
                  alias Shop.Accounts.User, as: U

                  def show(conn) do
                    conn |> Accounts.create() |> render()
                  end

                  def full(user), do: Shop.Accounts.name(user)
                  def blank, do: %U{name: ""}
                end
                """,
        },
    )
    assert callers("Shop.Accounts.create") == ["shop/lib/shop/web.ex:7 Shop.Web.show high"]
    assert callers("Shop.Accounts.validate") == [
        "shop/lib/shop/accounts.ex:2 Shop.Accounts.create high"
    ]
    assert callers("Shop.Accounts.name") == ["shop/lib/shop/web.ex:10 Shop.Web.full high"]
    assert callers("Shop.Helpers.render") == ["shop/lib/shop/web.ex:7 Shop.Web.show high"]
    assert callers("Shop.Accounts.User") == ["shop/lib/shop/web.ex:11 Shop.Web.blank high"]
