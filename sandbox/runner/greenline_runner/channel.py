"""One-way channel from a child to the driver: JSON lines that begin with the child's secret.

Everything that sending needs is bound when this module is imported, before project code can replace it.
"""

import os
from json import JSONEncoder

_write = os.write
_getpid = os.getpid
_encode = JSONEncoder(separators=(",", ":"), check_circular=False).encode


class Channel:
    """Sends records; a process forked from the owner sends nothing."""

    __slots__ = ("_fd", "_pid", "_prefix")

    def __init__(self, fd, secret):
        self._fd = fd
        self._prefix = secret + b" "
        self._pid = _getpid()

    def own(self):
        """Belong to this process, forked from the owner, from now on."""
        self._pid = _getpid()

    def send(self, record):
        """Send one record (JSON values)."""
        if _getpid() != self._pid:
            return
        text = _encode(record).encode("utf-8", "backslashreplace")
        data = memoryview(self._prefix + text + b"\n")
        while data:
            data = data[_write(self._fd, data) :]


def drain(descriptor, rest, take):
    """Hand each whole line that is there to `take`; return what is left, and whether the pipe is closed."""
    while True:
        try:
            data = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            return rest, False
        if not data:
            return rest, True
        lines = (rest + data).split(b"\n")
        rest = lines.pop()
        for line in lines:
            take(line)


def silence(descriptors):
    """Point descriptors at nothing."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(null, descriptor)
    os.close(null)


def fork_collector(channel):
    """Fork the collecting process: return True in it, and False in the caller once it has ended."""
    pid = os.fork()
    if pid == 0:
        channel.own()
        silence((1, 2))
        return True
    os.waitpid(pid, 0)
    return False


def end_collector(channel, code):
    """End the collecting process."""
    channel.send({"kind": "collectionEnd", "exit": int(code)})
    os._exit(0)


def shorten(text, limit=4000):
    """Return the head and the tail of a long text."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if len(text) <= limit:
        return text
    half = limit // 2
    return text[:half] + "\n…\n" + text[-half:]
