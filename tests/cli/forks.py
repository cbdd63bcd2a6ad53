"""`python -m tests.cli.forks FD`: forks itself for each command that it is asked for, and runs it.

See `codesearch` in command.py.
"""

import gc
import json
import os
import pkgutil
import socket
import sys
from importlib import import_module
from typing import Any, NoReturn

# As the command does before its imports.
sys.modules["httpx._main"] = sys.modules["h2"] = None  # type: ignore[assignment]

from aeterna_code_search import cli  # noqa: E402
from aeterna_code_search.cli.main import main_codesearch  # noqa: E402
from aeterna_code_search.integrations import chunkhound, codequery  # noqa: E402

REQUEST_BYTES = 1_000_000


def main(connection: socket.socket) -> None:
    """Answer each request with the exit code of the command, negative for a signal."""
    for package in (cli, chunkhound, codequery):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    gc.freeze()
    while True:
        request, streams, _, _ = socket.recv_fds(connection, REQUEST_BYTES, 3)
        if not request:
            return
        child = os.fork()
        if not child:
            connection.close()
            _run(json.loads(request), streams)
        for stream in streams:
            os.close(stream)
        connection.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def _run(request: dict[str, Any], streams: list[int]) -> NoReturn:
    """Be the command."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["directory"])
    os.environ.clear()
    os.environ.update(request["environ"])
    sys.argv[1:] = request["arguments"]
    sys.path[0] = request["directory"]
    main_codesearch()


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
