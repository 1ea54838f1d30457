"""What tests of the sandbox `kubernetes` run, and how they look at what is left."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange
from greenline.core.evidence import Evidence
from greenline.core.port import Limits, Sandbox, SandboxRequest, SandboxResult, StagedFile, VerifyRequest
from greenline.sandbox.kubernetes_sandbox import KubernetesSandbox
from greenline.verify.verifier import SandboxVerifier

OLD = b"def add(a, b):\n    return a - b\n"
NEW = b"def add(a, b):\n    return a + b\n"
BROKEN = b"def add(a, b):\n    return None\n"
TESTS = b"""from calc import add

def test_add():
    assert add(1, 2) == 3

def test_nothing():
    assert add(0, 0) == 0
"""
REPORTER = ("{python}", "-I", "/opt/greenline/runner/reporter.py")
RUNNER = ("{python}", "/opt/greenline/runner/run_tests.py", "--runner", "pytest")
ENVIRONMENT = {"GREENLINE_REPORT": "/run/greenline/report"}


class MakeSandbox(Protocol):
    """Makes a sandbox on the test's stub."""

    def __call__(self, start_s: float = 20.0, runtime: str | None = None) -> KubernetesSandbox:
        """Return a sandbox; it is closed after the test."""


def run_python(
    sandbox: Sandbox, root: str, code: str, limits: Limits | None = None, label: str = ""
) -> SandboxResult:
    """Run one Python program over a tree that holds nothing else."""
    tree = {"program.py": StagedFile(code.encode())}
    command = ("{python}", "program.py")
    request = SandboxRequest(root, tree, command, limits=limits or Limits(wall_s=30), label=label)
    return sandbox.run(request, Cancellation())


def run_suite(sandbox: Sandbox, root: str, files: dict[str, bytes], limits: Limits) -> SandboxResult:
    """Run pytest over files, with the reporter."""
    tree = {name: StagedFile(content) for name, content in files.items()}
    request = SandboxRequest(root, tree, RUNNER, REPORTER, ENVIRONMENT, limits)
    return sandbox.run(request, Cancellation())


def verify(
    sandbox: Sandbox,
    root: str,
    new: bytes = NEW,
    tests: bytes = TESTS,
    cancellation: Cancellation | None = None,
) -> Evidence:
    """Verify a change of `calc.py`."""
    base = {"calc.py": StagedFile(OLD), "test_calc.py": StagedFile(tests)}
    edit_set = EditSet((FileChange(f"{root}/calc.py", OLD, new),))
    request = VerifyRequest(root, base, edit_set, label="run-1", limits=Limits(wall_s=60))
    return SandboxVerifier(sandbox).verify(request, cancellation or Cancellation(), lambda sentence: None)


def soon(holds: Callable[[], bool], limit_s: float = 10.0) -> bool:
    """Return whether something holds within a while."""
    deadline = time.monotonic() + limit_s
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


@attrs.frozen
class Trouble:
    """What goes wrong in a cluster, and what must be said of it."""

    faults: dict[str, object]
    problem: str
    remedy: str
    start_s: float = 20.0
