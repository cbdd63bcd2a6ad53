"""A way into a network namespace: an HTTP CONNECT proxy on this machine's loopback interface.

`python -m tests.deploy.engine.connect_proxy NAMESPACE_FILE` prints its port. It ends with its
input.
"""

import ctypes
import os
import socket
import socketserver
import sys
import threading

from tests.relay import relay

_NETWORK = 0x40000000  # CLONE_NEWNET
_libc = ctypes.CDLL(None, use_errno=True)


class RelayServer(socketserver.ThreadingTCPServer):
    """Its connections end with the process."""

    daemon_threads = True
    request_queue_size = 256


class _Tunnel(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            if not (more := self.request.recv(65536)):
                return
            head += more
        host, _, port = head.split()[1].decode().rpartition(":")
        try:
            upstream = socket.create_connection((host.strip("[]"), int(port)), timeout=60)
        except OSError:
            self.request.sendall(b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
            return
        with upstream:
            upstream.settimeout(None)
            self.request.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            relay(self.request, upstream)


def main(namespace: str) -> None:
    """Listen here, connect there: a socket stays in the namespace in which it was made."""
    with RelayServer(("127.0.0.1", 0), _Tunnel) as server:
        entered = os.open(namespace, os.O_RDONLY)
        if _libc.setns(entered, _NETWORK):  # threads that start from here on are there, too
            raise OSError(ctypes.get_errno(), "setns")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdout.write(f"{server.server_address[1]}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
