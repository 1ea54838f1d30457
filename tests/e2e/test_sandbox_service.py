"""Services beside the tests: fresh for each run, reached over loopback alone, and gone afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import docker
import pytest
from python_image import imported, root_file_system

from greenline.app import make_sandbox, make_verifier
from greenline.config.settings import load_settings
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange
from greenline.core.error import SandboxUnavailable
from greenline.core.evidence import Verdict
from greenline.core.port import Limits, SandboxRequest, StagedFile, VerifyRequest
from greenline.core.service import Service
from greenline.journal.owner import process_owner
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.sandbox.owner import LABEL_OWNER

PORT = 6543
SERVER = """
import os, socket, time
time.sleep(1)
n = 0
with socket.create_server(("127.0.0.1", 6543)) as listener:
    while True:
        client, _ = listener.accept()
        with client:
            word = client.recv(100)
            n += bool(word)
            facts = [n, os.environ.get("WORD"), [name for _, name in socket.if_nameindex()], os.getuid()]
            client.sendall(repr(facts).encode())
"""
CLIENT = b"""
import socket
with socket.create_connection(("127.0.0.1", 6543)) as server:
    server.sendall(b"ask")
    print(server.recv(1000).decode())
"""
POSTGRES = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"))), None)
LIMITS = Limits(wall_s=60)


def _service(*command: str, image: str = "host", **more: object) -> Service:
    return Service("db", image, PORT, command or ("python3", "-c", SERVER), **more)  # type: ignore[arg-type]


def _sandbox(docker_host: str, *services: Service) -> DockerSandbox:
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere"}
    return DockerSandbox(
        SandboxSettings(docker_host=docker_host, services=services, environment=environment, n_ready=1)
    )


def _request(root: Path, command: Sequence[str] = ("{python}", "ask.py")) -> SandboxRequest:
    return SandboxRequest(str(root), {"ask.py": StagedFile(CLIENT)}, tuple(command), limits=LIMITS)


def _left(docker_host: str) -> int:
    client = docker.DockerClient(base_url=docker_host)
    try:
        label = f"{LABEL_OWNER}={process_owner()}"
        return len(client.containers.list(all=True, filters={"label": label}))
    finally:
        client.close()


@pytest.fixture(scope="module")
def image(docker_host: str) -> Iterator[str]:
    with imported(docker_host, root_file_system()) as name:
        yield name


def test_a_service_is_fresh_for_each_run_and_gone_afterwards(tmp_path: Path, docker_host: str) -> None:
    sandbox = _sandbox(docker_host, _service(environment=(("WORD", "said"),)))

    said = [sandbox.run(_request(tmp_path), Cancellation()).output.decode().strip() for _ in range(2)]
    sandbox.close()

    # It counts whoever says something: each run is its first.
    assert said == ["[1, 'said', ['lo'], 64000]" if os.getuid() == 0 else said[0]] * 2
    assert _left(docker_host) == 0


def test_services_of_an_image_and_of_the_machine_are_reached_side_by_side(
    tmp_path: Path, docker_host: str, image: str
) -> None:
    service = _service(image=image)
    sandbox = _sandbox(
        docker_host, service, Service("other", "host", 6544, ("python3", "-m", "http.server", "6544"))
    )

    said = sandbox.run(_request(tmp_path), Cancellation()).output.decode().strip()
    sandbox.close()

    assert said == "[1, None, ['lo'], 0]"
    assert _left(docker_host) == 0


@pytest.mark.parametrize(
    ("service", "problem", "remedy"),
    [
        (
            _service(image="nothing:here"),
            "nothing:here of the service db is not on",
            "docker pull nothing:here",
        ),
        (
            _service("python3", "-c", "raise SystemExit('no key')"),
            r"db \(host\) ended: no key",
            "services.db",
        ),
        (_service("sleep", "99", ready_s=1.0), "did not listen at port 6543 in time", "services.db"),
        (_service("no-such-program"), "db .* (ended|did not start)", "services.db"),
    ],
)
def test_a_service_that_is_not_there_could_not_run(
    service: Service, problem: str, remedy: str, tmp_path: Path, docker_host: str
) -> None:
    sandbox = _sandbox(docker_host, service)

    assert sandbox.health().available == (service.image == "host")
    with pytest.raises(SandboxUnavailable, match=problem) as caught:
        sandbox.run(_request(tmp_path), Cancellation())
    sandbox.close()

    assert remedy in caught.value.remedy
    assert _left(docker_host) == 0


def test_services_of_a_killed_process_are_removed_by_the_next(tmp_path: Path, docker_host: str) -> None:
    program = (
        "import test_sandbox_service as case, pathlib, sys\n"
        "sandbox = case._sandbox(sys.argv[1], case._service())\n"
        "sandbox.run(case._request(pathlib.Path(sys.argv[2]), ['sleep', '60']), case.Cancellation())\n"
    )
    here = str(Path(__file__).parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([here, *sys.path])}
    client = docker.DockerClient(base_url=docker_host)
    command = [sys.executable, "-c", program, docker_host, str(tmp_path)]
    with subprocess.Popen(command, env=environment) as process:
        label = f"{LABEL_OWNER}={process_owner(process.pid)}"
        found: list[object] = []
        while len(found) < 2:
            assert process.poll() is None
            found = client.containers.list(all=True, filters={"label": label}, ignore_removed=True)
        process.kill()

    sandbox = _sandbox(docker_host)
    assert sandbox.health().available
    sandbox.close()
    assert client.containers.list(all=True, filters={"label": label}) == []
    client.close()


@pytest.mark.skipif(POSTGRES is None, reason="this machine has no PostgreSQL")
def test_a_patch_is_verified_against_postgresql(
    tmp_path: Path, docker_host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = (
        f"{POSTGRES}/initdb -D /tmp/data -U postgres -A trust >/dev/null && "
        f"exec {POSTGRES}/postgres -D /tmp/data -k /tmp -p 6543 -c listen_addresses=127.0.0.1 -c fsync=off"
    )
    config = tmp_path / "config.toml"
    config.write_text(
        'variables = ["PGHOST=127.0.0.1", "PGUSER=postgres", "PGPORT=6543", "SHOWN", "API_TOKEN"]\n'
        f'[services.db]\nimage = "host"\nport = 6543\ncommand = ["sh", "-c", "{start}"]\n'
    )
    monkeypatch.setenv("SHOWN", "shown")
    monkeypatch.setenv("API_TOKEN", "hunter2-hunter2-99")
    settings = load_settings({"DOCKER_HOST": docker_host}, config)
    assert settings.warnings == ()
    old, new = b'QUERY = "select 1"\n', b'QUERY = "select 41 + 1"\n'
    test = (
        "import os, subprocess\nfrom calc import QUERY\n"
        "def test_query():\n"
        f'    said = subprocess.run(["{POSTGRES}/psql", "-Atc", QUERY], capture_output=True, text=True)\n'
        '    assert said.stdout == "42\\n", said.stderr\n'
        "def test_environment():\n"
        '    assert (os.environ.get("SHOWN"), os.environ.get("API_TOKEN")) == ("shown", None)\n'
    )
    root = tmp_path / "w"
    root.mkdir()
    base = {"calc.py": StagedFile(old), "test_calc.py": StagedFile(test.encode())}
    edit_set = EditSet((FileChange(str(root / "calc.py"), old, new),))
    sandbox = make_sandbox(settings)

    evidence = make_verifier(sandbox, settings).verify(
        VerifyRequest(str(root), base, edit_set), Cancellation(), lambda sentence: None
    )
    sandbox.close()

    assert evidence.verdict is Verdict.VERIFIED, evidence
    assert _left(docker_host) == 0
