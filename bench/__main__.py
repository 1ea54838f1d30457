"""Print what `make bench` measures: how fast and how large the server is, and what the sandbox costs."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from greenline.app import make_sandbox, make_verifier
from greenline.config.settings import load_settings
from greenline.core.cancel import Cancellation
from greenline.demo.scene import sample_project
from greenline.guard.gate import Gate
from greenline.workspace.snapshot import Snapshot

ROUNDS = 7


def main() -> int:
    """Print each measurement as it is made."""
    bin_folder = Path(sys.executable).parent
    servers = {
        "greenline": [str(bin_folder / "greenline"), "serve"],
        "jedi-language-server": [str(bin_folder / "jedi-language-server")],
        "pylsp": [str(bin_folder / "pylsp")],
    }
    print(f"{'server':24}{'initialize ms':>15}{'memory MB':>12}")
    for name, command in servers.items():
        if shutil.which(command[0]):
            measured = [initialize(command) for _ in range(ROUNDS)]
            seconds = statistics.median(item[0] for item in measured)
            print(f"{name:24}{seconds * 1000:15.0f}{measured[-1][1]:12.0f}")
        else:
            print(f"{name:24}{'not installed':>15}")
    host_s, sandbox_s = two_runs()
    print(f"\nthe sample's tests twice: host {host_s:.2f} s, sandbox {sandbox_s:.2f} s")
    print(f"the sandbox costs {sandbox_s - host_s:.2f} s")
    return 0


def initialize(command: list[str]) -> tuple[float, float]:
    """Return how long a server takes to answer `initialize`, in seconds, and its memory in MB afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        params: dict[str, Any] = {"processId": None, "rootUri": Path(folder).as_uri(), "capabilities": {}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
        pipe = subprocess.PIPE
        started = time.perf_counter()
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=folder)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            process.stdin.flush()
            process.stdout.readline()
            seconds = time.perf_counter() - started
            status = Path(f"/proc/{process.pid}/status").read_text()
        finally:
            process.kill()
            process.communicate()
    kilobytes = next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]
    return seconds, int(kilobytes) / 1024


def two_runs() -> tuple[float, float]:
    """Return the seconds of two runs of the sample's tests on the host, and of two in the sandbox."""
    with sample_project() as root:
        started = time.perf_counter()
        for _ in range(2):
            subprocess.run([sys.executable, "-m", "pytest", "-q"], cwd=root, capture_output=True, check=False)
        host_s = time.perf_counter() - started
        tree = Snapshot((str(root),)).tree(str(root), Gate((str(root),)))
        verifier = make_verifier(make_sandbox(load_settings()))
        verifier.run_tests(str(root), tree, (), "bench", Cancellation())
        started = time.perf_counter()
        for _ in range(2):
            verifier.run_tests(str(root), tree, (), "bench", Cancellation())
        return host_s, time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
