"""Text in other encodings than UTF-8, and what only looks like it."""

import random
from unicodedata import normalize

import pytest

from indexer.decoding import Decoded, decode_text
from indexer.records.files import SkipReason

LATIN = "# -*- coding: latin-1 -*-\n# Größe\ndef f(x):\n    return x\n"


def text_of(path: str, content: bytes, declared: str = "") -> tuple[str, str]:
    found = decode_text(path, content, declared)
    assert isinstance(found, Decoded), found
    assert found.source == found.text.encode()
    return found.text, found.encoding


@pytest.mark.parametrize(
    ("path", "text", "encoding"),
    [
        ("a.py", LATIN, "iso8859-1"),
        ("a.py", "#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\nx = 'Цена'\n", "cp1251"),
        ("tool", "#!/usr/bin/env python3\n# coding=koi8-r\nx = 'Цена'\n", "koi8-r"),
        ("a.rb", "# encoding: euc-jp\nputs '日本語'\n", "euc_jp"),
        ("a.rb", "#!/usr/bin/ruby\n# -*- coding: Windows-31J -*-\nputs '①日本'\n", "cp932"),
        ("a.c", "/* -*- mode: C; coding: euc-jp -*- */\n/* 日本語 */\n", "euc_jp"),
        ("a.pl", "#!/usr/bin/perl\n# vim: ts=4 fenc=sjis\n# 日本語\n", "shift_jis"),
        ("a.xml", '<?xml version="1.0" encoding="ISO-8859-15"?>\n<a>1 €</a>\n', "iso8859-15"),
        ("a.resx", "<?xml version='1.0' encoding='windows-1250'?><a>Zażółć</a>", "cp1250"),
        ("a.html", '<html><head><META charset="gb2312"></head>价格</html>', "gb2312"),
        (
            "a.jsp",
            '<%@ page contentType="text/html" pageEncoding="GBK"%>\n<p>價格价格</p>\n',
            "gbk",
        ),
        (
            "a.htm",
            '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">日本',
            "shift_jis",
        ),
        ("a.css", '@charset "iso-8859-2";\na::before { content: "ł" }\n', "iso8859-2"),
    ],
)
def test_text_is_decoded_as_the_file_declares(path: str, text: str, encoding: str) -> None:
    assert text_of(path, text.encode(encoding)) == (text, encoding)


@pytest.mark.parametrize(
    ("label", "codec", "text"),
    [
        ("shift_jis", "cp932", "①"),  # NEC's row 13
        ("gb2312", "gb18030", "镕"),
        ("euc-kr", "cp949", "똠"),
        ("big5", "big5hkscs", "㗎"),
    ],
)
def test_characters_of_vendors_are_written_under_the_name_of_the_standard(
    label: str, codec: str, text: str
) -> None:
    text = f"# coding: {label}\nx = '{text}'\n"
    assert text_of("a.rb", text.encode(codec)) == (text, codec)


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
        (b"\xff\xfe\x00\x00", "utf-32-le"),
        (b"\x00\x00\xfe\xff", "utf-32-be"),
    ],
)
def test_a_mark_tells_the_encoding(mark: bytes, encoding: str) -> None:
    text = 'namespace Old;\r\npublic class Größe { string s = "𝄞"; }\r\n'
    assert text_of("Form.cs", mark + text.encode(encoding)) == (text, encoding)
    assert text_of("requirements.txt", mark + "ä==1\n".encode(encoding), "latin1")[1] == encoding
    cut = mark + text.encode(encoding)[:-1]
    assert decode_text("Form.cs", cut) is SkipReason.ENCODING_INVALID


def test_a_mark_of_utf8_is_no_part_of_the_text() -> None:
    assert text_of("a.py", b"\xef\xbb\xbf" + LATIN.encode()) == (LATIN, "")
    assert decode_text("a.py", b"\xef\xbb\xbf\xff") is SkipReason.ENCODING_INVALID
    assert decode_text("a.py", b"\xef\xbb\xbf\0") is SkipReason.BINARY


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "/* Prix en €uros, déjà vu */\nint price_in_euro(int x) { return x; }\n"),
        ("cp1252", "/* Größe */ int f;"),
        ("cp1252", "// 5 °C\nint f(void) { return 0; }\n"),
        ("cp1250", "// Zażółć gęślą jaźń\nint f(void) { return 0; }\n"),
        ("cp1251", "// Вычислить цену\nint f(void) { return 0; }\n"),
        ("shift_jis", "// 日本語のコメント\nint f(void) { return 0; }\n"),
        ("euc_jp", "// 日本語のコメント\nint f(void) { return 0; }\n"),
        ("gb18030", "// 计算价格的函数\nint f(void) { return 0; }\n"),
        ("big5", "// 計算價格的函數\nint f(void) { return 0; }\n"),
        ("euc_kr", "// 가격을 계산한다\nint f(void) { return 0; }\n"),
    ],
)
def test_undeclared_text_is_decoded_by_its_letters(encoding: str, text: str) -> None:
    assert text_of("a.c", text.encode(encoding)) == (text, encoding)


def test_a_declaration_holds_for_bytes_that_happen_to_be_utf8() -> None:
    content = b"# coding: latin-1\nx = '\xc3\xa9'\n"  # what Python reads
    assert text_of("a.py", content) == ("# coding: latin-1\nx = 'Ã©'\n", "iso8859-1")
    assert text_of("a.rb", content)[1] == "iso8859-1"
    assert text_of("a.c", content) == (content.decode(), "")
    ascii_only = b"# coding: latin-1\nx = 1\n"
    assert text_of("a.py", ascii_only) == (ascii_only.decode(), "")
    escaped = "# coding: iso-2022-jp\nx = '日本'\n".encode("iso2022_jp")
    assert text_of("a.py", escaped) == ("# coding: iso-2022-jp\nx = '日本'\n", "iso2022_jp")


@pytest.mark.parametrize("label", ["no-such", "ascii", "shift_jis", "utf-7", "zlib", "idna"])
def test_a_declaration_that_cannot_be_leaves_utf8_as_it_is(label: str) -> None:
    text = f"# coding: {label}\nx = '\x85é…'\n"
    assert text_of("a.py", text.encode()) == (text, "")


@pytest.mark.parametrize(
    ("path", "content", "declared"),
    [
        ("a.py", b"# coding: utf-8\n# Gr\xf6\xdfe\n", ""),
        ("a.py", b"# coding: no-such\n# Gr\xf6\xdfe\n", ""),
        ("a.py", b"# coding: unicode_escape\n# Gr\xf6\xdfe\n", ""),
        ("a.rb", b"# coding: euc-jp\n# \x81\x20\n", ""),
        ("a.xml", b'<?xml version="1.0" encoding="UTF-8"?>\n<a>\xf6</a>\n', ""),
        ("a.html", b"<meta charset=utf-8>\xf6", ""),
        ("a.c", b"// \x81\x20\n", "shift_jis"),
        ("a.gif", b"GIF89a\x05\xff\x01\xf6", "latin1"),  # a pattern covers it
        ("a.txt", b"\0a\xd8\0", "utf-16be"),
    ],
)
def test_a_wrong_declaration_is_a_reason_of_its_own(
    path: str, content: bytes, declared: str
) -> None:
    assert decode_text(path, content, declared) is SkipReason.ENCODING_INVALID


def test_what_another_file_declares_concerns_only_what_is_not_utf8() -> None:
    text = "// Größe, déjà vu\n"
    assert text_of("a.c", text.encode(), "latin-1") == (text, "")  # git has converted it
    assert text_of("a.c", text.encode("cp850"), "cp850") == (text, "cp850")
    assert text_of("a.c", text.encode("cp1252"), "utf-8") == (text, "cp1252")  # an editor's default
    assert text_of("a.c", text.encode("cp1252"), "no-such") == (text, "cp1252")
    own = "# coding: cp1251\n# Цена\n"
    assert text_of("a.py", own.encode("cp1251"), "latin-1") == (own, "cp1251")


@pytest.mark.parametrize("label", ["UTF-16LE", "utf-16", "UTF-16LE-BOM", "utf-16be", "utf-32le"])
def test_utf16_without_a_mark_is_text_if_another_file_says_so(label: str) -> None:
    codec = "utf-32-le" if "32" in label else "utf-16-be" if "be" in label else "utf-16-le"
    content = "class Größe {}\n".encode(codec)
    assert text_of("a.cs", content, label) == ("class Größe {}\n", codec)
    assert decode_text("a.cs", content) is SkipReason.BINARY
    assert decode_text("a.cs", content, "latin-1") is SkipReason.BINARY


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\xff\x01\x02",
        b"GIF89a\x05\xff\x01\xf6;",
        b"\x1f\x8b\x08\x08\xff\xd8\xff\xe0",
        "Größe und Maße — déjà vu ".encode() + b"\xff",  # UTF-8, but for a byte
        "日本語のコメント".encode()[:-1],
        "é\x8d".encode("latin-1") * 4 + b"\xff",
    ],
)
def test_what_only_looks_like_text_is_skipped(content: bytes) -> None:
    assert decode_text("a.dat", content) is SkipReason.NOT_UTF8


def test_random_bytes_are_no_text() -> None:
    generator = random.Random(20)  # noqa: S311
    for length in (48, 100, 300, 2_000):
        for _ in range(150):
            content = bytes(generator.randrange(1, 256) for _ in range(length))
            assert isinstance(decode_text("key", content), SkipReason), content


def test_random_bytes_after_a_mark_are_no_text() -> None:
    generator = random.Random(21)  # noqa: S311
    for mark in (b"\xff\xfe", b"\xfe\xff"):
        for _ in range(200):
            content = mark + generator.randbytes(200)
            assert isinstance(decode_text("a.mp3", content), SkipReason), content


def test_text_is_decoded_as_it_is_and_not_normalised() -> None:
    text = normalize("NFD", "Größe\n") + "\r\n\x0c"
    assert text_of("a.c", b"\xff\xfe" + text.encode("utf-16-le")) == (text, "utf-16-le")
