"""What lines for Emacs and Vim name."""

import pytest

from indexer.linguist.strategies import mode


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("# -*- python -*-", "python"),
        ("/* -*- mode: c++; tab-width: 2 -*- */", "c++"),
        ("# -*- coding: utf-8; Mode:ruby -*-", "ruby"),
        ("# -*- coding: utf-8 -*-", ""),
        ("# -*- two words -*-", ""),
        ("# -*- open", ""),
        ("# vim: ft=python", "python"),
        ("# vim: set sw=2 ft=python:", "python"),
        ("# vim: set sw=2 ft=python", ""),
        (r"# vim: titlestring=\ ft=sh ft=lua", "lua"),
        ("# vim<700: filetype=php", "php"),
        ("# lex: ft=java", ""),
        ("# vim: ft=", ""),
        ("UseVimball\n# vim: ft=python", ""),
        ("a\n" * 5 + "# vim: ft=python\n" + "a\n" * 5, ""),
        ("a\n" * 5 + "# vim: ft=python\n" + "a\n" * 4, "python"),
        ("a" * 5_000 + " vim: ft=python\n" + "a\n" * 9, ""),
    ],
)
def test_the_mode_is_that_of_the_first_or_last_lines(text: str, name: str) -> None:
    assert mode(text.encode()) == name
