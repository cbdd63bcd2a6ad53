"""Words, and tables that read each distinct word once."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import words
from indexer.words import Rows, WordTable, split_words


class Reader:
    """Reads a word as the codes of its characters; refuses "unreadable", which is never drawn."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def __call__(self, words: Sequence[str]) -> Iterator[list[int]]:
        for word in words:
            if word == "unreadable":
                raise ValueError(word)
            self.words.append(word)
            yield list(map(ord, word))


def as_lists(rows: Rows) -> list[list[int]]:
    ends = rows.lengths.cumsum()[:-1]
    return [part.tolist() for part in np.split(rows.values, ends)] if len(rows.lengths) else []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def get_name(self): 2", ["def", "get_name", "self", "2"]),
        ("größe\u2014x = y", ["größe\u2014x", "y"]),
        ("\n\t-- !", []),
    ],
)
def test_words_end_at_ascii_signs_alone(text: str, expected: list[str]) -> None:
    assert split_words(text) == expected


@given(st.lists(st.lists(st.text(max_size=3), max_size=6), max_size=4))
def test_each_word_is_read_once_and_has_its_row(texts: list[list[str]]) -> None:
    reader = Reader()
    table = WordTable(reader)
    for text in texts:
        assert as_lists(table.rows(text)) == [list(map(ord, word)) for word in text]
    assert sorted(reader.words) == sorted({word for text in texts for word in text})


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=6), st.data())
def test_rows_are_joined_and_filtered(rows: list[list[int]], data: st.DataObject) -> None:
    lengths = np.array(list(map(len, rows)), np.int64)
    whole = Rows(np.array([one for row in rows for one in row], np.int64), lengths)
    cut = data.draw(st.integers(0, len(rows)))
    joined = whole.joined([cut, 0, len(rows) - cut])
    parts: tuple[list[list[int]], ...] = (rows[:cut], [], rows[cut:])
    assert as_lists(joined) == [[one for row in part for one in row] for part in parts]
    assert as_lists(whole.only(whole.values > 4)) == [[n for n in row if n > 4] for row in rows]
    assert as_lists(whole.only(whole.positions() < 2)) == [row[:2] for row in rows]


def test_a_full_table_starts_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "MAX_WORDS", 3)
    reader = Reader()
    table = WordTable(reader)
    for text in (["a", "b", "c", "d"], ["a", "e"]):
        assert as_lists(table.rows(text)) == [[ord(word)] for word in text]
    assert reader.words == ["a", "b", "c", "d", "a", "e"]
    assert len(table) == 2


def test_a_word_that_cannot_be_read_spoils_no_other() -> None:
    table = WordTable(Reader())
    table.rows(["a"])
    with pytest.raises(ValueError, match="unreadable"):
        table.rows(["b", "unreadable", "c"])
    assert as_lists(table.rows(["c", "a"])) == [[ord("c")], [ord("a")]]


def test_threads_may_share_a_table() -> None:
    table = WordTable(Reader())
    texts = [[str(number % 97), str(number)] for number in range(300)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(table.rows, texts))
    assert list(map(as_lists, found)) == [[list(map(ord, one)) for one in text] for text in texts]
