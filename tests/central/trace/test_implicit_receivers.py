"""Extension members of Kotlin: what they give, and what a bare name in one means."""

from collections.abc import Callable

import pytest

from tests.central.trace.corpus import repository

pytestmark = pytest.mark.django_db

Callers = Callable[..., list[str]]

_LIBRARY = """
    package com.acme.io
    import java.io.File
    class Sink {
        fun close() {}
    }
    class Pipe {
        fun close() {}
        fun sink(): Sink = TODO()
    }
    class Buffer {
        fun read(): Int = 1
        fun size(): Int = 1
    }
    fun File.toSink(): Sink = TODO()
    fun Buffer.pipe(): Pipe = TODO()
    fun Buffer.first(): Int = read()
    fun Buffer.last() { size() }
    fun size(): Int = 2
    fun String.pipe(): Pipe = TODO()
"""
_MORE = """
    package com.acme.io
    fun Sink.emit() {}
"""
_OTHERS = """
    package com.acme.io
    fun Buffer.emit() {}
    fun Buffer.flush() {}
"""
_USE = """
    package com.acme.io
    import com.acme.io.emit
    import java.io.File
    fun one(file: File, buffer: Buffer) {
        val sink = file.toSink()
        sink.close()
        buffer.pipe().close()
        buffer.pipe().sink().close()
        val pipe = "out".pipe()
        pipe.close()
        val other = "out".trim()
        other.close()
    }
    fun Buffer.two() { emit() }
    fun Sink.three() { emit() }
    fun String.four() = pipe()
    fun five(sink: Sink) = with(sink) { flush() }
"""


@pytest.fixture
def kotlin(db: None) -> None:
    files = {"Io": _LIBRARY, "More": _MORE, "Others": _OTHERS, "Use": _USE}
    repository(
        "io",
        {
            "build.gradle.kts": 'group = "com.acme"\nversion = "1.0"\n',
            **{f"src/main/kotlin/{name}.kt": text for name, text in files.items()},
        },
    )


USE = "io/src/main/kotlin/Use.kt"


@pytest.mark.usefixtures("kotlin")
def test_a_member_of_what_an_extension_gives_is_found(callers: Callers) -> None:
    assert callers("Sink.close") == [f"{USE}:7 one medium", f"{USE}:9 one high"]
    assert callers("Pipe.close") == [f"{USE}:{line} one high" for line in (8, 11)]


@pytest.mark.usefixtures("kotlin")
def test_a_bare_name_in_an_extension_is_a_member_of_its_receiver(callers: Callers) -> None:
    assert callers("Buffer.read") == ["io/src/main/kotlin/Io.kt:17 first high"]


@pytest.mark.usefixtures("kotlin")
def test_of_several_extensions_a_bare_name_is_that_of_the_receiver_around(callers: Callers) -> None:
    assert callers("emit", file="src/main/kotlin/More.kt") == [f"{USE}:16 three high"]
    assert callers("emit", file="src/main/kotlin/Others.kt") == [f"{USE}:15 two high"]


@pytest.mark.usefixtures("kotlin")
def test_a_bare_extension_of_another_type_than_around_is_a_guess(callers: Callers) -> None:
    assert callers("flush") == [f"{USE}:18 five medium"]
    assert f"{USE}:17 four high" in callers("pipe")
