"""Linguist's language of small files, by its own program: needs Ruby with github-linguist."""

import json
import subprocess
from collections.abc import Sequence
from typing import Any

from indexer.languages.registry import BY_LINGUIST
from tests.indexer.conformance.make_tables.linguist_files import DIFFERS, FILES
from tests.indexer.conformance.make_tables.linguist_generated import GENERATED, GENERATED_DIFFERS
from tests.indexer.conformance.make_tables.writing import write

_PROGRAM = """
require 'json'
require 'linguist'

class Blob
  include Linguist::BlobHelper
  attr_reader :name, :data

  def initialize(name, text)
    @name = name
    @data = text.b
  end

  def size = @data.bytesize
  def mode = nil
  def symlink? = false
end

said = JSON.parse($stdin.read).map do |name, text|
  next !!Linguist::Generated.generated?(name, text.b) if ARGV[0] == 'generated'

  Linguist.detect(Blob.new(name, text))&.name
end
puts JSON.generate([Linguist::VERSION, said])
"""


def main() -> None:
    _write_languages()
    _write_generated()


def _said(question: str, files: Sequence[tuple[str, str]]) -> tuple[str, list[Any]]:
    """Return Linguist's version, and its answer about each file."""
    done = subprocess.run(
        ["ruby", "-e", _PROGRAM, question],
        input=json.dumps(files), capture_output=True, text=True, check=True,
    )  # fmt: skip
    version, said = json.loads(done.stdout)
    return version, said


def _write_generated() -> None:
    version, said = _said("generated", GENERATED)
    rows = []
    for number, ((path, text), is_generated) in enumerate(zip(GENERATED, said, strict=True)):
        row = {"name": f"{number} {path}", "files": {path: text}, "says": {path: is_generated}}
        if path in GENERATED_DIFFERS:
            row["differs"] = GENERATED_DIFFERS[path]
        rows.append(row)
    write(
        "linguist_generated",
        tool="github-linguist", version=version, question="generated", ecosystem="none", rows=rows,
    )  # fmt: skip


def _write_languages() -> None:
    version, said = _said("languages", FILES)
    rows = []
    for number, ((path, text), language) in enumerate(zip(FILES, said, strict=True)):
        ours = BY_LINGUIST.get(language)
        row = {
            "name": f"{number} {path}: {language}",
            "files": {path: text},
            "says": {path: ours.name if ours else None},
        }
        if (path, text) in DIFFERS:
            row["differs"] = DIFFERS[path, text]
        rows.append(row)
    write(
        "linguist_languages",
        tool="github-linguist", version=version, question="languages", ecosystem="none", rows=rows,
    )  # fmt: skip


if __name__ == "__main__":
    main()
