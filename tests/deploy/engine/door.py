"""A door into a network namespace: an HTTP CONNECT proxy on this machine's loopback interface.

`python door.py NAMESPACE_FILE` prints its port, and ends with its standard input.
"""

import asyncio
import ctypes
import os
import sys

_NETWORK = 0x40000000  # CLONE_NEWNET
_libc = ctypes.CDLL(None, use_errno=True)


async def main(namespace: str) -> None:
    """Listen here, connect there: a socket stays in the namespace in which it was made."""
    server = await asyncio.start_server(_tunnel, "127.0.0.1", 0)
    entered = os.open(namespace, os.O_RDONLY)
    if _libc.setns(entered, _NETWORK):
        raise OSError(ctypes.get_errno(), "setns")
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201
    await asyncio.to_thread(sys.stdin.read)
    os._exit(0)


async def _tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        host, _, port = head.split()[1].decode().rpartition(":")
        there, to_there = await asyncio.open_connection(host.strip("[]"), int(port))
    except (OSError, asyncio.IncompleteReadError):
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
        writer.close()
        return
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    await asyncio.gather(_copy(reader, to_there), _copy(there, writer), return_exceptions=True)
    for each in (to_there, writer):
        each.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while content := await reader.read(65536):
        writer.write(content)
        await writer.drain()
    writer.write_eof()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
