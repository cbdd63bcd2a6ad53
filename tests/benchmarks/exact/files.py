"""Files to draw from."""

from benchmarks.exact.corpus import IndexedFile

FILES = [
    IndexedFile("pool", "src/pool.py", "python", "def acquire(pool):\n    return pool.take()\n"),
    IndexedFile("pool", "README.md", "markdown", "# A pool of connections\n\nacquire one.\n"),
    IndexedFile("web", "server.go", "go", 'func Serve(address string) {\n\tlisten("tcp")\n}\n'),
    IndexedFile("web", "LICENSE", "text", "Permission is hereby granted to everybody.\n"),
    IndexedFile("web", "dos.txt", "text", "acquire();\r\n\r\nlast one\n"),
    IndexedFile("web", "one.txt", "text", "a\n"),
]
