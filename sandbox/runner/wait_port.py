"""Waits until somebody listens at ports of loopback: `python -I wait_port.py SECONDS PORT…`; 1 where not."""

import socket
import sys
import time


def main() -> int:
    ends = time.monotonic() + float(sys.argv[1])
    left = [int(port) for port in sys.argv[2:]]
    while left:
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", left[-1])) == 0:
                left.pop()
                continue
        if time.monotonic() > ends:
            return 1
        time.sleep(0.05)
    return 0


if __name__ == "__main__":
    sys.exit(main())
