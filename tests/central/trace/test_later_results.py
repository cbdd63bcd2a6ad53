"""Functions of Go with several results: each name on the left has the type of its own."""

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

_LIBRARY = {
    "go.mod": "module github.com/acme/lib\n\ngo 1.24\n",
    "parts.go": """
        package lib

        type Reader struct{}
        type Writer struct{}

        func (r *Reader) Close() {}
        func (w *Writer) Close() {}

        type Opener interface {
            Open() (r *Reader, w *Writer, err error)
        }

        func Pipe() (*Reader, *Writer, error) { return nil, nil, nil }
        """,
}


def _uses(text: str) -> None:
    repository("lib", _LIBRARY)
    repository(
        "app",
        {
            "go.mod": "module github.com/acme/app\n\nrequire github.com/acme/lib v1.0.0\n",
            "main.go": text,
        },
    )


def test_each_name_has_the_type_of_its_own_result(callers: Callers) -> None:
    _uses(
        """
        package app

        import "github.com/acme/lib"

        func ofFunction() {
            r, w, err := lib.Pipe()
            w.Close()
            r.Close()
            err.Close()
        }

        func ofMethod(o lib.Opener) {
            var _, w, _ = o.Open()
            w.Close()
        }
        """
    )
    assert callers("Writer.Close") == [
        "app/main.go:8 ofFunction high",
        "app/main.go:15 ofMethod high",
    ]
    assert callers("Reader.Close") == ["app/main.go:9 ofFunction high"]


def test_of_two_values_each_name_has_its_own(callers: Callers) -> None:
    _uses(
        """
        package app

        import "github.com/acme/lib"

        func here(o lib.Opener) {
            count, r := 1, &lib.Reader{}
            r.Close()
            n, other := o.Open, unknown()
            other.Close()
        }
        """
    )
    assert callers("Reader.Close") == ["app/main.go:8 here high"]
    assert callers("Writer.Close") == []
