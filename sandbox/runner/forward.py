"""Runs a command beside a loopback port that leads to a Unix socket, in a container without a network.

Usage: `python -I forward.py PORT SOCKET ARGV…`; its exit code is the command's.
"""

import contextlib
import socket
import subprocess
import sys
import threading

_CHUNK = 1 << 16


def main() -> int:
    port, path, *command = sys.argv[1:]
    listener = socket.create_server(("127.0.0.1", int(port)), backlog=128)
    threading.Thread(target=_serve, args=(listener, path), daemon=True).start()
    code = subprocess.call(command)
    return code if code >= 0 else 128 - code


def _serve(listener: socket.socket, path: str) -> None:
    while True:
        client, _ = listener.accept()
        there = socket.socket(socket.AF_UNIX)
        try:
            there.connect(path)
        except OSError:
            client.close()
            there.close()
            continue
        pair = _Pair(client, there)
        for way in ((client, there), (there, client)):
            threading.Thread(target=pair.carry, args=way, daemon=True).start()


class _Pair:
    """Two ends of one connection, closed once neither sends any more."""

    def __init__(self, *ends: socket.socket) -> None:
        self._ends = ends
        self._left = len(ends)
        self._lock = threading.Lock()

    def carry(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while chunk := source.recv(_CHUNK):
                sink.sendall(chunk)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)
        with self._lock:
            self._left -= 1
            is_over = self._left == 0
        if is_over:
            for end in self._ends:
                end.close()


if __name__ == "__main__":
    sys.exit(main())
