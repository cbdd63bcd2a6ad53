"""A worker process, from its start to its end: it does tasks and, if asked, forks other workers.

It has no threads, so it may fork whenever it has no task.
"""

import gc
import os
import pickle
import signal
import socket
from contextlib import suppress
from itertools import count
from traceback import format_exception
from typing import Final, NoReturn

from indexer.output.github import log_to_standard_error
from indexer.pipeline.worker_channel import receive, send

_REQUESTS_PER_COLLECTION: Final = 100

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # noqa: TID251 - NumPy would start threads for nothing


def main(descriptor: int) -> NoReturn:
    """Work for the process at the other end of a socket, until that closes it.

    A parse makes many small objects at once and few cycles: they are collected after each group of
    files.
    """
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and ends its workers
    log_to_standard_error()
    _import_shared()
    gc.freeze()
    with suppress(EOFError, OSError):  # the parent has ended, or needs no worker
        _serve(socket.socket(fileno=descriptor))
    os._exit(0)


def _import_shared() -> None:
    """Import what all workers need, while the parent talks to git and to central."""
    import indexer.pipeline.worker  # noqa: F401 (importing it is the point)
    from indexer.embedding.builtin import load_packaged

    load_packaged()


def _serve(channel: socket.socket) -> None:
    for number in count(1):
        request, descriptors = receive(channel)
        if request:
            send(channel, _answer(request))
        if number % _REQUESTS_PER_COLLECTION == 0:  # one that `watch` keeps works for days
            gc.collect()
        for descriptor in descriptors:
            channel = _forked(channel, descriptor)


def _forked(channel: socket.socket, descriptor: int) -> socket.socket:
    """Fork a worker; return the channel that each of the two processes has now."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:  # those that have ended
            pass
    if os.fork():
        os.close(descriptor)
        return channel
    channel.close()
    return socket.socket(fileno=descriptor)


def _answer(request: bytearray) -> bytes:
    """Do a task; return whether it succeeded, with its result or what it has raised."""
    try:
        work, arguments, more = pickle.loads(request)  # noqa: S301 - from the parent
        return pickle.dumps((True, work(*arguments, **more)), pickle.HIGHEST_PROTOCOL)
    except Exception as exc:  # noqa: BLE001 - raised where the result is read
        exc.add_note("".join(format_exception(exc)))
        return pickle.dumps((False, exc.with_traceback(None)))
