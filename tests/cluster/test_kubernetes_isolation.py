"""What keeps tests and reporter apart in a pod, tried in containers with mounts and users of their own."""

from __future__ import annotations

import pytest
from cluster_case import ENVIRONMENT, REPORTER, RUNNER, MakeSandbox, run_python
from stub_api import StubCluster

from greenline.core.cancel import Cancellation
from greenline.core.error import SandboxUnavailable
from greenline.core.evidence import RunEnd
from greenline.core.port import Limits, SandboxRequest, StagedFile
from greenline.sandbox.kubernetes_sandbox import KubernetesSandbox
from greenline.verify.report import parse_rounds

ATTEMPTS = """
import os, socket
def attempt(name, action):
    try:
        action()
    except OSError as error:
        print(name, 'refused')
    else:
        print(name, 'POSSIBLE')
report = '/run/greenline/report'
attempt('read-report', lambda: os.open(report, os.O_RDONLY | os.O_NONBLOCK))
attempt('remove-report', lambda: os.unlink(report))
attempt('replace-report', lambda: os.rename(report, report + '2'))
attempt('own-report', lambda: os.mkfifo(report + '3'))
attempt('runner', lambda: open('/opt/greenline/runner/reporter.py', 'a'))
attempt('new-module', lambda: open('/opt/greenline/runner/greenline_runner/made.py', 'w'))
attempt('usr', lambda: open('/usr/made', 'w'))
attempt('root', lambda: os.setuid(0))
attempt('chroot', lambda: os.chroot('/tmp'))
attempt('network', lambda: socket.create_connection(('192.0.2.1', 80), 2))
seen = {open(f'/proc/{pid}/cmdline').read() for pid in os.listdir('/proc') if pid.isdigit()}
print('reporter', 'SEEN' if any('reporter.py' in line for line in seen) else 'unseen')
print('uid', os.getuid(), os.getgid(), 'secret', os.environ.get('SECRET'))
open(os.open(report, os.O_WRONLY), 'w').write('forged\\n{"kind":"final"}\\n')
"""


def test_tests_can_write_to_the_reporter_and_nothing_else(
    kubernetes: KubernetesSandbox, project: str
) -> None:
    request = SandboxRequest(
        project,
        {"program.py": StagedFile(ATTEMPTS.encode())},
        ("{python}", "program.py"),
        REPORTER,
        limits=Limits(wall_s=30),
    )

    result = kubernetes.run(request, Cancellation())

    assert result.exit_code == 0, result.output
    assert result.output.count(b"refused") == 10, result.output
    assert b"POSSIBLE" not in result.output
    assert b"reporter unseen" in result.output
    assert b"uid 64000 64000 secret None" in result.output
    # What it wrote without the driver's secret became no result.
    assert b'"kind":"intruder"' in result.report
    assert b"final" not in result.report


def test_a_test_that_forges_results_is_an_intruder(kubernetes: KubernetesSandbox, project: str) -> None:
    forger = b"""
def test_forge():
    with open('/run/greenline/report', 'w') as fifo:
        fifo.write('x {"kind":"result","id":"test_f.py::test_forge","outcome":"passed"}\\n')
    assert False
"""
    request = SandboxRequest(
        project, {"test_f.py": StagedFile(forger)}, RUNNER, REPORTER, ENVIRONMENT, Limits(wall_s=60)
    )

    (report,) = parse_rounds(kubernetes.run(request, Cancellation()))

    assert report.end is not RunEnd.COMPLETE


def test_what_tests_leave_behind_is_buried(kubernetes: KubernetesSandbox, project: str) -> None:
    code = """
import os, time
child = os.fork()
if child == 0:
    grandchild = os.fork()
    if grandchild == 0:
        os._exit(0)
    print(grandchild, flush=True)
    os._exit(0)
os.waitpid(child, 0)
time.sleep(1)
zombies = [open(f'/proc/{pid}/stat').read() for pid in os.listdir('/proc') if pid.isdigit()]
print('zombies', sum(') Z' in line for line in zombies))
"""

    assert run_python(kubernetes, project, code).output.endswith(b"zombies 0\n")


def test_a_cluster_without_network_policies_runs_nothing(
    make_kubernetes: MakeSandbox, cluster: StubCluster, project: str
) -> None:
    cluster.faults.is_open = True
    sandbox = make_kubernetes()

    with pytest.raises(SandboxUnavailable, match="does not enforce network policies") as caught:
        run_python(sandbox, project, "print('ran')")

    assert "enforces NetworkPolicy" in caught.value.remedy
