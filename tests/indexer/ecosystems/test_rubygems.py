"""Gem specifications, Gemfile and Gemfile.lock."""

import pytest

from indexer.records.manifests import Dependency, ManifestProblem, Pin
from tests.indexer.ecosystems.reading import read


def test_a_gem() -> None:
    manifest = read(
        "acme-markup.gemspec",
        """
Gem::Specification.new do |spec|
  spec.name = "acme-markup"
  spec.version = "1.5.0"
  spec.add_dependency "nokogiri", ">= 1.16", "< 2"
  spec.add_development_dependency("rspec", "3.13.0")
  # spec.add_dependency "commented"
end
""",
    )
    assert (manifest.name, manifest.version) == ("acme-markup", "1.5.0")
    assert manifest.dependencies == (
        Dependency("nokogiri", ">= 1.16, < 2"),
        Dependency("rspec", "3.13.0"),
    )
    assert manifest.pins == (Pin("rspec", "3.13.0"),)


def test_a_gemfile_is_a_root_without_a_name() -> None:
    text = "gem 'acme-markup', '~> 1.4', require: 'acme'\ngem \"rails\"\n"
    manifest = read("Gemfile", text)
    assert manifest.name == ""
    assert manifest.dependencies == (Dependency("acme-markup", "~> 1.4"), Dependency("rails", ""))


def test_a_lock_file_pins_gems_and_not_what_they_ask_for() -> None:
    text = """GEM
  remote: https://rubygems.org/
  specs:
    acme-markup (1.4.2)
      nokogiri (>= 1.16)
    nokogiri (1.16.5-x86_64-linux)

DEPENDENCIES
  acme-markup (~> 1.4)
"""
    assert read("Gemfile.lock", text).pins == (
        Pin("acme-markup", "1.4.2"),
        Pin("nokogiri", "1.16.5"),
    )


def test_requirements_may_go_on_over_lines() -> None:
    text = """
gem "rack",
    "~> 2.2", # the old one
    require: false
gem %q(rspec), "3.13.0"; gem("rake")
"""
    assert read("gems.rb", text).dependencies == (
        Dependency("rack", "~> 2.2"),
        Dependency("rspec", "3.13.0"),
        Dependency("rake", ""),
    )


@pytest.mark.parametrize(
    "text", ['eval_gemfile "other"', "gem name", 'gem("#{x}")', "  gem ENV.fetch('A')"]
)
def test_a_gemfile_that_computes_or_includes_is_read_in_part(text: str) -> None:
    found = read("Gemfile", f'gem "rack"\n{text}\n')
    assert found.dependencies[:1] == (Dependency("rack", ""),)
    assert found.problem is ManifestProblem.PARTIAL
