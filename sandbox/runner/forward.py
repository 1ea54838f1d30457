"""Carries connections between a loopback port and a Unix socket, for a container without a network.

Usage: `python -I forward.py LISTEN TARGET [ARGV…]`, where each of the two is `tcp:PORT` or `unix:PATH`.

With a command it forwards while that runs, and ends with its exit code.
Without one it prints `ready` once it listens, and forwards until it is ended.
"""

import contextlib
import os
import socket
import subprocess
import sys
import threading

_CHUNK = 1 << 16


def main() -> int:
    listen, target, *command = sys.argv[1:]
    for listener in _listeners(listen):
        threading.Thread(target=_serve, args=(listener, target), daemon=True).start()
    if command:
        code = subprocess.call(command)
        return code if code >= 0 else 128 - code
    print("ready", flush=True)
    threading.Event().wait()
    return 0


def _listeners(place: str) -> "list[socket.socket]":
    kind, _, rest = place.partition(":")
    if kind == "unix":
        with contextlib.suppress(FileNotFoundError):
            os.unlink(rest)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(rest)
        os.chmod(rest, 0o666)
        listener.listen(128)
        return [listener]
    found = [socket.create_server(("127.0.0.1", int(rest)), backlog=128)]
    # `localhost` is this one first for some; not every container has it.
    with contextlib.suppress(OSError):
        found.append(socket.create_server(("::1", int(rest)), family=socket.AF_INET6, backlog=128))
    return found


def _connect(place: str) -> socket.socket:
    kind, _, rest = place.partition(":")
    if kind == "unix":
        found = socket.socket(socket.AF_UNIX)
        found.connect(rest)
        return found
    return socket.create_connection(("127.0.0.1", int(rest)))


def _serve(listener: socket.socket, target: str) -> None:
    while True:
        client, _ = listener.accept()
        try:
            there = _connect(target)
        except OSError:
            client.close()
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
