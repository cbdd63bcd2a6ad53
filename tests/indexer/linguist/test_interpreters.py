"""Which program a `#!` line starts."""

import pytest

from indexer.linguist.strategies import interpreter_languages, interpreters


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("#!/usr/bin/env -S uv run --script", "Python"),
        ("#!/usr/bin/env -S A=1 python3.12 -u", "Python"),
        ("#!/usr/bin/env -u HOME -C /tmp ruby", "Ruby"),
        ("#!/usr/bin/env -S'ruby -w'", "Ruby"),
        ("#!/usr/bin/env --split-string=ruby -w", "Ruby"),
        ("#!/usr/bin/env -S bundle exec ruby", "Ruby"),
        ("#!/usr/bin/env -S poetry run python", "Python"),
        ("#!/usr/bin/env -S npx ts-node", "TypeScript"),
        ("#!/bin/bash\r", "Shell"),
        ("#!/usr/bin/env nix-shell\n#! nix-shell -i ruby -p ruby", "Ruby"),
        ("#!/usr/bin/env nix\n#! nix shell nixpkgs#ruby --command ruby", "Ruby"),
        ('#!/bin/sh\nexec ruby "$0" "$@"', "Ruby"),
    ],
)
def test_the_program_that_runs_the_file_tells_its_language(line: str, language: str) -> None:
    assert list(interpreter_languages(f"{line}\nx\n".encode())) == [language]


@pytest.mark.parametrize(
    "text", ["", "#!", "#! ", "#!/usr/bin/env", "#!/usr/bin/env -S", "x\n#!/bin/sh"]
)
def test_without_a_program_there_is_none(text: str) -> None:
    assert not interpreters(text.encode())
