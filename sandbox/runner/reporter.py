"""The reporter: its own process under its own uid, the only one whose words become the report.

Usage: `python -I reporter.py [FIFO]` (default `/run/greenline/report`).

It makes the FIFO, prints `ready`, and then prints each line that the driver wrote, as JSON.
The first line is the driver's greeting, written before any project code runs, and names a secret;
every later line must begin with it. What does not is printed as an `intruder` record, never as a result.
Nothing that was printed can be taken back. It ends with the driver's last record, or with the driver.
"""

import contextlib
import json
import os
import select
import sys

_DEFAULT = "/run/greenline/report"
_MAX_INTRUDERS = 20


def main() -> int:
    path = sys.argv[1] if len(sys.argv) > 1 else _DEFAULT
    os.umask(0)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    os.mkfifo(path, 0o622)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    # Nobody else may read, also where the tests have this process's user.
    os.chmod(path, 0o222)
    _print({"kind": "ready"}, raw="ready")
    _Relay().follow(reader)
    return 0


class _Relay:
    def __init__(self) -> None:
        self._secret = b""
        self._n_intruders = 0

    def follow(self, reader: int) -> None:
        """Relay lines until the last record came or every writer is gone."""
        poller = select.poll()
        poller.register(reader, select.POLLIN | select.POLLHUP)
        rest = b""
        while True:
            poller.poll()
            try:
                data = os.read(reader, 1 << 16)
            except BlockingIOError:
                continue
            if not data:
                break
            lines = (rest + data).split(b"\n")
            rest = lines.pop()
            for line in lines:
                if self._take(line):
                    return
        if rest:
            self._intruder()

    def _take(self, line: bytes) -> bool:
        """Print one record; return whether it was the last."""
        if not self._secret:
            self._secret = line.strip()
            return False
        secret, _, text = line.partition(b" ")
        if secret != self._secret:
            self._intruder()
            return False
        try:
            record = json.loads(text.decode("utf-8"))
        except ValueError:
            self._intruder()
            return False
        _print(record)
        return bool(record.get("kind") == "final")

    def _intruder(self) -> None:
        self._n_intruders += 1
        if self._n_intruders <= _MAX_INTRUDERS:
            _print({"kind": "intruder", "where": "fifo"})


def _print(record: dict, raw: str = "") -> None:
    sys.stdout.write((raw or json.dumps(record, separators=(",", ":"))) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
