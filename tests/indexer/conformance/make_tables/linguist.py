"""Linguist's language of small files, by its own program: needs Ruby with github-linguist."""

import json
import subprocess

from indexer.languages.registry import BY_LINGUIST
from tests.indexer.conformance.make_tables.linguist_files import DIFFERS, FILES
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

said = JSON.parse($stdin.read).map { |name, text| Linguist.detect(Blob.new(name, text))&.name }
puts JSON.generate([Linguist::VERSION, said])
"""


def main() -> None:
    done = subprocess.run(
        ["ruby", "-e", _PROGRAM],
        input=json.dumps(FILES), capture_output=True, text=True, check=True,
    )  # fmt: skip
    version, said = json.loads(done.stdout)
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
