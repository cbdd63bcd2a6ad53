"""Gems and their locked versions by Bundler, which reads the files that this script writes."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from tests.indexer.conformance.make_tables.writing import write, written

Files = Mapping[str, str]
_PROGRAM = """
require "bundler"
require "json"
name = File.exist?("gems.rb") ? "gems.rb" : "Gemfile"
wanted = Bundler::Definition.build(name, nil, nil).dependencies.map(&:name)
lock = File.read(name == "gems.rb" ? "gems.locked" : "Gemfile.lock")
specs = Bundler::LockfileParser.new(lock).specs
pinned = wanted.to_h do |one|
  [one, specs.select { |spec| spec.name == one }.map { |spec| spec.version.to_s }.uniq]
end
gems = Dir["**/*.gemspec"].to_h do |path|
  spec = Gem::Specification.load(path)
  [File.dirname(path), [spec.name, spec.version.to_s]]
end
puts JSON.generate([Bundler::VERSION, pinned, gems])
"""
_LOCK = """GIT
  remote: https://example.org/acme/git.git
  revision: 0123456789012345678901234567890123456789
  tag: v1
  specs:
    acme-git (0.9.1)
      rack (>= 2)

PATH
  remote: engines/near
  specs:
    near (0.4.0)
      rack (~> 2.2)

GEM
  remote: https://rubygems.org/
  specs:
    acme-markup (1.4.2)
      nokogiri (>= 1.16, < 2)
    nokogiri (1.16.5-arm64-darwin)
      racc (~> 1.4)
    nokogiri (1.16.5-x86_64-linux)
      racc (~> 1.4)
    pre (2.0.0.rc1)
    racc (1.8.1)
    rack (2.2.9)
    rspec (3.13.0)
    under_score.dot (0.1)

PLATFORMS
  arm64-darwin
  x86_64-linux

DEPENDENCIES
  acme-git!
  acme-markup (~> 1.4)
  near!
  nokogiri
  pre
  rack
  rspec
  under_score.dot

BUNDLED WITH
   2.3.7
"""
_NEAR = {
    "engines/near/near.gemspec": (
        'Gem::Specification.new do |s|\n  s.name = "near"\n  s.version = "0.4.0"\n'
        '  s.summary = "n"\n  s.authors = ["a"]\n  s.add_dependency "rack", "~> 2.2"\nend\n'
    ),
}
_SOURCE = 'source "https://rubygems.org"\n'
_GEMFILES = {
    "plain": 'gem "rack"\ngem "acme-markup", "~> 1.4"\n',
    "several requirements": 'gem "rack", ">= 2", "< 3"\n',
    "list of requirements": 'gem "rack", [">= 2", "< 3"]\n',
    "parentheses": "gem('rack', '2.2.9')\ngem( \"rspec\" )\n",
    "exact": 'gem "rack", "2.2.9"\ngem "rspec", "= 3.13.0"\n',
    "groups": 'group :test, :development do\n  gem "rspec", require: false\nend\n\n'
    'gem "rack", group: :web\n',
    "groups inside": "group :a do\n  platforms :ruby do\n    gem 'rack'\n  end\nend\n",
    "platforms": 'gem "nokogiri", platforms: [:ruby]\ngem "rack"\n',
    "git": 'gem "acme-git", git: "https://example.org/acme/git.git", tag: "v1"\ngem "rack"\n',
    "git block": 'git "https://example.org/acme/git.git", tag: "v1" do\n  gem "acme-git"\nend\n',
    "path": 'gem "near", path: "engines/near"\n',
    "path block": 'path "engines" do\n  gem "near"\nend\n',
    "prerelease": 'gem "pre", ">= 2.0.0.rc1"\n',
    "source block": 'source "https://gems.example.org" do\n  gem "rack"\nend\n',
    "words": 'gem "under_score.dot"\n',
    "comment after": 'gem "rack" # gem "rspec"\n# gem "pre"\n',
    "several lines": 'gem "rack",\n    "~> 2.2",\n    require: false\n'
    'gem "rspec",\n  # the old one\n  "3.13.0"\n',
    "condition": 'gem "rack" if RUBY_VERSION >= "2"\ngem "rspec" unless false\n',
    "semicolon": 'gem "rack"; gem "rspec"\n',
    "other names of sources": 'gem "rack", :require => "rack/handler"\n',
    "ruby": 'ruby ">= 2.7"\ngem "rack"\n',
    "tabs": "\tgem\t'rack',\t'2.2.9'\n",
    "percent": "gem %q(rack)\ngem %q{rspec}, %q{3.13.0}\n",
    "carriage returns": 'gem "rack"\r\ngem "rspec", "3.13.0"\r\n',
    "symbols for groups": 'group(:x) { gem "rack" }\n',
}
_SPECS = {
    "plain": '  s.name = "acme"\n  s.version = "1.5.0"\n',
    "single quotes": "  s.name = 'acme'\n  s.version = '1.5.0'\n",
    "other variable": None,
    "constant": '  s.name = "acme"\n  s.version = Gem::Version.new("1.5.0")\n',
    "frozen": '  s.name = "acme".freeze\n  s.version = "1.5.0".freeze\n',
    "aligned": '  s.name        = "acme"\n  s.version     = "1.5.0"\n',
    "prerelease": '  s.name = "acme"\n  s.version = "1.5.0.pre"\n',
    "parentheses": '  s.name = ("acme")\n  s.version = ("1.5.0")\n',
    "percent": "  s.name = %q{acme}\n  s.version = %q{1.5.0}\n",
}


def _spec(body: str | None) -> str:
    more = '  s.summary = "a"\n  s.authors = ["a"]\n'
    if body is None:
        return (
            'Gem::Specification.new do |spec|\n  spec.name = "acme"\n  spec.version = "1.5.0"\n'
            '  spec.summary = "a"\n  spec.authors = ["a"]\nend\n'
        )
    return f"Gem::Specification.new do |s|\n{body}{more}end\n"


def _inputs() -> Iterator[tuple[str, Files]]:
    for (name, text), is_new in product(_GEMFILES.items(), (False, True)):
        files = ("gems.rb", "gems.locked") if is_new else ("Gemfile", "Gemfile.lock")
        yield f"{name}: {files[0]}", dict(zip(files, (_SOURCE + text, _LOCK), strict=True)) | _NEAR
    yield "carriage returns in the lock file", {
        "Gemfile": _SOURCE + 'gem "rack"\n',
        "Gemfile.lock": _LOCK.replace("\n", "\r\n"),
    } | _NEAR  # fmt: skip
    gemspec = '  s.name = "acme"\n  s.version = "1.5.0"\n  s.add_dependency "rack", "~> 2.2"\n'
    yield (
        "gemspec",
        {
            "Gemfile": _SOURCE + "gemspec\n",
            "acme.gemspec": _spec(gemspec + '  s.add_development_dependency "rspec"\n'),
            "Gemfile.lock": _LOCK,
        }
        | _NEAR,
    )
    for name, body in _SPECS.items():
        yield f"gemspec {name}", {
            "Gemfile": _SOURCE + 'gem "rack"\n', "Gemfile.lock": _LOCK,
            "acme.gemspec": _spec(body),
        }  # fmt: skip


def _says(folder: Path) -> Any:
    said = subprocess.run(
        ["ruby", "-e", _PROGRAM], cwd=folder, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return json.loads(said)


def main() -> None:
    pins, packages = [], []
    for name, files in _inputs():
        with written(files) as folder:
            version, pinned, gems = _says(folder)
        one = {found: versions[0] for found, versions in pinned.items() if len(versions) == 1}
        pins.append({"name": name, "files": files, "says": {"": one}})
        said = {"" if root == "." else root: gem for root, gem in gems.items()}
        if said:
            packages.append({"name": name, "files": files, "says": said})
    tool = {"tool": "Bundler", "version": version, "ecosystem": "rubygems"}
    write("bundler_pins", question="pins", rows=pins, **tool)
    write("bundler_packages", question="packages", rows=packages, **tool)


if __name__ == "__main__":
    main()
