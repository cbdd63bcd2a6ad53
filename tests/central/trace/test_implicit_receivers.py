"""Extension members of Kotlin: what they give, and what a bare name in one means."""

import pytest

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

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


_NAMESAKES = """
    package acme
    class Sink {
        fun flush() {}
    }
    class User {
        fun flush() {}
        fun log() {}
        fun Sink.drain() {
            flush()
            log()
            this.flush()
        }
        fun android.view.View.show() {
            flush()
        }
        fun run(sink: Sink, far: Far, outside: java.io.File) {
            sink.apply { flush() }
            with(sink) { log() }
            far.run { flush() }
            outside.apply { flush() }
            sink.let { it.flush() }
            far.also { one -> one.flush() }
            val made = Far().apply { log() }
            made.flush()
            flush()
        }
    }
"""
_FAR = """
    package acme
    class Far {
        fun flush() {}
    }
"""


def test_the_object_of_an_extension_or_lambda_goes_before_the_class_around(
    callers: Callers,
) -> None:
    repository("app", {"User.kt": _NAMESAKES, "Far.kt": _FAR})
    drain = [f"app/User.kt:{line} User.drain high" for line in (10, 12)]
    run = [f"app/User.kt:{line} User.run high" for line in (18, 22)]
    assert callers("Sink.flush") == drain + run
    assert callers("Far.flush") == [f"app/User.kt:{line} User.run high" for line in (20, 23, 25)]
    assert callers("User.flush") == [
        "app/User.kt:15 User.show medium",
        "app/User.kt:21 User.run medium",
        "app/User.kt:26 User.run high",
    ]
    assert callers("User.log") == [
        "app/User.kt:11 User.drain high",
        "app/User.kt:19 User.run high",
        "app/User.kt:24 User.run medium",
    ]
