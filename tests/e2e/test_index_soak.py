"""A minute of the soak that `make soak` runs for half an hour."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SOAK = Path(__file__).with_name("soak.py")


@pytest.mark.timeout(400)
def test_a_minute_of_a_random_editor_leaves_no_drift() -> None:
    command = [sys.executable, str(SOAK), "--seconds", "60", "--files", "120"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout)
    assert figures["faults"] == []
    assert figures["rounds"] >= 3
    assert figures["actions"] > 50
